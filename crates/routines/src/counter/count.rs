//! Counts calls in the table of this program.
#![allow(unsafe_code)]

use core::ffi::c_char;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU64};

use super::classes::{PROGRAMS, STEP, Table, VARIABLE, size_class};
use super::objects::object;
use super::{forward, sys};

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

/// The table; null where there is none, and then calls are only passed on. Processes that a program forks share it.
static TABLE: AtomicPtr<Table> = AtomicPtr::new(null_mut());

/// Runs when the library is loaded, before the program starts.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    forward::find_all();
    // SAFETY: a NUL-terminated name; nothing modifies the environment yet.
    let path = unsafe { getenv(VARIABLE.as_ptr()) };
    if path.is_null() {
        return;
    }
    // SAFETY: a value of the environment ends with NUL.
    let Some(file) = (unsafe { sys::open(path, sys::OPEN_SHARED) }) else {
        return;
    };
    if let Some(head) = sys::map(STEP, sys::WRITABLE, sys::SHARED, file, 0) {
        // SAFETY: the file begins with this number; all processes change it by atomic additions.
        let own = unsafe { &*head.cast::<AtomicU64>() }.fetch_add(1, Relaxed) as usize;
        // SAFETY: the mapping made above, which nothing refers to any more.
        unsafe { sys::unmap(head, STEP) };
        if own < PROGRAMS {
            let at = STEP * (own + 1);
            let table = sys::map(STEP, sys::WRITABLE, sys::SHARED, file, at);
            TABLE.store(table.unwrap_or(null_mut()).cast(), Relaxed);
        }
    }
    sys::close(file);
}

/// Counts a call.
#[inline(always)]
pub(crate) fn count(way: usize, bytes: usize, caller: usize) {
    let table = TABLE.load(Relaxed);
    if table.is_null() {
        return;
    }
    // SAFETY: mapped for as long as the process lives, and all numbers, which are changed by atomic operations.
    let table = unsafe { &*table };
    let own = table.counts.get(object(table, caller));
    let own = own.and_then(|ways| ways.get(way)?.get(size_class(bytes)));
    if let Some(own) = own {
        own.calls.fetch_add(1, Relaxed);
        own.bytes.fetch_add(bytes as u64, Relaxed);
    }
}
