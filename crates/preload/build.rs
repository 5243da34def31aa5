//! Builds the preloaded library from `src/library/root.rs`.

#[path = "build/library.rs"]
mod library;

use std::path::PathBuf;

fn main() {
    for changed in ["src/library", "build.rs", "build", "../kernels/src/color"] {
        println!("cargo::rerun-if-changed={changed}");
    }
    let out = PathBuf::from(library::var("OUT_DIR")).join("library.so");
    library::build("whyslow_color", "src/library/root.rs", &out);
}
