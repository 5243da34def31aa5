//! System calls, made directly: the program's C library, its `errno` and its cancellation points are
//! not touched. Results below zero are errors, negated.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    pub(crate) const READ: usize = 0;
    pub(crate) const CLOSE: usize = 3;
    pub(crate) const MMAP: usize = 9;
    pub(crate) const MUNMAP: usize = 11;
    pub(crate) const SIGMASK: usize = 14;
    pub(crate) const IOCTL: usize = 16;
    pub(crate) const MINCORE: usize = 27;
    pub(crate) const MADVISE: usize = 28;
    pub(crate) const PRCTL: usize = 157;
    pub(crate) const FUTEX: usize = 202;
    pub(crate) const CLOCK_GETTIME: usize = 228;
    pub(crate) const OPENAT: usize = 257;
    pub(crate) const PRLIMIT: usize = 302;
    pub(crate) const GETCPU: usize = 309;
    pub(crate) const USERFAULTFD: usize = 323;

    /// Makes the call `n`.
    ///
    /// # Safety
    /// As documented for the call.
    pub(crate) unsafe fn call(n: usize, a: [usize; 6]) -> isize {
        let result: isize;
        // SAFETY: the kernel keeps all registers but these; memory is the caller's contract.
        unsafe {
            core::arch::asm!(
                "syscall",
                inlateout("rax") n as isize => result,
                in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
                in("r10") a[3], in("r8") a[4], in("r9") a[5],
                lateout("rcx") _, lateout("r11") _,
                options(nostack),
            );
        }
        result
    }

    /// Traps, which ends the process.
    pub(crate) fn trap() {
        // SAFETY: an instruction that is always undefined.
        unsafe { core::arch::asm!("ud2") };
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    pub(crate) const IOCTL: usize = 29;
    pub(crate) const OPENAT: usize = 56;
    pub(crate) const CLOSE: usize = 57;
    pub(crate) const READ: usize = 63;
    pub(crate) const FUTEX: usize = 98;
    pub(crate) const CLOCK_GETTIME: usize = 113;
    pub(crate) const SIGMASK: usize = 135;
    pub(crate) const PRCTL: usize = 167;
    pub(crate) const GETCPU: usize = 168;
    pub(crate) const MUNMAP: usize = 215;
    pub(crate) const MMAP: usize = 222;
    pub(crate) const MINCORE: usize = 232;
    pub(crate) const MADVISE: usize = 233;
    pub(crate) const PRLIMIT: usize = 261;
    pub(crate) const USERFAULTFD: usize = 282;

    /// Makes the call `n`.
    ///
    /// # Safety
    /// As documented for the call.
    pub(crate) unsafe fn call(n: usize, a: [usize; 6]) -> isize {
        let result: isize;
        // SAFETY: the kernel keeps all registers but x0; memory is the caller's contract.
        unsafe {
            core::arch::asm!(
                "svc 0",
                in("x8") n,
                inlateout("x0") a[0] as isize => result,
                in("x1") a[1], in("x2") a[2], in("x3") a[3], in("x4") a[4], in("x5") a[5],
                options(nostack),
            );
        }
        result
    }

    /// Traps, which ends the process.
    pub(crate) fn trap() {
        // SAFETY: a breakpoint, which ends a process without a debugger.
        unsafe { core::arch::asm!("brk 1") };
    }
}

/// Other architectures have no library; the launcher reports that before any call.
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod none {
    pub(crate) const READ: usize = 0;
    pub(crate) const CLOSE: usize = 0;
    pub(crate) const MMAP: usize = 0;
    pub(crate) const MUNMAP: usize = 0;
    pub(crate) const SIGMASK: usize = 0;
    pub(crate) const IOCTL: usize = 0;
    pub(crate) const MINCORE: usize = 0;
    pub(crate) const MADVISE: usize = 0;
    pub(crate) const PRLIMIT: usize = 0;
    pub(crate) const PRCTL: usize = 0;
    pub(crate) const FUTEX: usize = 0;
    pub(crate) const CLOCK_GETTIME: usize = 0;
    pub(crate) const OPENAT: usize = 0;
    pub(crate) const GETCPU: usize = 0;
    pub(crate) const USERFAULTFD: usize = 0;

    /// No call at all: `ENOSYS`.
    ///
    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn call(_: usize, _: [usize; 6]) -> isize {
        -38
    }

    /// Never called.
    pub(crate) fn trap() {}
}
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) use none::*;

