//! The sources of this repository, and how offences against a rule are told.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the root, with `/`, and its text.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// The crate that it belongs to.
    pub(crate) fn room(&self) -> &str {
        self.path.split('/').nth(1).unwrap()
    }

    /// Is it part of the product, rather than a test, an example, or of build scripts?
    pub(crate) fn is_product(&self) -> bool {
        let inside = self.path.split('/').nth(2) == Some("src");
        let of_builds = self.room() == "gather";
        inside && !of_builds && !self.path.ends_with("/tests.rs") && !self.path.contains("/tests/")
    }

    /// The lines of its product code: without comments, and up to its tests.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .take_while(|(_, line)| !line.starts_with("mod tests {"))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
            .map(|(at, line)| (at + 1, line))
    }
}

pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// All files below `folder` that `wanted` takes, sorted; build results and git's own left out.
fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") && !path.ends_with(".git") {
            files(&path, wanted, found);
        } else if path.is_file() && wanted(&path) {
            found.push(path);
        }
    }
}

pub(crate) fn read(wanted: impl Fn(&Path) -> bool) -> Vec<Source> {
    let top = top();
    let mut found = Vec::new();
    files(&top, &wanted, &mut found);
    let sources = found.into_iter().map(|path| Source {
        path: path
            .strip_prefix(&top)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned(),
        text: fs::read_to_string(&path).unwrap(),
    });
    sources.collect()
}

pub(crate) fn rust() -> Vec<Source> {
    let sources = read(|path| path.extension().is_some_and(|e| e == "rs"));
    assert!(sources.len() > 50, "the sources were not found");
    sources
}

/// Holds that there are no `offences` against `rule`.
pub(crate) fn none(rule: &str, offences: Vec<String>) {
    assert!(offences.is_empty(), "{rule}:\n  {}", offences.join("\n  "));
}

/// The lines of product code in `sources` in which `bad` finds something.
pub(crate) fn lines(sources: &[Source], bad: impl Fn(&Source, &str) -> bool) -> Vec<String> {
    let offences = sources
        .iter()
        .filter(|s| s.is_product())
        .flat_map(|source| {
            let bad = &bad;
            source
                .code()
                .filter(move |(_, line)| bad(source, line))
                .map(move |(at, line)| format!("{}:{at}: {}", source.path, line.trim()))
        });
    offences.collect()
}

/// Is `word` in `line`, with no letters of a longer word beside it?
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
