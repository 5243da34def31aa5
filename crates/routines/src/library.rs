//! The library that `tune run` puts in front of a program, as a crate of its own.
//!
//! `build.rs` hands this file to the compiler. It is without `std` and linked to nothing. The interposed functions work
//! from the first call on, before any constructor: they are the shapes themselves, by the addresses that the launcher
//! gives their symbols, and read nothing but a table in the data of this file. The constructor only counts the program.
#![no_std]
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

#[path = "library/checked.rs"]
mod checked;
#[path = "library/entries.rs"]
mod entries;
#[allow(dead_code, reason = "the launcher uses the rest")]
mod limits;
#[path = "library/marker.rs"]
mod marker;
#[allow(
    dead_code,
    unused_imports,
    reason = "the launcher's choice uses the rest"
)]
mod shapes;
#[allow(dead_code, reason = "the other library uses the rest")]
#[path = "../../preload/src/library/sys.rs"]
mod sys;

/// Nothing here panics intentionally; if it did, continuing would be worse than a crash with a trace.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        sys::trap();
    }
}
