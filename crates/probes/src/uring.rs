//! A queue pair of io_uring, by raw system calls without a library.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

// The kernel's interface, include/uapi/linux/io_uring.h.
const OFFSET_SUBMISSION: u64 = 0;
const OFFSET_COMPLETION: u64 = 0x800_0000;
const OFFSET_ENTRIES: u64 = 0x1000_0000;
const GET_EVENTS: u32 = 1;

/// Operations.
const NOP: u8 = 0;
const READ: u8 = 22;

/// Offsets of a ring's fields in its mapping.
#[repr(C)]
#[derive(Default)]
struct Offsets {
    head: u32,
    tail: u32,
    mask: u32,
    entries: u32,
    /// Submission: flags. Completion: overflow.
    fifth: u32,
    /// Submission: dropped. Completion: the completions.
    sixth: u32,
    /// Submission: the array of indices. Completion: flags.
    seventh: u32,
    reserved: u32,
    user_address: u64,
}

#[repr(C)]
#[derive(Default)]
struct Params {
    submissions: u32,
    completions: u32,
    flags: u32,
    thread_cpu: u32,
    thread_idle: u32,
    features: u32,
    workers: u32,
    reserved: [u32; 3],
    submission: Offsets,
    completion: Offsets,
}

/// A submission entry, with its read buffer.
#[repr(C)]
#[derive(Default, Clone, Copy)]
pub(crate) struct Entry<'b> {
    operation: u8,
    flags: u8,
    priority: u16,
    file: i32,
    offset: u64,
    address: u64,
    bytes: u32,
    operation_flags: u32,
    user_data: u64,
    rest: [u64; 3],
    buffer: PhantomData<&'b ()>,
}

impl<'b> Entry<'b> {
    /// A no-op.
    pub(crate) fn nop() -> Entry<'b> {
        Entry {
            operation: NOP,
            ..Entry::default()
        }
    }

    /// Reads into `buffer` from the start of `file`.
    pub(crate) fn read(file: &'b File, buffer: &'b mut [u8]) -> Entry<'b> {
        Entry {
            operation: READ,
            file: file.as_raw_fd(),
            address: buffer.as_mut_ptr().expose_provenance() as u64,
            bytes: buffer.len() as u32,
            ..Entry::default()
        }
    }
}

/// A completion entry.
#[repr(C)]
#[derive(Clone, Copy)]
struct Completion {
    user_data: u64,
    result: i32,
    flags: u32,
}

/// A part of a ring's memory, unmapped when dropped.
struct Mapped {
    start: *mut u8,
    bytes: usize,
}

impl Mapped {
    fn new(ring: &OwnedFd, bytes: usize, offset: u64) -> io::Result<Mapped> {
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a new mapping at an address chosen by the kernel.
        let start = unsafe { mmap(null_mut(), bytes, rights, flags, ring, offset)? };
        Ok(Mapped {
            start: start.cast(),
            bytes,
        })
    }

