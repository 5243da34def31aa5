//! Builds the preloaded libraries with the compiler that builds the rest: routines, with the same shapes as this crate,
//! and the one that counts copies.
//!
//! Stable Cargo cannot embed one crate into another, so this script compiles their files
//! itself. It needs only a linker, like the rest: the libraries use `core` and link to nothing.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn var(name: &str) -> std::ffi::OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"))
}

fn main() {
    for changed in [
        "src/library",
        "src/library.rs",
        "src/counter",
        "src/counter.rs",
        "src/classes.rs",
        "src/maps.rs",
        "src/shapes",
        "src/shapes.rs",
        "src/limits.rs",
        "build.rs",
        "../preload/src/library/sys.rs",
    ] {
        println!("cargo::rerun-if-changed={changed}");
    }
    let out = PathBuf::from(var("OUT_DIR"));
    let arch = var("CARGO_CFG_TARGET_ARCH");
    for (name, source) in [
        ("routines", "src/library.rs"),
        ("counter", "src/counter.rs"),
    ] {
        let file = out.join(name).with_extension("so");
        match arch == "x86_64" || arch == "aarch64" {
            true => build(name, source, &file),
            // The launcher then reports that there is none.
            false => {
                std::fs::write(&file, []).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
            }
        }
    }
}

fn build(name: &str, source: &str, out: &Path) {
    let mut compiler = Command::new(var("RUSTC"));
    compiler
        .args(["--edition", "2024", "--crate-type", "cdylib"])
        .arg("--crate-name")
        .args([&format!("whyslow_{name}"), source])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "lto=fat"])
        .args(["-C", "codegen-units=1", "-C", "strip=debuginfo"])
        // A static build still needs a dynamic library.
        .args(["-C", "target-feature=-crt-static"])
        .args(["-C", "link-arg=-nostdlib"])
        .arg("--target")
        .arg(var("TARGET"))
        .arg("-o")
        .arg(out);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut argument = std::ffi::OsString::from("linker=");
        argument.push(linker);
        compiler.arg("-C").arg(argument);
    }
    let built = compiler.status();
    assert!(
        built.as_ref().is_ok_and(|status| status.success()),
        "the library whyslow_{name} was not built: {built:?}"
    );
}
