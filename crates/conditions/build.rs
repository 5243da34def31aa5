//! Makes the list of knobs from the files in `src/knobs`, so that adding a knob touches one file.

use std::path::Path;
use std::{env, fs};

fn main() {
    let folder =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src/knobs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the knobs are part of the crate")
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".rs").map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut code = String::new();
    for name in &names {
        let path = folder.join(format!("{name}.rs"));
        code += &format!("#[path = {path:?}]\npub mod {name};\n");
    }
    code += "/// Every knob, one a file.\npub const KNOBS: &[&crate::Knob] = &[\n";
    for name in &names {
        code += &format!("    &{name}::KNOB,\n");
    }
    code += "];\n";
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("knobs.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}
