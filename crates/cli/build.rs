//! How the program is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // A position-independent program writes some 450 pages of addresses before it begins, as its quick build has 150,000 of
    // them, and a run starts hundreds of workers: 1 to 3 ms of each, as long as a batch. Where they lie is drawn anew for
    // each all the same, but for the program's own code. The static program of the packages keeps the protection: optimized
    // as a whole, it has few of them.
    if !features.split(',').any(|feature| feature == "crt-static") {
        println!("cargo::rustc-link-arg-bin=whyslow=-no-pie");
    }
}
