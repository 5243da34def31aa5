//! One file, read whatever it is.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Most bytes read of any file. `/proc/cpuinfo` of 1,000 CPUs is about 2 MB;
/// a file without end must still not fill the memory.
const MOST_BYTES: u64 = 4 << 20;

/// The start of the file at `place`, at most 4 MiB, however it looks. An error names it as `path`.
pub(crate) fn bytes(place: &Path, path: &str) -> Result<Vec<u8>, String> {
    let why = |error: &std::io::Error| reason(error, path);
    // NONBLOCK, so that a pipe in a damaged tree cannot stop the run.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(place)
        .map_err(|error| why(&error))?;
    if !file.metadata().map_err(|error| why(&error))?.is_file() {
        return Err(format!("not a plain file: {path}"));
    }
    let mut bytes = vec![];
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| why(&error))?;
    Ok(bytes)
}

/// Why a file could not be read, in words.
pub(crate) fn reason(error: &std::io::Error, path: &str) -> String {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => format!("no such file: {path}"),
        ErrorKind::PermissionDenied => format!("permission denied: {path}"),
        _ => format!("{path}: {error}"),
    }
}
