//! Makes the registry from the files in `src/families`, so that adding a probe touches one file.

use std::path::Path;
use std::{env, fs};

fn main() {
    let families =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src/families");
    println!("cargo::rerun-if-changed={}", families.display());
    let mut names: Vec<String> = fs::read_dir(&families)
        .expect("the families are part of the crate")
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".rs").map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut code = String::new();
    for name in &names {
        let path = families.join(format!("{name}.rs"));
        code += &format!("#[path = {path:?}]\npub mod {name};\n");
    }
    code += "/// Every family's probes.\npub(crate) const FAMILIES: &[&[crate::Probe]] = &[\n";
    for name in &names {
        code += &format!("    {name}::PROBES,\n");
    }
    code += "];\n";
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("families.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}
