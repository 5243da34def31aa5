//! The library that `color run` puts in front of a program, as a crate of its own.
//!
//! `build.rs` hands this file to the compiler. It is without `std` and linked to nothing: what it
//! needs of the C library (`dlsym`, `getenv`, `memset`) it finds in whichever one the program has
//! loaded, glibc or musl. It never allocates by the program's allocator, and calls the system
//! directly, so that `errno` stays what it was.
#![no_std]
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

mod choose;
mod classify;
mod fill;
mod hooks;
mod place;
mod real;
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

/// Nothing here panics by intent; if something did, going on would be worse than a crash with a trace.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        sys::trap();
    }
}
