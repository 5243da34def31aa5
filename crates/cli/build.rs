//! How the program is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let features = of("CARGO_CFG_TARGET_FEATURE");
    // A position-independent program writes some 450 pages of addresses before it begins, as its quick build has 150,000 of
    // them, and a run starts hundreds of workers: 1 to 3 ms of each, as long as a batch. Where they lie is drawn anew for
    // each all the same, but for the program's own code. The static program of the packages keeps the protection: optimized
    // as a whole, it has few of them. Programs of musl are static, and their start-up code is that of position-independent ones.
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if of("CARGO_CFG_TARGET_ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bin=whyslow=-no-pie");
    }
}
