//! Writes the list of the files in `catalog/`, so that a machine is added by one file.
#![allow(clippy::unwrap_used)] // a build without the folder has nothing to go on with

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    names.sort();
    let mut list = String::from("[\n");
    for name in names {
        let path = folder.join(&name);
        writeln!(
            list,
            "({name:?}, include_str!({:?})),",
            path.display().to_string()
        )
        .unwrap();
    }
    list += "]\n";
    fs::write(
        Path::new(&env::var("OUT_DIR").unwrap()).join("files.rs"),
        list,
    )
    .unwrap();
}
