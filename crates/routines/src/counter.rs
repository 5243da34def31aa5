//! The library that counts a program's copies, as a crate of its own.
//!
//! `build.rs` hands this file to the compiler. It is without `std` and linked to nothing. It counts in memory that the
//! launcher's file backs, so that counts are there whichever way a process ends: nothing has to run at its end.
//!
//! Nothing in it may call memcpy, memmove or memset, which are its own: no array is filled or moved by value.
#![no_std]
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

#[path = "library/checked.rs"]
mod checked;
#[allow(dead_code, reason = "the launcher uses the rest")]
mod classes;
#[path = "counter/count.rs"]
mod count;
#[path = "counter/entries.rs"]
mod entries;
#[path = "counter/forward.rs"]
mod forward;
#[allow(dead_code, reason = "the launcher uses the rest")]
mod maps;
#[path = "counter/objects.rs"]
mod objects;
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