/// Nanoseconds of the monotonic clock.
pub(crate) fn now() -> u64 {
    let mut time = [0_i64; 2];
    // SAFETY: the kernel writes two words; clock 1 is the monotonic one and always there.
    unsafe { call(CLOCK_GETTIME, [1, time.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    time[0] as u64 * 1_000_000_000 + time[1] as u64
}

/// The CPU that the thread is on.
pub(crate) fn cpu() -> u32 {
    let mut cpu = u32::MAX;
    // SAFETY: the kernel writes one word.
    unsafe { call(GETCPU, [&raw mut cpu as usize, 0, 0, 0, 0, 0]) };
    cpu
}

/// Closes a descriptor of the caller.
pub(crate) fn close(fd: usize) {
    // SAFETY: a plain number; the caller guarantees ownership.
    unsafe { call(CLOSE, [fd, 0, 0, 0, 0, 0]) };
}

/// Opens `path`.
///
/// # Safety
/// `path` is a string that ends with NUL. (A `CStr` of one needs `strlen`, which this library has not.)
pub(crate) unsafe fn open(path: *const core::ffi::c_char, flags: usize) -> Option<usize> {
    const HERE: usize = -100_isize as usize;
    // SAFETY: the string ends with NUL, by contract.
    let fd = unsafe { call(OPENAT, [HERE, path as usize, flags, 0, 0, 0]) };
    usize::try_from(fd).ok()
}

/// Maps memory as `mmap` does, where nothing is mapped yet; `None` where the kernel refuses.
pub(crate) fn map(
    bytes: usize,
    prot: usize,
    flags: usize,
    fd: usize,
    at: usize,
) -> Option<*mut u8> {
    // SAFETY: a new mapping at an address chosen by the kernel.
    let to = unsafe { call(MMAP, [0, bytes, prot, flags, fd, at]) };
    // Values in the last page of addresses are errors.
    (!(-4095..0).contains(&to)).then_some(to as *mut u8)
}

/// Unmaps a mapping.
///
/// # Safety
/// So many bytes at `start` are a mapping from [`map`], and nothing refers to it.
pub(crate) unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: a mapping of this library that is not used, by contract.
    unsafe { call(MUNMAP, [start as usize, bytes, 0, 0, 0, 0]) };
}

/// Advice on memory of the caller.
///
/// # Safety
/// As for `madvise`: some advice drops content.
pub(crate) unsafe fn advise(start: *mut u8, bytes: usize, advice: usize) -> bool {
    // SAFETY: the contract is the caller's.
    unsafe { call(MADVISE, [start as usize, bytes, advice, 0, 0, 0]) == 0 }
}

/// Reports which pages from `start` have a frame, one byte each; none if the kernel does not report
/// it.
pub(crate) fn present(start: usize, page: usize, there: &mut [u8]) {
    // SAFETY: the kernel writes one byte per page, and does not read the range.
    let done = unsafe {
        let to = there.as_mut_ptr() as usize;
        call(MINCORE, [start, there.len() * page, to, 0, 0, 0])
    };
    if done != 0 {
        there.fill(0);
    }
}

/// True if mappings of this process are limited.
pub(crate) fn limited() -> bool {
    /// `RLIMIT_DATA`, `RLIMIT_AS`.
    const LIMITS: [usize; 2] = [2, 9];
    LIMITS.into_iter().any(|limit| {
        let mut words = [u64::MAX; 2];
        // SAFETY: the kernel writes two words; process 0 is this one, and no limit is given to set.
        unsafe { call(PRLIMIT, [0, limit, 0, words.as_mut_ptr() as usize, 0, 0]) };
        words[0] != u64::MAX
    })
}

/// `MAP_PRIVATE | MAP_ANONYMOUS`.
pub(crate) const PRIVATE: usize = 0x22;
/// `MAP_SHARED`.
pub(crate) const SHARED: usize = 0x01;
/// `MAP_NORESERVE`.
pub(crate) const NORESERVE: usize = 0x4000;
/// `PROT_READ` and `PROT_READ | PROT_WRITE`.
pub(crate) const READABLE: usize = 1;
pub(crate) const WRITABLE: usize = 3;
/// `MADV_DONTNEED`, `MADV_DONTFORK`, `MADV_NOHUGEPAGE`, `MADV_WIPEONFORK`.
pub(crate) const DONTNEED: usize = 4;
pub(crate) const DONTFORK: usize = 10;
pub(crate) const NOHUGEPAGE: usize = 15;
pub(crate) const WIPEONFORK: usize = 18;
/// `O_RDWR | O_CLOEXEC | O_NOFOLLOW` differs by machine in its last part.
#[cfg(not(target_arch = "aarch64"))]
pub(crate) const OPEN_SHARED: usize = 0o2 | 0o2_000_000 | 0o400_000;
#[cfg(target_arch = "aarch64")]
pub(crate) const OPEN_SHARED: usize = 0o2 | 0o2_000_000 | 0o100_000;
/// `O_RDONLY | O_CLOEXEC`.
pub(crate) const OPEN_READ: usize = 0o2_000_000;

/// Blocks all signals while it lives.
pub(crate) struct Quiet(u64);

impl Quiet {
    pub(crate) fn now() -> Quiet {
        let (all, mut before) = (u64::MAX, 0_u64);
        // SAFETY: two words of 64 signals each; 2 is `SIG_SETMASK`.
        unsafe {
            let from = &raw const all as usize;
            call(SIGMASK, [2, from, &raw mut before as usize, 8, 0, 0])
        };
        Quiet(before)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: as above, with what was before.
        unsafe { call(SIGMASK, [2, &raw const self.0 as usize, 0, 8, 0, 0]) };
    }
}

/// Waits until the word is no longer `while_it_is`, `ns` have passed, or a signal arrives.
pub(crate) fn wait(word: &core::sync::atomic::AtomicU32, while_it_is: u32, ns: u64) {
    let time = [(ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64];
    // SAFETY: a word that lives, and a time; 0 is `FUTEX_WAIT`.
    unsafe {
        let at = word.as_ptr() as usize;
        call(
            FUTEX,
            [at, 0, while_it_is as usize, time.as_ptr() as usize, 0, 0],
        )
    };
}

/// Wakes all waiters on the word.
pub(crate) fn wake(word: &core::sync::atomic::AtomicU32) {
    // SAFETY: a word that lives; 1 is `FUTEX_WAKE`.
    unsafe {
        let at = word.as_ptr() as usize;
        call(FUTEX, [at, 1, i32::MAX as usize, 0, 0, 0])
    };
}

/// The kernel's status of this process.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status {
    /// Its name, zero-padded.
    pub(crate) name: [u8; 16],
    pub(crate) pid: u64,
    /// Its number of system-call filters.
    pub(crate) filters: Option<u32>,
}

/// Reads it; `None` if unavailable.
pub(crate) fn status() -> Option<Status> {
    // SAFETY: a literal that ends with NUL.
    let fd = unsafe { open(c"/proc/self/status".as_ptr(), OPEN_READ) }?;
    // The filter count is within the first 1,300 bytes on all kernels so far; the file is shorter than
    // this.
    let mut text = [0_u8; 4096];
    // SAFETY: the kernel writes at most so many bytes.
    let got = unsafe { call(READ, [fd, text.as_mut_ptr() as usize, text.len(), 0, 0, 0]) };
    close(fd);
    let text = text.get(..usize::try_from(got).ok()?)?;
    let number = |name| value(text, name).map(number);
    let mut name = [0; 16];
    // The first line; a newline in the name is escaped.
    for (to, from) in name.iter_mut().zip(text.strip_prefix(b"Name:\t")?) {
        if *from == b'\n' {
            break;
        }
        *to = *from;
    }
    Some(Status {
        name,
        pid: number(b"\nTgid:\t")?,
        filters: number(b"\nSeccomp_filters:\t").map(|n| n as u32),
    })
}

/// The text after the first `name`.
fn value<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let at = text.windows(name.len()).position(|part| part == name)?;
    text.get(at + name.len()..)
}

fn number(text: &[u8]) -> u64 {
    let digits = text.iter().take_while(|c| c.is_ascii_digit());
    digits.fold(0, |n, digit| n * 10 + u64::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_reach_the_kernel() {
        let (a, b) = (now(), now());
        assert!(0 < a && a <= b);
        assert!(cpu() < 65_536);
        let text = std::fs::read_to_string("/proc/self/limits").unwrap();
        let mut lines = text.lines();
        let limited_by = |name: &str| {
            let line = lines.find(|l| l.starts_with(name)).unwrap();
            !line
                .strip_prefix(name)
                .unwrap()
                .trim_start()
                .starts_with("unlimited")
        };
        let by = ["Max data size", "Max address space"].map(limited_by);
        assert_eq!(limited(), by.contains(&true));
        let text = std::fs::read_to_string("/proc/self/status").unwrap();
        let said = status().unwrap();
        let line = |name: &str| {
            text.lines()
                .find_map(|l| Some(l.strip_prefix(name)?.trim()))
        };
        assert_eq!(
            said.filters,
            line("Seccomp_filters:").map(|n| n.parse().unwrap())
        );
        assert_eq!(said.pid, u64::from(std::process::id()));
        let name = said.name.split(|b| *b == 0).next().unwrap();
        assert_eq!(name, line("Name:").unwrap().as_bytes());
        // SAFETY: a literal that ends with NUL.
        let none = unsafe { open(c"/nothing here".as_ptr(), OPEN_READ) };
        assert_eq!(none, None);
        let page = map(4096, WRITABLE, PRIVATE, usize::MAX, 0).unwrap();
        // SAFETY: the page just mapped, not used elsewhere.
        unsafe {
            let mut there = [7];
            present(page as usize, 4096, &mut there);
            assert_eq!(there, [0]);
            page.write(7);
            present(page as usize, 4096, &mut there);
            assert_eq!(there, [1]);
            assert!(advise(page, 4096, DONTNEED));
            assert_eq!(page.read(), 0);
        }
    }
}
