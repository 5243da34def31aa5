//! Files that a command writes for people: whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// First bytes of a record's file, and of nothing that this writes: a zstd frame's (RFC 8878).
const RECORD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// What a new file may be at most, before the user's mask: as `fs::write` makes it.
const MODE: u32 = 0o666;

/// Writes `content` to `path` by way of a new file beside it, so that what was there stays until all
/// of it is on the disk. What is no plain file, such as a pipe, is written to as it is.
///
/// # Errors
/// When the place cannot be written to, or has a record, which no page is worth.
pub(crate) fn save(path: &Path, content: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let special = |known: &fs::Metadata| !known.is_file() && !known.is_dir();
    if fs::metadata(path).is_ok_and(|known| special(&known)) {
        return fs::write(path, content).with_context(cannot);
    }
    if is_record(path) {
        bail!(
            "{} is a record, which would be lost; name another file",
            path.display()
        );
    }
    // A link goes on leading where it led.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace(&place, content).with_context(cannot)
}

fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    if path.is_dir() {
        bail!("it is a folder");
    }
    let mut file = tempfile::Builder::new()
        .prefix(".whyslow-")
        .permissions(Permissions::from_mode(MODE))
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn is_record(path: &Path) -> bool {
    let mut first = [0u8; RECORD.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == RECORD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_a_record_never() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.html");
        save(&page, b"one").unwrap();
        save(&page, b"two").unwrap();
        assert_eq!(fs::read(&page).unwrap(), b"two");

        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink(&page, &link).unwrap();
        save(&link, b"three").unwrap();
        assert_eq!(fs::read(&page).unwrap(), b"three");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        let record = folder.path().join("a.whyslow");
        fs::write(&record, [&RECORD[..], b"lines"].concat()).unwrap();
        let error = save(&record, b"page").unwrap_err().to_string();
        assert!(error.contains("is a record"), "{error}");
        assert!(fs::read(&record).unwrap().ends_with(b"lines"));

        assert!(save(folder.path(), b"page").is_err());
        assert!(save(&folder.path().join("no/such/page.html"), b"page").is_err());
        // Nothing is left beside them.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        save(Path::new("/dev/null"), b"page").unwrap();
    }
}
