//! A library to be preloaded, compiled by a build script: stable Cargo cannot embed one crate into another. It needs only a
//! linker, like the rest: such libraries use `core` and link to nothing.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// What Cargo tells build scripts.
pub(crate) fn var(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"))
}

/// Compiles `source` to the library `out`, as the crate `name`, with the compiler that builds the rest. For an
/// architecture that has none, `out` is empty, and the launcher reports that there is none.
pub(crate) fn build(name: &str, source: &str, out: &Path) {
    let arch = var("CARGO_CFG_TARGET_ARCH");
    if arch != "x86_64" && arch != "aarch64" {
        std::fs::write(out, []).unwrap_or_else(|e| panic!("{}: {e}", out.display()));
        return;
    }
    let mut compiler = Command::new(var("RUSTC"));
    compiler
        .args(["--edition", "2024", "--crate-type", "cdylib"])
        .args(["--crate-name", name, source])
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
        let mut argument = OsString::from("linker=");
        argument.push(linker);
        compiler.arg("-C").arg(argument);
    }
    let built = compiler.status();
    assert!(
        built.as_ref().is_ok_and(|status| status.success()),
        "the library {name} was not built: {built:?}"
    );
}
