//! The loops on architectures without loops of their own: the C library's `syscall`.

use super::Call;

/// What `syscall` returned, with an error as a negative error number.
fn result(value: libc::c_long) -> isize {
    if value >= 0 {
        return value as isize;
    }
    -(std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO) as isize)
}

/// Makes `call` up to `n` times, as long as it returns a value from `low` to `high`. Returns the
/// number of calls that did, and the last value returned.
///
/// # Safety
/// The call must be sound with its arguments, `n` times over.
pub(crate) unsafe fn repeat(call: Call, n: u64, low: isize, high: isize) -> (u64, isize) {
    let [a, b, c, d] = call.args;
    let mut last = low;
    for done in 0..n {
        // SAFETY: the call is the caller's to vouch for.
        last = result(unsafe { libc::syscall(call.number, a, b, c, d) });
        if last < low || last > high {
            return (done, last);
        }
    }
    (n, last)
}

/// Opens `path` for reading and closes it, up to `n` times. Returns the number of pairs that
/// succeeded, and what the last call returned.
///
/// # Safety
/// `path` must be a string that ends in a zero byte.
pub(crate) unsafe fn open_close_loop(path: *const libc::c_char, n: u64) -> (u64, isize) {
    for done in 0..n {
        // SAFETY: `path` is the caller's to vouch for.
        let fd = result(unsafe {
            libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, libc::O_RDONLY, 0)
        });
        if fd < 0 {
            return (done, fd);
        }
        // SAFETY: the descriptor just opened.
        let closed = result(unsafe { libc::syscall(libc::SYS_close, fd) });
        if closed != 0 {
            return (done, closed);
        }
    }
    (n, 0)
}
