//! `UFFDIO_MOVE`, as in `placement`, opened and closed for each block: the program may close or
//! inherit unknown descriptors.
#![allow(unsafe_code)]

use super::sys;

/// `O_CLOEXEC | UFFD_USER_MODE_ONLY`: required for unprivileged use, and no faults are handled.
const FLAGS: usize = 0o2_000_000 | 1;
/// `UFFD_API`, and `UFFD_FEATURE_MOVE`.
const API: [u64; 3] = [0xaa, 1 << 16, 0];
/// The requests, numbered as `placement` derives them.
const UFFDIO_API: usize = 0xc018_aa3f;
const UFFDIO_REGISTER: usize = 0xc020_aa00;
const UFFDIO_UNREGISTER: usize = 0x8010_aa01;
const UFFDIO_MOVE: usize = 0xc028_aa05;
/// `UFFDIO_REGISTER_MODE_MISSING`.
const MISSING: u64 = 1;

/// `EEXIST` and `EAGAIN`.
pub(crate) const EXISTS: isize = -17;
const AGAIN: isize = -11;
/// Retries for a page that is briefly in use by the kernel.
const TRIES: u32 = 3;

/// A descriptor, and the range that it holds.
pub(crate) struct Userfault {
    fd: usize,
    start: usize,
    bytes: usize,
}

impl Userfault {
    /// Opens one for the untouched range. Other threads that touch it block until this is dropped.
    pub(crate) fn over(start: usize, bytes: usize) -> Result<Userfault, isize> {
        // SAFETY: takes flags only.
        let fd = unsafe { sys::call(sys::USERFAULTFD, [FLAGS, 0, 0, 0, 0, 0]) };
        let Ok(fd) = usize::try_from(fd) else {
            return Err(fd);
        };
        let held = Userfault { fd, start, bytes };
        held.ioctl(UFFDIO_API, &mut API.clone())?;
        held.ioctl(
            UFFDIO_REGISTER,
            &mut [start as u64, bytes as u64, MISSING, 0],
        )?;
        Ok(held)
    }

    /// Moves the page at `from` to `to`, in the range.
    ///
    /// # Safety
    /// `from` is a page of the caller, not used elsewhere.
    pub(crate) unsafe fn take(&self, from: usize, to: usize, page: usize) -> Result<(), isize> {
        let mut tries = TRIES;
        loop {
            let mut order = [to as u64, from as u64, page as u64, 0, 0];
            match self.ioctl(UFFDIO_MOVE, &mut order) {
                Err(AGAIN) if tries > 0 => tries -= 1,
                done => return done,
            }
        }
    }

    fn ioctl<const N: usize>(&self, request: usize, words: &mut [u64; N]) -> Result<(), isize> {
        // SAFETY: the request's structure is these words (their size is part of the number).
        let done = unsafe {
            let words = words.as_mut_ptr() as usize;
            sys::call(sys::IOCTL, [self.fd, request, words, 0, 0, 0])
        };
        if done == 0 { Ok(()) } else { Err(done) }
    }
}

impl Drop for Userfault {
    fn drop(&mut self) {
        // If it was not registered, this fails harmlessly. Closing would release the range too,
        // unless another thread forked meanwhile: its child has the descriptor.
        let _ = self.ioctl(
            UFFDIO_UNREGISTER,
            &mut [self.start as u64, self.bytes as u64],
        );
        sys::close(self.fd);
    }
}
