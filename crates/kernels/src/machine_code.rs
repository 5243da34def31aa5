//! The compiler is not measured: the loops as built are decoded and held against their declaration.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;
