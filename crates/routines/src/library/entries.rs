//! The interposed functions. As built each goes to the shape that every CPU can do; the launcher gives the symbols the
//! addresses of the chosen shapes, so that nothing stands between a call and its shape.
//!
//! `__memcpy_chk` and its kin are what fortified programs call where the compiler knows the room at the destination.
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

/// Declares the checked variant `$name` of `$plain`: the room is the fourth argument. The symbol of the plain one is
/// looked up by the loader, so that the launcher's choice holds here, too.
macro_rules! checked {
    ($name:ident, $plain:literal) => {
        /// # Safety
        /// That of the C library's function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            naked_asm!(
                ".weak __chk_fail",
                "cmp rcx, rdx",
                "jb 22f",
                concat!("jmp qword ptr [rip + ", $plain, "@GOTPCREL]"),
                "22:",
                "mov rax, qword ptr [rip + __chk_fail@GOTPCREL]",
                "test rax, rax",
                "jz 23f",
                "jmp rax",
                "23:",
                "ud2",
            );
            #[cfg(target_arch = "aarch64")]
            naked_asm!(
                ".weak __chk_fail",
                "cmp x3, x2",
                "b.lo 22f",
                concat!("adrp x16, :got:", $plain),
                concat!("ldr x16, [x16, :got_lo12:", $plain, "]"),
                "br x16",
                "22:",
                "adrp x16, :got:__chk_fail",
                "ldr x16, [x16, :got_lo12:__chk_fail]",
                "cbz x16, 23f",
                "br x16",
                "23:",
                "brk 1",
            )
        }
    };
}

checked!(__memcpy_chk, "memcpy");
checked!(__memmove_chk, "memmove");
checked!(__memset_chk, "memset");
