//! The folder of records, which is the truth: FOLDER/NODE/TIME.whyslow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// How a record's file is called.
const RECORD: &str = "whyslow";

/// Folders within folders that are looked into.
const DEEPEST: usize = 4;

/// Which version of a file this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: i64,
    /// Time of the last change, ns since 1970.
    pub modified_ns: i64,
}

/// A file that may be a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// Below the folder, with `/`.
    pub path: String,
    /// The folder directly below it; none of a record that lies directly in it.
    pub node: Option<String>,
    /// Which version of it this is.
    pub stamp: Stamp,
}

/// Why a folder cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}; name a folder of records, FOLDER/NODE/TIME.whyslow")]
pub struct FolderError {
    /// The folder.
    path: PathBuf,
    /// The error.
    source: io::Error,
}

/// The files of `folder`, by path. What changes or goes away meanwhile is left out.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn files(folder: &Path) -> Result<Vec<RecordFile>, FolderError> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|source| FolderError {
        path: folder.to_owned(),
        source,
    })?;
    for entry in entries.flatten() {
        add(&entry.path(), "", None, 0, &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn add(path: &Path, above: &str, node: Option<&str>, depth: usize, found: &mut Vec<RecordFile>) {
    // A name that is no text could not be kept in an index.
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let Ok(known) = fs::metadata(path) else {
        return;
    };
    if name.starts_with('.') {
        return;
    }
    let below = format!("{above}{name}");
    if known.is_dir() {
        let link = fs::symlink_metadata(path).is_ok_and(|known| known.is_symlink());
        if depth >= DEEPEST || link {
            return;
        }
        let above = below + "/";
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            add(&entry.path(), &above, node.or(Some(name)), depth + 1, found);
        }
    } else if known.is_file() && path.extension().is_some_and(|kind| kind == RECORD) {
        let modified = known.modified().ok();
        let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        found.push(RecordFile {
            path: below,
            node: node.map(str::to_owned),
            stamp: Stamp {
                size: known.len() as i64,
                modified_ns: since.map_or(0, |since| since.as_nanos() as i64),
            },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_node_is_the_folder_below_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "n1/a.whyslow",
            "n1/old/b.whyslow",
            "n2/c.txt",
            "d.whyslow",
            ".x/e.whyslow",
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"x").unwrap();
        }
        let found = files(folder.path()).unwrap();
        let told: Vec<(&str, Option<&str>)> = found
            .iter()
            .map(|f| (f.path.as_str(), f.node.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("d.whyslow", None),
                ("n1/a.whyslow", Some("n1")),
                ("n1/old/b.whyslow", Some("n1")),
            ]
        );
        assert!(
            found
                .iter()
                .all(|f| f.stamp.size == 1 && f.stamp.modified_ns > 0)
        );
    }

    #[test]
    fn a_folder_that_is_none_says_what_to_do() {
        let error = files(Path::new("no/such/folder")).unwrap_err().to_string();
        assert!(error.contains("name a folder of records"), "{error}");
    }
}
