//! `__memcpy_chk` and its kin, which fortified programs call where the compiler knows the room at the destination.
#![allow(unsafe_code)]

use core::arch::naked_asm;

/// Declares the checked variant `$name` of `$plain`: the room is the fourth argument. The symbol of the plain one is
/// looked up by the loader, so that the launcher's choice holds here, too,
/// and the caller's address is still what the plain one returns to.
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
