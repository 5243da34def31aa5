//! The library that `color run` puts in front of a program, as a crate of its own.
//!
//! `build.rs` hands this file to the compiler. It is without `std` and linked to nothing: it finds
//! the C library functions it needs (`dlsym`, `getenv`, `memset`) in the one the program has
//! loaded, glibc or musl. It never uses the program's allocator, and makes system calls directly,
//! so that `errno` is preserved.
#![no_std]
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

mod choose;
mod classify;
mod fill;
mod hooks;
mod place;
mod process;
mod real;
mod reason;
mod shared;
mod stock;
mod sys;
mod tally;
#[cfg_attr(target_arch = "x86_64", path = "../../../kernels/src/color/x86_64.rs")]
#[cfg_attr(
    target_arch = "aarch64",
    path = "../../../kernels/src/color/aarch64.rs"
)]
mod timed;
mod userfault;

/// Nothing here panics intentionally; if it did, continuing would be worse than a crash with a trace.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        sys::trap();
    }
}
