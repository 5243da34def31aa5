//! Memory shared with forked processes, and futex waits on a word of it.
#![allow(unsafe_code)]

use std::io;
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::AtomicU32;

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::thread::futex;

/// A value in memory shared with processes forked from this one.
#[derive(Debug)]
pub(crate) struct SharedCell<T: Sync>(NonNull<T>);

impl<T: Sync> SharedCell<T> {
    /// Stores `value`. It is never dropped, so it should own nothing.
    pub(crate) fn new(value: T) -> io::Result<SharedCell<T>> {
        const RIGHTS: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);
        // SAFETY: a new mapping at an address chosen by the kernel.
        let place =
            unsafe { mmap_anonymous(null_mut(), size_of::<T>().max(1), RIGHTS, MapFlags::SHARED)? };
        let place = NonNull::new(place.cast::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: a page satisfies the alignment of every type used here, and is large enough.
        unsafe { place.write(value) };
        Ok(SharedCell(place))
    }
}

impl<T: Sync> Deref for SharedCell<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: mapped as long as this lives; T is Sync, so it may be shared.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Sync> Drop for SharedCell<T> {
    fn drop(&mut self) {
        // SAFETY: our mapping; other processes have theirs.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), size_of::<T>().max(1)) };
    }
}

/// Sleeps until `word` is woken, unless its value is not `seen`.
pub(crate) fn sleep(word: &AtomicU32, seen: u32) -> io::Result<()> {
    match futex::wait(word, futex::Flags::empty(), seen, None) {
        Ok(()) | Err(Errno::AGAIN | Errno::INTR) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// Wakes one sleeper on `word`. Returns how many were woken.
pub(crate) fn wake(word: &AtomicU32) -> io::Result<usize> {
    Ok(futex::wake(word, futex::Flags::empty(), 1)?)
}
