//! The functions that ours stand in front of, and what does their work until these are found.
//!
//! They are looked up once, before the program starts, and never within a call: the loader itself may copy.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute_copy;
use core::ptr::null_mut;
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

/// `memcpy` and `memmove`.
pub(crate) type Copy = unsafe extern "C" fn(*mut u8, *const u8, usize) -> *mut u8;

/// `memset`.
pub(crate) type Fill = unsafe extern "C" fn(*mut u8, i32, usize) -> *mut u8;

/// A function of the C library.
pub(crate) struct Real {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Real {
    const fn new(name: &'static CStr) -> Real {
        Real {
            name,
            address: AtomicPtr::new(null_mut()),
        }
    }

    /// As a function of type `F`; none before it is found.
    ///
    /// # Safety
    /// `F` is a pointer to a C function with the arguments of this one.
    #[inline(always)]
    pub(crate) unsafe fn get<F: core::marker::Copy>(&self) -> Option<F> {
        let address = self.address.load(Relaxed);
        // SAFETY: the address of a function of the caller's type.
        (!address.is_null()).then(|| unsafe { transmute_copy(&address) })
    }
}

pub(crate) static MEMCPY: Real = Real::new(c"memcpy");
pub(crate) static MEMMOVE: Real = Real::new(c"memmove");
pub(crate) static MEMSET: Real = Real::new(c"memset");

/// Looks them up.
pub(crate) fn find_all() {
    /// `RTLD_NEXT` of glibc and musl.
    const NEXT: *mut c_void = -1_isize as *mut c_void;
    let address: *mut c_void;
    // SAFETY: reads an entry of this library's GOT, which the loader has filled; null where no library of the program has
    // the function: before glibc 2.34 it was in one that not every program loads.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!(
            ".weak dlsym",
            "mov {}, qword ptr [rip + dlsym@GOTPCREL]",
            out(reg) address,
            options(nostack, readonly),
        )
    };
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!(
            ".weak dlsym",
            "adrp {0}, :got:dlsym",
            "ldr {0}, [{0}, :got_lo12:dlsym]",
            out(reg) address,
            options(nostack, readonly),
        )
    };
    if address.is_null() {
        return;
    }
    // SAFETY: `dlsym` has this type in every C library.
    let dlsym: extern "C" fn(*mut c_void, *const c_char) -> *mut c_void =
        unsafe { transmute_copy(&address) };
    for real in [&MEMCPY, &MEMMOVE, &MEMSET] {
        real.address.store(dlsym(NEXT, real.name.as_ptr()), Relaxed);
    }
}

/// Copies byte after byte, from the end where the blocks overlap that way. In assembly, as the compiler makes a call to
/// memcpy of such a loop.
///
/// # Safety
/// That of `memmove`.
pub(crate) unsafe extern "C" fn copy_bytes(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    let backward = (to as usize).wrapping_sub(from as usize) < bytes;
    // SAFETY: the blocks are the caller's, and each byte is read before a copy to its place.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        if backward {
            core::arch::asm!(
                "std",
                "rep movsb",
                "cld",
                inout("rcx") bytes => _,
                inout("rdi") to.wrapping_add(bytes).wrapping_sub(1) => _,
                inout("rsi") from.wrapping_add(bytes).wrapping_sub(1) => _,
                options(nostack),
            );
        } else {
            core::arch::asm!(
                "rep movsb",
                inout("rcx") bytes => _,
                inout("rdi") to => _,
                inout("rsi") from => _,
                options(nostack, preserves_flags),
            );
        }
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        let (first, step) = match backward {
            true => (bytes.wrapping_sub(1), usize::MAX),
            false => (0, 1),
        };
        core::arch::asm!(
            "cbz {left}, 3f",
            "2:",
            "ldrb {byte:w}, [{from}, {at}]",
            "strb {byte:w}, [{to}, {at}]",
            "add {at}, {at}, {step}",
            "subs {left}, {left}, #1",
            "b.ne 2b",
            "3:",
            left = inout(reg) bytes => _,
            at = inout(reg) first => _,
            step = in(reg) step,
            from = in(reg) from,
            to = in(reg) to,
            byte = out(reg) _,
            options(nostack),
        );
    }
    to
}

/// Fills byte after byte.
///
/// # Safety
/// That of `memset`.
pub(crate) unsafe extern "C" fn fill_bytes(to: *mut u8, byte: i32, bytes: usize) -> *mut u8 {
    // SAFETY: the block is the caller's.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!(
            "rep stosb",
            inout("rcx") bytes => _,
            inout("rdi") to => _,
            in("al") byte as u8,
            options(nostack, preserves_flags),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!(
            "cbz {left}, 3f",
            "2:",
            "strb {byte:w}, [{to}], #1",
            "subs {left}, {left}, #1",
            "b.ne 2b",
            "3:",
            left = inout(reg) bytes => _,
            to = inout(reg) to => _,
            byte = in(reg) byte,
            options(nostack),
        );
    }
    to
}
