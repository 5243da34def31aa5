//! For build scripts: makes a list of declarations from the files of a folder, so that adding a probe, a
//! cause, a format or a knob touches one file.

use std::fs;
use std::path::Path;

/// A folder whose files each declare one thing.
#[derive(Debug)]
pub struct Gather<'a> {
    /// The folder, from the crate's own.
    pub folder: &'a str,
    /// What is written before each module's `mod`, such as `pub `.
    pub modules: &'a str,
    /// The list up to its `=`, documented, such as `/// Every knob.\npub const KNOBS: &[&crate::Knob]`.
    pub list: &'a str,
    /// What each file adds, with `{}` for its module.
    pub item: &'a str,
    /// The file in `OUT_DIR`, to be included.
    pub out: &'a str,
}

impl Gather<'_> {
    /// Writes the file.
    ///
    /// # Panics
    /// When not run by cargo as a build script, or the folder is not there: then there is no crate.
    #[expect(clippy::print_stdout, reason = "how a build script speaks to cargo")]
    pub fn run(&self) {
        let of = |name: &str| std::env::var(name).expect("cargo sets it for build scripts");
        let folder = Path::new(&of("CARGO_MANIFEST_DIR")).join(self.folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let entries = fs::read_dir(&folder).expect("the folder is part of the crate");
        let names = entries.filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".rs").map(str::to_owned)
        });
        let code = self.code(&folder, names.collect());
        let out = Path::new(&of("OUT_DIR")).join(self.out);
        fs::write(out, code).expect("OUT_DIR is writable");
    }

    fn code(&self, folder: &Path, mut names: Vec<String>) -> String {
        names.sort();
        let mut code = String::new();
        for name in &names {
            let path = folder.join(format!("{name}.rs"));
            code += &format!("#[path = {path:?}]\n{}mod {name};\n", self.modules);
        }
        code += &format!("{} = &[\n", self.list);
        for name in &names {
            code += &format!("    {},\n", self.item.replace("{}", name));
        }
        code += "];\n";
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_modules_and_a_list_in_order() {
        let gather = Gather {
            folder: "src/knobs",
            modules: "pub ",
            list: "/// Every knob.\npub const KNOBS: &[&crate::Knob]",
            item: "&{}::KNOB",
            out: "knobs.rs",
        };
        let names = vec!["trace".to_owned(), "nice".to_owned()];
        assert_eq!(
            gather.code(Path::new("/k"), names),
            "#[path = \"/k/nice.rs\"]\npub mod nice;\n#[path = \"/k/trace.rs\"]\npub mod trace;\n\
             /// Every knob.\npub const KNOBS: &[&crate::Knob] = &[\n    &nice::KNOB,\n    &trace::KNOB,\n];\n"
        );
    }
}
