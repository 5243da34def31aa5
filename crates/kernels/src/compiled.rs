//! Which compiler built this crate: part of the result of the few points that measure compiled code.

/// Compiler and optimization level, such as `rustc 1.95.0 (...) at opt-level 3`.
pub const BY: &str = concat!(
    env!("WHYSLOW_RUSTC"),
    " at opt-level ",
    env!("WHYSLOW_OPT_LEVEL")
);
