//! Builds the preloaded library with the compiler that builds the rest: it has the same shapes as this crate.
//!
//! Stable Cargo cannot embed one crate into another, so this script compiles `src/library.rs`
//! itself. It needs only a linker, like the rest: the library uses `core` and links to nothing.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    for changed in [
        "src/library",
        "src/library.rs",
        "src/shapes",
        "src/shapes.rs",
        "src/limits.rs",
        "build.rs",
        "../preload/src/library/sys.rs",
    ] {
        println!("cargo::rerun-if-changed={changed}");
    }
    let var = |name: &str| env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"));
    let out = PathBuf::from(var("OUT_DIR")).join("routines.so");
    let arch = var("CARGO_CFG_TARGET_ARCH");
    if arch != "x86_64" && arch != "aarch64" {
        // The launcher then reports that there is none.
        std::fs::write(&out, []).unwrap_or_else(|e| panic!("{}: {e}", out.display()));
        return;
    }
    let mut compiler = Command::new(var("RUSTC"));
    compiler
        .args(["--edition", "2024", "--crate-type", "cdylib"])
        .args(["--crate-name", "whyslow_routines", "src/library.rs"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "lto=fat"])
        .args(["-C", "codegen-units=1", "-C", "strip=debuginfo"])
        // A static build still needs a dynamic library.
        .args(["-C", "target-feature=-crt-static"])
        .args(["-C", "link-arg=-nostdlib"])
        .arg("--target")
        .arg(var("TARGET"))
        .arg("-o")
        .arg(&out);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut argument = std::ffi::OsString::from("linker=");
        argument.push(linker);
        compiler.arg("-C").arg(argument);
    }
    let built = compiler.status();
    assert!(
        built.as_ref().is_ok_and(|status| status.success()),
        "the library for `tune run` was not built: {built:?}"
    );
}
