//! Makes the list of formats from the files in `src/formats`, so that adding one touches one file.

use std::path::Path;
use std::{env, fs};

fn main() {
    let formats =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src/formats");
    println!("cargo::rerun-if-changed={}", formats.display());
    let mut names: Vec<String> = fs::read_dir(&formats)
        .expect("the formats are part of the crate")
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".rs").map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut code = String::new();
    for name in &names {
        let path = formats.join(format!("{name}.rs"));
        code += &format!("#[path = {path:?}]\nmod {name};\n");
    }
    code += "/// Every format, by name.\npub(crate) static READERS: &[crate::Reader] = &[\n";
    for name in &names {
        code += &format!("    {name}::READER,\n");
    }
    code += "];\n";
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("formats.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}
