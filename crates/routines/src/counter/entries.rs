//! The interposed functions: they hand on their arguments, and where they were called from.
#![allow(unsafe_code)]

use core::arch::naked_asm;

use super::classes::{FILL, distance_class};
use super::count::count;
use super::forward::{Copy, Fill, MEMCPY, MEMMOVE, MEMSET, copy_bytes, fill_bytes};

/// Declares the interposed function `$name`: `$done` gets its three arguments and the address that it returns to.
macro_rules! entry {
    ($name:ident, $done:ident) => {
        /// # Safety
        /// That of the C library's function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            naked_asm!("mov rcx, qword ptr [rsp]", "jmp {done}", done = sym $done);
            #[cfg(target_arch = "aarch64")]
            naked_asm!("mov x3, x30", "b {done}", done = sym $done)
        }
    };
}

entry!(memcpy, copied);
entry!(memmove, moved);
entry!(memset, filled);

/// # Safety
/// That of `memcpy`.
unsafe extern "C" fn copied(to: *mut u8, from: *const u8, bytes: usize, caller: usize) -> *mut u8 {
    count(distance_class(to as usize, from as usize), bytes, caller);
    // SAFETY: the type of `memcpy`.
    let real = unsafe { MEMCPY.get::<Copy>() };
    // SAFETY: passed on.
    unsafe { real.unwrap_or(copy_bytes)(to, from, bytes) }
}

/// # Safety
/// That of `memmove`.
unsafe extern "C" fn moved(to: *mut u8, from: *const u8, bytes: usize, caller: usize) -> *mut u8 {
    count(distance_class(to as usize, from as usize), bytes, caller);
    // SAFETY: the type of `memmove`.
    let real = unsafe { MEMMOVE.get::<Copy>() };
    // SAFETY: passed on.
    unsafe { real.unwrap_or(copy_bytes)(to, from, bytes) }
}

/// # Safety
/// That of `memset`.
unsafe extern "C" fn filled(to: *mut u8, byte: i32, bytes: usize, caller: usize) -> *mut u8 {
    count(FILL, bytes, caller);
    // SAFETY: the type of `memset`.
    let real = unsafe { MEMSET.get::<Fill>() };
    // SAFETY: passed on.
    unsafe { real.unwrap_or(fill_bytes)(to, byte, bytes) }
}
