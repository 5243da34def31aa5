//! The functions that the library interposes: allocation, to color large new blocks; and the two
//! calls that set system-call filters, to stop before one.
//!
//! Freeing is not interposed: a colored page is an ordinary page. Neither are `mremap`, `madvise` and
//! the like, for the same reason.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_long};
use core::ptr::null_mut;

use super::tally::Call;
use super::{place, real, shared, sys};

/// Runs when the library is loaded, before the program starts.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    real::find_all();
    // SAFETY: a NUL-terminated name; nothing modifies the environment yet.
    let path = unsafe { real::getenv(shared::VARIABLE.as_ptr()) };
    if !path.is_null() {
        // SAFETY: a value of the environment ends with NUL.
        unsafe { place::start(path) };
    }
}

/// Returns the block, colored if it is large.
///
/// # Safety
/// `bytes` at `block` were just allocated for the caller, or `block` is null.
#[inline(always)]
unsafe fn given(block: *mut u8, bytes: usize, call: Call) -> *mut u8 {
    if bytes >= place::least() && !block.is_null() {
        // SAFETY: nothing else uses the block.
        unsafe { place::place(block, bytes, call) };
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(bytes: usize) -> *mut u8 {
    // SAFETY: the type of `malloc`.
    let real = unsafe { real::MALLOC.get::<unsafe extern "C" fn(usize) -> *mut u8>() };
    // SAFETY: passed on; newly allocated.
    real.map_or(null_mut(), |real| unsafe {
        given(real(bytes), bytes, Call::Malloc)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, each: usize) -> *mut u8 {
    // SAFETY: the type of `calloc`.
    let real = unsafe { real::CALLOC.get::<unsafe extern "C" fn(usize, usize) -> *mut u8>() };
    // A product that overflows yields no block. SAFETY: passed on; newly allocated.
    real.map_or(null_mut(), |real| unsafe {
        given(real(count, each), count.wrapping_mul(each), Call::Calloc)
    })
}

/// A growing block is colored where it is new. (Existing pages keep their frames.)
#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut u8, bytes: usize) -> *mut u8 {
    type Realloc = unsafe extern "C" fn(*mut u8, usize) -> *mut u8;
    // SAFETY: the types of both.
    let (real, usable) = unsafe {
        (
            real::REALLOC.get::<Realloc>(),
            real::USABLE.get::<unsafe extern "C" fn(*mut u8) -> usize>(),
        )
    };
    let Some(real) = real else {
        return null_mut();
    };
    let large = bytes >= place::least();
    let before = match (large, block.is_null(), usable) {
        (true, true, _) => Some(0),
        // SAFETY: a block of the program, valid until passed to `realloc`.
        (true, false, Some(usable)) => Some(unsafe { usable(block) }),
        _ => None,
    };
    // SAFETY: passed on.
    let block = unsafe { real(block, bytes) };
    if let Some(before) = before
        && !block.is_null()
        && bytes.saturating_sub(before) >= place::least()
    {
        // SAFETY: the part beyond the old size is newly allocated.
        unsafe { place::place(block.wrapping_add(before), bytes - before, Call::Realloc) };
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memalign(align: usize, bytes: usize) -> *mut u8 {
    // SAFETY: the type of `memalign`.
    let real = unsafe { real::MEMALIGN.get::<unsafe extern "C" fn(usize, usize) -> *mut u8>() };
    // SAFETY: passed on; newly allocated.
    real.map_or(null_mut(), |real| unsafe {
        given(real(align, bytes), bytes, Call::Aligned)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(align: usize, bytes: usize) -> *mut u8 {
    // SAFETY: the type of `aligned_alloc`.
    let real = unsafe { real::ALIGNED.get::<unsafe extern "C" fn(usize, usize) -> *mut u8>() };
    // SAFETY: passed on; newly allocated.
    real.map_or(null_mut(), |real| unsafe {
        given(real(align, bytes), bytes, Call::Aligned)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(to: *mut *mut u8, align: usize, bytes: usize) -> c_int {
    type Posix = unsafe extern "C" fn(*mut *mut u8, usize, usize) -> c_int;
    /// `ENOMEM`.
    const NO_MEMORY: c_int = 12;
    // SAFETY: the type of `posix_memalign`.
    let Some(real) = (unsafe { real::POSIX.get::<Posix>() }) else {
        return NO_MEMORY;
    };
    // SAFETY: passed on.
    let result = unsafe { real(to, align, bytes) };
    if result == 0 {
        // SAFETY: on success a new block was written there.
        unsafe { given(*to, bytes, Call::Aligned) };
    }
    result
}

/// `MAP_FIXED`, `MAP_GROWSDOWN`, `MAP_LOCKED`, `MAP_NORESERVE`, `MAP_POPULATE`, `MAP_STACK`,
/// `MAP_HUGETLB`: memory that may already be in use, must not be populated in advance, or is already
/// populated.
const LEFT_ALONE: usize = 0x10 | 0x100 | 0x2000 | 0x4000 | 0x8000 | 0x2_0000 | 0x4_0000;

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    at: *mut u8,
    bytes: usize,
    prot: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut u8 {
    let (prot, kind) = (prot as usize, flags as usize);
    let words = [at as usize, bytes, prot, kind, fd as usize, offset as usize];
    // SAFETY: passed on.
    let result = unsafe { sys::call(sys::MMAP, words) };
    if (-4095..0).contains(&result) {
        // SAFETY: this thread's `errno`.
        unsafe { *real::__errno_location() = -result as i32 };
        return usize::MAX as *mut u8;
    }
    let plain =
        prot == sys::WRITABLE && kind & sys::PRIVATE == sys::PRIVATE && kind & LEFT_ALONE == 0;
    let block = result as *mut u8;
    if plain {
        // SAFETY: newly mapped, at an address chosen by the kernel.
        unsafe { given(block, bytes, Call::Mmap) };
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    at: *mut u8,
    bytes: usize,
    prot: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut u8 {
    // SAFETY: the same call, as offsets have 64 bits anyway.
    unsafe { mmap(at, bytes, prot, flags, fd, offset) }
}

/// `PR_SET_SECCOMP`.
const SET_SECCOMP: c_int = 22;

#[unsafe(no_mangle)]
unsafe extern "C" fn prctl(what: c_int, a: usize, b: usize, c: usize, d: usize) -> c_int {
    if what == SET_SECCOMP {
        place::seal();
    }
    // SAFETY: passed on; the kernel ignores unused arguments.
    let result = unsafe { sys::call(sys::PRCTL, [what as usize, a, b, c, d, 0]) };
    if result < 0 {
        // SAFETY: this thread's `errno`.
        unsafe { *real::__errno_location() = -result as i32 };
        return -1;
    }
    result as c_int
}

/// Called for `seccomp` and `prctl` by number.
extern "C" fn seal() {
    place::seal();
}

/// Sets the error of a call made by number.
extern "C" fn failed(error: c_long) -> c_long {
    // SAFETY: this thread's `errno`.
    unsafe { *real::__errno_location() = -error as i32 };
    -1
}

/// `syscall` as in C libraries: without a stack frame, so that calls which change the stack still
/// work.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn syscall() -> c_long {
    core::arch::naked_asm!(
        "cmp rdi, 317", // seccomp
        "je 3f",
        "cmp rdi, 157", // prctl
        "jne 2f",
        "cmp rsi, 22", // PR_SET_SECCOMP
        "je 3f",
        "2:",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, qword ptr [rsp + 8]",
        "syscall",
        "cmp rax, -4095",
        "jae 4f",
        "ret",
        "3:",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "sub rsp, 16",
        "mov qword ptr [rsp], r9",
        "call {seal}",
        "mov r9, qword ptr [rsp]",
        "add rsp, 16",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "jmp 2b",
        "4:",
        "mov rdi, rax",
        "jmp {failed}",
        seal = sym seal,
        failed = sym failed,
    )
}

/// As above.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn syscall() -> c_long {
    core::arch::naked_asm!(
        "cmp x0, #277", // seccomp
        "b.eq 3f",
        "cmp x0, #167", // prctl
        "b.ne 2f",
        "cmp x1, #22", // PR_SET_SECCOMP
        "b.eq 3f",
        "2:",
        "mov x8, x0",
        "mov x0, x1",
        "mov x1, x2",
        "mov x2, x3",
        "mov x3, x4",
        "mov x4, x5",
        "mov x5, x6",
        "svc #0",
        "cmn x0, #4095",
        "b.cs 4f",
        "ret",
        "3:",
        "stp x29, x30, [sp, #-80]!",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "str x6, [sp, #64]",
        "bl {seal}",
        "ldp x0, x1, [sp, #16]",
        "ldp x2, x3, [sp, #32]",
        "ldp x4, x5, [sp, #48]",
        "ldr x6, [sp, #64]",
        "ldp x29, x30, [sp], #80",
        "b 2b",
        "4:",
        "b {failed}",
        seal = sym seal,
        failed = sym failed,
    )
}
