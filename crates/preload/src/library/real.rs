//! The functions that the library interposes.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::mem::transmute_copy;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU32};

/// A function, by its address.
type Address = *mut core::ffi::c_void;

unsafe extern "C" {
    pub(crate) fn getenv(name: *const c_char) -> *const c_char;
    pub(crate) fn __errno_location() -> *mut i32;
}

/// The address of an optional function: null if no library of the program has it.
macro_rules! weak {
    ($name:literal) => {{
        let address: Address;
        // SAFETY: reads an entry of this library's GOT, which the loader has filled.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            core::arch::asm!(
                concat!(".weak ", $name),
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(nostack, readonly),
            )
        };
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            core::arch::asm!(
                concat!(".weak ", $name),
                concat!("adrp {0}, :got:", $name),
                concat!("ldr {0}, [{0}, :got_lo12:", $name, "]"),
                out(reg) address,
                options(nostack, readonly),
            )
        };
        address
    }};
}

/// A function interposed by ours of the same name.
pub(crate) struct Real {
    name: &'static CStr,
    address: AtomicPtr<core::ffi::c_void>,
    /// Fallback if the loader cannot be used.
    otherwise: fn() -> Address,
}

/// Threads inside `dlsym` now: it may call the hooks.
static LOOKING: AtomicU32 = AtomicU32::new(0);

impl Real {
    const fn new(name: &'static CStr, otherwise: fn() -> Address) -> Real {
        Real {
            name,
            address: AtomicPtr::new(null_mut()),
            otherwise,
        }
    }

    /// As a function of type `F`, as guaranteed by the caller; `None` if there is none, or during its
    /// lookup (glibc before 2.34 tolerates that).
    ///
    /// # Safety
    /// `F` is a pointer to a C function with the arguments of this one.
    pub(crate) unsafe fn get<F: Copy>(&self) -> Option<F> {
        let mut address = self.address.load(Relaxed);
        if address.is_null() {
            address = self.find();
        }
        // SAFETY: the address of a function of the caller's type.
        (!address.is_null()).then(|| unsafe { transmute_copy(&address) })
    }

    #[cold]
    fn find(&self) -> Address {
        if LOOKING.swap(1, Relaxed) == 1 {
            return null_mut();
        }
        /// `RTLD_NEXT` of glibc and musl.
        const NEXT: Address = -1_isize as Address;
        let dlsym = weak!("dlsym");
        let mut found = null_mut();
        if !dlsym.is_null() {
            // SAFETY: `dlsym` has this type in every C library.
            let dlsym: extern "C" fn(Address, *const c_char) -> Address =
                unsafe { transmute_copy(&dlsym) };
            found = dlsym(NEXT, self.name.as_ptr());
        }
        if found.is_null() {
            found = (self.otherwise)();
        }
        self.address.store(found, Relaxed);
        LOOKING.store(0, Relaxed);
        found
    }
}

/// Before glibc 2.34 `dlsym` was in a separate library, which not every program loads; these were in
/// the C library.
pub(crate) static MALLOC: Real = Real::new(c"malloc", || weak!("__libc_malloc"));
pub(crate) static CALLOC: Real = Real::new(c"calloc", || weak!("__libc_calloc"));
pub(crate) static REALLOC: Real = Real::new(c"realloc", || weak!("__libc_realloc"));
pub(crate) static MEMALIGN: Real = Real::new(c"memalign", || weak!("__libc_memalign"));
pub(crate) static ALIGNED: Real = Real::new(c"aligned_alloc", || weak!("__libc_memalign"));
pub(crate) static POSIX: Real = Real::new(c"posix_memalign", null_mut);
pub(crate) static USABLE: Real = Real::new(c"malloc_usable_size", null_mut);

/// Looks up all of them, before there are threads.
pub(crate) fn find_all() {
    for real in [
        &MALLOC, &CALLOC, &REALLOC, &MEMALIGN, &ALIGNED, &POSIX, &USABLE,
    ] {
        if real.address.load(Relaxed).is_null() {
            real.find();
        }
    }
}
