//! The interposed functions. As built each goes to the shape that every CPU can do; the launcher gives the symbols the
//! addresses of the chosen shapes, so that nothing stands between a call and its shape.
#![allow(unsafe_code)]

use core::arch::naked_asm;

use super::shapes::{whyslow_compare_16, whyslow_copy_16, whyslow_set_16};

/// Goes to a function of this library.
#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    () => {
        "jmp {shape}"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    () => {
        "b {shape}"
    };
}

/// Declares the interposed function `$name`, done by `$shape`.
macro_rules! entry {
    ($name:ident, $shape:ident) => {
        /// # Safety
        /// That of the C library's function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(jump!(), shape = sym $shape)
        }
    };
}

entry!(memcpy, whyslow_copy_16);
entry!(memmove, whyslow_copy_16);
entry!(memset, whyslow_set_16);
entry!(memcmp, whyslow_compare_16);
entry!(bcmp, whyslow_compare_16);
