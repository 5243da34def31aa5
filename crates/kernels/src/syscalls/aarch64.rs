//! The loops on aarch64.
//!
//! The kernel keeps every general register but x0 (the first argument and the result), so the other
//! arguments and the number are loaded once and a turn is: first argument, call, check, count.

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
        // SAFETY: the call is the caller's to vouch for; the register that a call changes is
        // declared, and so is memory.
        unsafe {
            asm!(
                ".p2align 6",
                "2:",
                "mov x0, x9",
                "svc #0",
                "cmp x0, x10",
                "b.lt 3f",
                "cmp x0, x11",
                "b.gt 3f",
                "subs x12, x12, #1",
                "b.ne 2b",
                "3:",
                in("x8") call.number,
                in("x9") call.args[0],
                in("x1") call.args[1],
                in("x2") call.args[2],
                in("x3") call.args[3],
                in("x10") low,
                in("x11") high,
                inout("x12") left,
                out("x0") last,
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
                "mov x0, x9",
                "mov x8, #{openat}",
                "svc #0",
                "tbnz x0, #63, 3f",
                "mov x8, #{close}",
                "svc #0",
                "cbnz x0, 3f",
                "subs x12, x12, #1",
                "b.ne 2b",
                "3:",
                openat = const libc::SYS_openat,
                close = const libc::SYS_close,
                in("x9") libc::AT_FDCWD as isize,
                inout("x12") left,
                out("x0") last,
                in("x1") path,
                // Closed on exec by no means: plain O_RDONLY is what the rivals open with.
                in("x2") libc::O_RDONLY as usize,
                in("x3") 0_usize,
                out("x8") _,
                options(nostack),
            );
        }
    }
    (n - left, last)
}
