//! Moving pages by `UFFDIO_MOVE`: the fastest mechanism, which keeps a single mapping.
//!
//! The destination is registered with a userfaultfd, filled eagerly, and released. There is no
//! fault handler: the range is not touched in between. Numbers and structures are those of the
//! kernel's `include/uapi/linux/userfaultfd.h` (since 6.8), which older C headers lack.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::Mechanism;
use crate::arena::{Arena, Kind, page_size};

/// `UFFD_USER_MODE_ONLY`: kernel faults are not handled. Unprivileged use requires it where
/// `vm.unprivileged_userfaultfd` is 0, and no faults are handled here.
const USER_MODE_ONLY: libc::c_int = 1;
/// `UFFD_API`.
const API: u64 = 0xaa;
/// `UFFD_FEATURE_MOVE`.
const FEATURE_MOVE: u64 = 1 << 16;
/// `UFFDIO_REGISTER_MODE_MISSING`.
const MODE_MISSING: u64 = 1;

/// `struct uffdio_api`.
#[repr(C)]
#[derive(Default)]
struct Api {
    api: u64,
    features: u64,
    ioctls: u64,
}

/// `struct uffdio_range`.
#[repr(C)]
struct Range {
    start: u64,
    len: u64,
}

/// `struct uffdio_register`.
#[repr(C)]
struct Register {
    range: Range,
    mode: u64,
    ioctls: u64,
}

/// `struct uffdio_move`.
#[repr(C)]
struct Move {
    dst: u64,
    src: u64,
    len: u64,
    mode: u64,
    moved: i64,
}

/// `_IOWR(0xaa, number, T)` by the layout of `include/uapi/asm-generic/ioctl.h`, which x86-64,
/// aarch64 and riscv64 share: direction in bits 30 and 31 (1 write, 2 read), size from 16, type from 8.
const fn request<T>(direction: u64, number: u64) -> u64 {
    direction << 30 | (size_of::<T>() as u64) << 16 | 0xaa << 8 | number
}
const UFFDIO_REGISTER: u64 = request::<Register>(3, 0x00);
const UFFDIO_UNREGISTER: u64 = request::<Range>(2, 0x01);
const UFFDIO_MOVE: u64 = request::<Move>(3, 0x05);
const UFFDIO_API: u64 = request::<Api>(3, 0x3f);

/// Retries for a page that is briefly in use by the kernel (`EBUSY`).
const TRIES: u32 = 3;

/// An open userfaultfd that can move pages.
#[derive(Debug)]
pub struct Userfault {
    fd: OwnedFd,
}

impl Userfault {
    /// Opens one, and verifies it by moving a page.
    ///
    /// # Errors
    /// The reason, as text.
    pub fn open() -> Result<Userfault, String> {
        // SAFETY: takes flags only and returns a new descriptor or -1.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | USER_MODE_ONLY) };
        let fd = match libc::c_int::try_from(fd) {
            // SAFETY: a descriptor that the kernel just created, owned here only.
            Ok(fd) if fd >= 0 => unsafe { OwnedFd::from_raw_fd(fd) },
            _ => return Err(reason(&io::Error::last_os_error())),
        };
        let userfault = Userfault { fd };
        let mut api = Api {
            api: API,
            features: FEATURE_MOVE,
            ..Api::default()
        };
        userfault.ioctl(UFFDIO_API, &mut api).map_err(|_| {
            "this kernel cannot move pages (UFFDIO_MOVE came with Linux 6.8)".to_owned()
        })?;
        userfault
            .try_out()
            .map_err(|e| format!("a trial move failed: {e}"))?;
        Ok(userfault)
    }

    /// Moves one page.
    fn try_out(&self) -> io::Result<()> {
        let from = Arena::touched(page_size(), Kind::Small)?;
        let to = Arena::reserve(page_size(), Kind::Small)?;
        self.register(to.addresses())?;
        // SAFETY: pages of the two arenas, not used elsewhere; the range was begun.
        unsafe { self.move_one(from.start(), to.start()) }?;
        self.unregister(to.addresses())
    }

    fn register(&self, range: std::ops::Range<usize>) -> io::Result<()> {
        let mut register = Register {
            range: range.into(),
            mode: MODE_MISSING,
            ioctls: 0,
        };
        self.ioctl(UFFDIO_REGISTER, &mut register)
    }

    fn unregister(&self, range: std::ops::Range<usize>) -> io::Result<()> {
        self.ioctl(UFFDIO_UNREGISTER, &mut Range::from(range))
    }

    /// Moves a page.
    ///
    /// # Safety
    /// As for [`Mechanism::move_page`].
    unsafe fn move_one(&self, from: *mut u8, to: *mut u8) -> io::Result<()> {
        let mut tries = TRIES;
        loop {
            let mut order = Move {
                dst: to.addr() as u64,
                src: from.addr() as u64,
                len: page_size() as u64,
                mode: 0,
                moved: 0,
            };
            match self.ioctl(UFFDIO_MOVE, &mut order) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock && tries > 0 => tries -= 1,
                result => return result,
            }
        }
    }

    /// A request of this file, with its matching structure.
    fn ioctl<T>(&self, request: u64, structure: &mut T) -> io::Result<()> {
        // SAFETY: the request's structure is a `T` (their size is part of the number), which lives
        // across the call. The kernel checks all addresses inside; what moving a page means for the
        // memory is in the contract of `move_page`.
        let done = unsafe {
            libc::ioctl(
                self.fd.as_raw_fd(),
                request as libc::Ioctl,
                std::ptr::from_mut(structure),
            )
        };
        if done == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

impl Mechanism for Userfault {
    fn name(&self) -> &'static str {
        "userfaultfd"
    }

    fn begin(&mut self, range: std::ops::Range<usize>) -> io::Result<()> {
        self.register(range)
    }

    unsafe fn move_page(&mut self, from: *mut u8, to: *mut u8) -> io::Result<()> {
        // SAFETY: the contract is the caller's.
        unsafe { self.move_one(from, to) }
    }

    fn finish(&mut self, range: std::ops::Range<usize>) -> io::Result<()> {
        self.unregister(range)
    }
}

impl From<std::ops::Range<usize>> for Range {
    fn from(addresses: std::ops::Range<usize>) -> Range {
        Range {
            start: addresses.start as u64,
            len: addresses.len() as u64,
        }
    }
}

/// Why there is no userfaultfd.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => "not available in this kernel".to_owned(),
        Some(libc::EPERM) => {
            "not permitted (a seccomp filter or container may forbid it)".to_owned()
        }
        Some(libc::EINVAL) => {
            "not available to unprivileged users in this kernel (before 5.11)".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the kernel's headers on x86-64.
    #[test]
    fn requests_have_their_numbers() {
        assert_eq!(UFFDIO_API, 0xc018_aa3f);
        assert_eq!(UFFDIO_REGISTER, 0xc020_aa00);
        assert_eq!(UFFDIO_UNREGISTER, 0x8010_aa01);
        assert_eq!(UFFDIO_MOVE, 0xc028_aa05);
    }

    #[test]
    fn reasons_are_given_in_words() {
        let why = |code| reason(&io::Error::from_raw_os_error(code));
        assert_eq!(why(libc::ENOSYS), "not available in this kernel");
        assert!(why(libc::EPERM).contains("seccomp"));
        assert!(why(libc::ENOMEM).contains("memory"));
    }
}
