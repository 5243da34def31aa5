//! Tells the crate which compiler builds it: a few points measure what that compiler makes.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").expect("cargo sets it");
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|o| String::from_utf8(o.stdout).ok())
        .unwrap_or_else(|| "rustc of an unknown version".to_owned());
    println!("cargo::rustc-env=WHYSLOW_RUSTC={}", version.trim());
    let level = env::var("OPT_LEVEL").expect("cargo sets it");
    println!("cargo::rustc-env=WHYSLOW_OPT_LEVEL={level}");
}
