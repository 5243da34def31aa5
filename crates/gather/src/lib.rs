//! The lists of declarations: probe families, causes, formats, knobs and settings, one file each.
//!
//! A list is an ordinary module next to its directory, checked in, so that the compiler, the formatter
//! and editors see every file. `cargo test -p whyslow-gather` rewrites it after a file was added or
//! removed.

use std::path::Path;
use std::{fs, io};

/// A directory in which each file declares one thing, and the module that lists them.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// The directory, from the root of the repository; the list is the file of that name next to
    /// it.
    pub folder: &'static str,
    /// Description of the list, its module's first line.
    pub what: &'static str,
    /// Prefix of each `mod`, such as `pub `.
    pub modules: &'static str,
    /// The list up to its `=`, with its documentation.
    pub list: &'static str,
    /// The entry of each file, with `{}` for its module.
    pub item: &'static str,
}

/// Every list of the repository.
pub const LISTS: [List; 5] = [
    List {
        folder: "crates/conditions/src/knobs",
        what: "The knobs, one file each.",
        modules: "pub ",
        list: "/// Every knob.\npub const KNOBS: &[&crate::Knob]",
        item: "&{}::KNOB",
    },
    List {
        folder: "crates/explain/src/causes",
        what: "The causes, one file each.",
        modules: "pub ",
        list: "/// Every cause.\npub const CAUSES: &[&crate::Cause]",
        item: "&{}::CAUSE",
    },
    List {
        folder: "crates/import/src/formats",
        what: "The formats that can be read, one file each.",
        modules: "",
        list: "/// Every format, by name.\npub(crate) static READERS: &[crate::Reader]",
        item: "{}::READER",
    },
    List {
        folder: "crates/probes/src/families",
        what: "The probe families, one file each.",
        modules: "pub ",
        list: "/// Every family's probes.\npub(crate) const FAMILIES: &[&[crate::Probe]]",
        item: "{}::PROBES",
    },
    List {
        folder: "crates/tune/src/settings",
        what: "The settings that are tried on a command, one file each.",
        modules: "pub ",
        list: "/// Every setting.\npub const SETTINGS: &[&crate::Setting]",
        item: "&{}::SETTING",
    },
];

impl List {
    /// The file that holds the list, from the root of the repository.
    pub fn file(&self) -> String {
        format!("{}.rs", self.folder)
    }

    /// The list according to the files below `root`.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn text(&self, root: &Path) -> io::Result<String> {
        let mut names = Vec::new();
        for entry in fs::read_dir(root.join(self.folder))? {
            let name = entry?.file_name();
            if let Some(name) = name.to_str().and_then(|n| n.strip_suffix(".rs")) {
                names.push(name.to_owned());
            }
        }
        Ok(self.of(names))
    }

    fn of(&self, mut names: Vec<String>) -> String {
        names.sort();
        let mut text = format!(
            "//! {} Written by `cargo test -p whyslow-gather`; not edited by hand.\n\n",
            self.what
        );
        for name in &names {
            text += &format!("{}mod {name};\n", self.modules);
        }
        text += &format!("\n{} = &[\n", self.list);
        for name in &names {
            text += &format!("    {},\n", self.item.replace("{}", name));
        }
        text += "];\n";
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_modules_and_a_list_in_order() {
        let names = vec!["trace".to_owned(), "nice".to_owned()];
        assert_eq!(
            LISTS[0].of(names),
            "//! The knobs, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.\n\n\
             pub mod nice;\npub mod trace;\n\n\
             /// Every knob.\npub const KNOBS: &[&crate::Knob] = &[\n    &nice::KNOB,\n    &trace::KNOB,\n];\n"
        );
    }
}
