//! Builds the preloaded libraries: routines, with the same shapes as this crate, and the one that counts copies.

#[path = "../preload/build/library.rs"]
mod library;

use std::path::PathBuf;

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
        "../preload/build",
        "../preload/src/library/sys.rs",
    ] {
        println!("cargo::rerun-if-changed={changed}");
    }
    let out = PathBuf::from(library::var("OUT_DIR"));
    library::build(
        "whyslow_routines",
        "src/library.rs",
        &out.join("routines.so"),
    );
    library::build("whyslow_counter", "src/counter.rs", &out.join("counter.so"));
}
