//! The loops on x86-64.
//!
//! The kernel keeps every register but rax (the result), rcx and r11, so the arguments are loaded
//! once and a turn is: number, call, check, count.

use super::Call;
use std::arch::asm;

/// Makes `call` up to `n` times, as long as it returns a value from `low` to `high`. Returns the
/// number of calls that did, and the last value returned.
///
/// # Safety
/// The call must be sound with its arguments, `n` times over.
#[inline(never)]
pub(crate) unsafe fn repeat(call: Call, n: u64, low: isize, high: isize) -> (u64, isize) {
    let (mut left, mut last) = (n, low);
    if n > 0 {
        // SAFETY: the call is the caller's to vouch for; the registers that a call changes are
        // declared, and so is memory.
        unsafe {
            asm!(
                ".p2align 6",
                "2:",
                "mov rax, r12",
                "syscall",
                "cmp rax, r13",
                "jl 3f",
                "cmp rax, r14",
                "jg 3f",
                "dec r15",
                "jnz 2b",
                "3:",
                in("r12") call.number,
                in("r13") low,
                in("r14") high,
                inout("r15") left,
                in("rdi") call.args[0],
                in("rsi") call.args[1],
                in("rdx") call.args[2],
                in("r10") call.args[3],
                out("rax") last,
                out("rcx") _,
                out("r11") _,
                options(nostack),
            );
        }
    }
    (n - left, last)
}

/// Opens `path` for reading and closes it, up to `n` times. Returns the number of pairs that
/// succeeded, and what the last call returned.
///
/// # Safety
/// `path` must be a string that ends in a zero byte.
#[inline(never)]
pub(crate) unsafe fn open_close_loop(path: *const libc::c_char, n: u64) -> (u64, isize) {
    let (mut left, mut last) = (n, 0);
    if n > 0 {
        // SAFETY: as in `repeat`. The descriptor that is closed is the one just opened.
        unsafe {
            asm!(
                ".p2align 6",
                "2:",
                "mov rdi, r12",
                "mov eax, {openat}",
                "syscall",
                "test rax, rax",
                "js 3f",
                "mov edi, eax",
                "mov eax, {close}",
                "syscall",
                "test rax, rax",
                "jnz 3f",
                "dec r15",
                "jnz 2b",
                "3:",
                openat = const libc::SYS_openat,
                close = const libc::SYS_close,
                in("r12") libc::AT_FDCWD as isize,
                inout("r15") left,
                out("rdi") _,
                in("rsi") path,
                // Closed on exec by no means: plain O_RDONLY is what the rivals open with.
                in("rdx") libc::O_RDONLY as usize,
                in("r10") 0_usize,
                out("rax") last,
                out("rcx") _,
                out("r11") _,
                options(nostack),
            );
        }
    }
    (n - left, last)
}
