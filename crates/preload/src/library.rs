//! The library's modules, compiled a second time as part of this crate: for their tests, for the
//! lints, and because the launcher shares [`shared`] with them. The exported hooks and the lookup of
//! the interposed functions (`hooks`, `real`) are only in the library: here they would interpose the
//! launcher's own.
#![allow(unsafe_code)]

pub(crate) mod choose;
pub(crate) mod classify;
pub(crate) mod fill;
pub(crate) mod place;
pub(crate) mod process;
pub(crate) mod reason;
pub(crate) mod shared;
pub(crate) mod stock;
pub(crate) mod sys;
pub(crate) mod tally;
#[cfg_attr(target_arch = "x86_64", path = "../../kernels/src/color/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "../../kernels/src/color/aarch64.rs")]
#[cfg_attr(
    not(any(target_arch = "aarch64", target_arch = "x86_64")),
    path = "../../kernels/src/color/portable.rs"
)]
mod timed;
pub(crate) mod userfault;