    /// The word at `offset`, which the kernel also modifies.
    fn word(&self, offset: u32) -> &AtomicU32 {
        debug_assert!(offset as usize + 4 <= self.bytes);
        // SAFETY: offsets come from the kernel, lie in the mapping and are aligned.
        unsafe { AtomicU32::from_ptr(self.start.add(offset as usize).cast()) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: our mapping; nothing refers to it any more.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// The queues.
pub(crate) struct Queues {
    ring: OwnedFd,
    params: Params,
    submission: Mapped,
    completion: Mapped,
    entries: Mapped,
}

impl Queues {
    /// Queues for `depth` operations at once, a power of two.
    ///
    /// # Errors
    /// The kernel's error: ENOSYS without io_uring, EPERM where it is forbidden.
    pub(crate) fn new(depth: u32) -> io::Result<Queues> {
        let mut params = Params::default();
        // SAFETY: the structure that the call expects, alive throughout.
        let made = unsafe { libc::syscall(libc::SYS_io_uring_setup, depth, &raw mut params) };
        if made < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a file descriptor that the kernel just opened for us.
        let ring = unsafe { OwnedFd::from_raw_fd(made as i32) };
        let indices = params.submission.seventh as usize + params.submissions as usize * 4;
        let done = params.completion.sixth as usize
            + params.completions as usize * size_of::<Completion>();
        let entries = params.submissions as usize * size_of::<Entry<'_>>();
        Ok(Queues {
            submission: Mapped::new(&ring, indices, OFFSET_SUBMISSION)?,
            completion: Mapped::new(&ring, done, OFFSET_COMPLETION)?,
            entries: Mapped::new(&ring, entries, OFFSET_ENTRIES)?,
            ring,
            params,
        })
    }

    /// Submits `entry` `count` times with one call and waits for all completions; each must have
    /// filled its buffer. `count` is at most the queue depth.
    ///
    /// # Errors
    /// When the kernel refuses, or an operation was short.
    pub(crate) fn submit(&mut self, entry: &Entry<'_>, count: u32) -> io::Result<()> {
        assert!(
            count <= self.params.submissions,
            "more operations than the queue depth"
        );
        let at = &self.params.submission;
        let mask = self.params.submissions - 1;
        let tail = self.submission.word(at.tail).load(Ordering::Relaxed);
        for k in 0..count {
            let slot = tail.wrapping_add(k) & mask;
            // SAFETY: a slot below the number of entries; the kernel reads it only after the tail
            // moved, and the entry borrows the buffer.
            unsafe {
                self.entries
                    .start
                    .cast::<Entry<'_>>()
                    .add(slot as usize)
                    .write(*entry)
            };
            self.submission
                .word(at.seventh + 4 * slot)
                .store(slot, Ordering::Relaxed);
        }
        self.submission
            .word(at.tail)
            .store(tail.wrapping_add(count), Ordering::Release);
        // SAFETY: our ring; no signal mask.
        let entered = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.ring.as_raw_fd(),
                count,
                count,
                GET_EVENTS,
                null_mut::<u8>(),
                0usize,
            )
        };
        match entered {
            n if n == count as libc::c_long => self.reap(count, entry.bytes),
            ..0 => Err(io::Error::last_os_error()),
            n => Err(io::Error::other(format!(
                "{n} of {count} operations were submitted"
            ))),
        }
    }

    fn reap(&mut self, count: u32, bytes: u32) -> io::Result<()> {
        let at = &self.params.completion;
        let mask = self.params.completions - 1;
        let head = self.completion.word(at.head).load(Ordering::Relaxed);
        let tail = self.completion.word(at.tail).load(Ordering::Acquire);
        if tail.wrapping_sub(head) != count {
            return Err(io::Error::other("operations are missing"));
        }
        for k in 0..count {
            let slot = (head.wrapping_add(k) & mask) as usize * size_of::<Completion>();
            // SAFETY: a slot below the number of completions, before the tail: the kernel is done.
            let done = unsafe {
                let place = self.completion.start.add(at.sixth as usize + slot);
                place.cast::<Completion>().read()
            };
            match done.result {
                result if result as u32 == bytes => {}
                error @ ..0 => return Err(io::Error::from_raw_os_error(-error)),
                other => {
                    return Err(io::Error::other(format!(
                        "{other} bytes instead of {bytes}"
                    )));
                }
            }
        }
        self.completion.word(at.head).store(tail, Ordering::Release);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_again_and_again() {
        let Ok(mut queues) = Queues::new(4) else {
            return; // no io_uring here; the probe reports the reason
        };
        let zero = File::open("/dev/zero").unwrap();
        let mut bytes = [1u8; 8];
        let entry = Entry::read(&zero, &mut bytes);
        // More rounds than the queue depth, so the indices wrap.
        for count in [1, 4, 3, 4, 2, 4] {
            queues.submit(&entry, count).unwrap();
        }
        assert_eq!(bytes, [0; 8]);
        let end = File::open("/dev/null").unwrap();
        let short = queues.submit(&Entry::read(&end, &mut bytes), 1);
        assert!(short.is_err_and(|e| e.to_string().contains("0 bytes instead of 8")));
    }
}
