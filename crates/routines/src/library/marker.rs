//! Counts the programs that loaded the library, in a file that the launcher reads.
#![allow(unsafe_code)]

use core::ffi::c_char;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use super::sys;

/// Names the file.
const VARIABLE: &core::ffi::CStr = c"WHYSLOW_ROUTINES";

/// Its mapped length, bytes.
const BYTES: usize = 4096;

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

/// Runs when the library is loaded, before the program starts.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    const CURRENT_FOLDER: usize = -100_isize as usize;
    const READ_WRITE_CLOSE: usize = 0o2 | 0o2_000_000;
    // SAFETY: a NUL-terminated name; nothing modifies the environment yet.
    let path = unsafe { getenv(VARIABLE.as_ptr()) };
    if path.is_null() {
        return;
    }
    // SAFETY: a path that ends with NUL, and numbers.
    let file = unsafe {
        sys::call(
            sys::OPENAT,
            [CURRENT_FOLDER, path as usize, READ_WRITE_CLOSE, 0, 0, 0],
        )
    };
    let Ok(file) = usize::try_from(file) else {
        return;
    };
    // SAFETY: a new shared mapping, readable and writable, at an address of the kernel's choice.
    let map = unsafe { sys::call(sys::MMAP, [0, BYTES, 3, 1, file, 0]) };
    if map > 0 {
        // SAFETY: the file has a page, which begins with this number; all processes change it by atomic additions.
        unsafe { &*(map as *const AtomicU64) }.fetch_add(1, Relaxed);
        // SAFETY: the mapping made above.
        unsafe { sys::call(sys::MUNMAP, [map as usize, BYTES, 0, 0, 0, 0]) };
    }
    sys::close(file);
}
