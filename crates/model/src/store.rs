//! Record files: JSON Lines in zstd, written as a journal.
//!
//! While a run goes on every line is a zstd frame of its own, so that what is on disk is readable
//! up to the last whole frame whenever the writer dies. Closing writes the same lines as one frame
//! to a new file and renames it into place, so a closed record is never half-written.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::record::{End, Footer, Line, Record, SCHEMA};

/// Largest record that is read, uncompressed. A rigorous run of a large machine stays under a
/// tenth of it; more is a hostile or broken file.
const LARGEST: u64 = 1 << 30;

/// What can go wrong with a record file. Every text says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The file is not a record.
    #[error("{path}: {what}")]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        what: String,
    },
}

impl StoreError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
        |source| StoreError::Io {
            path: path.to_owned(),
            source,
        }
    }

    fn bad(path: &Path, what: impl Into<String>) -> StoreError {
        StoreError::Bad {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}

/// A record being written.
///
/// Lines are kept in memory as well, so that a full disk loses nothing: [`Journal::close`] writes
/// them all again, to another place if need be.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Option<File>,
    lines: Vec<u8>,
}

impl Journal {
    /// Starts a journal at `path`, which must not exist yet.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|source| match source.kind() {
                io::ErrorKind::AlreadyExists => StoreError::bad(
                    path,
                    "exists already; name another file with -o, or continue it with --resume",
                ),
                _ => StoreError::Io {
                    path: path.to_owned(),
                    source,
                },
            })?;
        Ok(Journal {
            path: path.to_owned(),
            file: Some(file),
            lines: Vec::new(),
        })
    }

    /// A journal that is kept in memory only until it is closed.
    pub fn in_memory(path: &Path) -> Self {
        Journal {
            path: path.to_owned(),
            file: None,
            lines: Vec::new(),
        }
    }

    /// Goes on with the journal at `path`, cutting off a last frame that was not written whole.
    ///
    /// # Errors
    /// When the file cannot be read, is not a record, or was closed already.
    pub fn resume(path: &Path) -> Result<(Self, Record), StoreError> {
        let compressed = std::fs::read(path).map_err(StoreError::io(path))?;
        let (lines, whole) = decompress(path, &compressed)?;
        let record = parse(path, &lines)?;
        if record
            .footer
            .as_ref()
            .is_some_and(|f| f.end == End::Complete)
        {
            return Err(StoreError::bad(
                path,
                "is complete; there is nothing to resume",
            ));
        }
        // A record closed early goes on without its footer.
        let keep = match record.footer {
            Some(_) => lines[..lines.len() - 1]
                .iter()
                .rposition(|&b| b == b'\n')
                .map_or(0, |i| i + 1),
            None => lines.len(),
        };
        let closed = record.footer.is_some();
        let mut journal = Journal {
            path: path.to_owned(),
            file: None,
            lines: lines[..keep].to_vec(),
        };
        if closed {
            journal.replace(path)?;
        }
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(StoreError::io(path))?;
        if !closed {
            file.set_len(whole as u64).map_err(StoreError::io(path))?;
        }
        let mut file = file;
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(StoreError::io(path))?;
        journal.file = Some(file);
        let mut record = record;
        record.footer = None;
        Ok((journal, record))
    }

    /// Where the journal is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line. The line is safe in memory whatever happens; an error says that the disk does
    /// not have it, after which the journal writes to the disk no more until it is closed.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn add(&mut self, line: &Line) -> Result<(), StoreError> {
        let start = self.lines.len();
        // Serialising these types cannot fail: no maps with non-text keys, and floats that are not
        // finite become null by design of the format.
        if serde_json::to_writer(&mut self.lines, line).is_err() {
            self.lines.truncate(start);
            return Err(StoreError::bad(
                &self.path,
                "a line could not be written as JSON",
            ));
        }
        self.lines.push(b'\n');
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let frame = compress_to_vec(&self.lines[start..], CompressionLevel::Fastest);
        if let Err(source) = file.write_all(&frame) {
            self.file = None;
            return Err(StoreError::Io {
                path: self.path.clone(),
                source,
            });
        }
        Ok(())
    }

    /// Writes the footer and puts the finished record into place, at the journal's path or, when
    /// that fails, at the first of `elsewhere` that works. Returns where it is.
    ///
    /// # Errors
    /// When no place took it; the first error is returned.
    pub fn close(
        mut self,
        end: End,
        finished: String,
        elsewhere: &[PathBuf],
    ) -> Result<PathBuf, StoreError> {
        let footer = Line::Footer(Footer {
            hash: blake3::hash(&self.lines).to_hex().to_string(),
            end,
            finished,
        });
        self.file = None;
        self.add(&footer)?;
        let path = self.path.clone();
        let first = match self.replace(&path) {
            Ok(()) => return Ok(path),
            Err(error) => error,
        };
        for other in elsewhere {
            if !other.exists() && self.replace(other).is_ok() {
                return Ok(other.clone());
            }
        }
        Err(first)
    }

    /// Writes all lines as one frame to `path` by way of a new file and a rename.
    fn replace(&self, path: &Path) -> Result<(), StoreError> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let new = PathBuf::from(name);
        let mut made = false;
        let written = (|| {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
            made = true;
            file.write_all(&compress_to_vec(
                self.lines.as_slice(),
                CompressionLevel::Fastest,
            ))?;
            file.sync_all()?;
            std::fs::rename(&new, path)
        })();
        written.map_err(|source| {
            // Best effort: the half-written file is of no use. One that was there before is not ours.
            if made {
                let _ = std::fs::remove_file(&new);
            }
            StoreError::Io {
                path: path.to_owned(),
                source,
            }
        })
    }
}

/// Reads a record, finished or not.
///
/// # Errors
/// When the file cannot be read, is not a record, is of a newer format, or its content does not
/// match its hash.
pub fn read(path: &Path) -> Result<Record, StoreError> {
    let compressed = std::fs::read(path).map_err(StoreError::io(path))?;
    let (lines, _) = decompress(path, &compressed)?;
    parse(path, &lines)
}

/// All whole frames of the file, and how many bytes of the file they take.
fn decompress(path: &Path, compressed: &[u8]) -> Result<(Vec<u8>, usize), StoreError> {
    let mut lines = Vec::new();
    let mut rest = compressed;
    while !rest.is_empty() {
        let before = rest;
        match frame(&mut rest, LARGEST.saturating_sub(lines.len() as u64)) {
            Some(content) => lines.extend(content),
            None => {
                // A last frame cut short is what a killed run leaves behind.
                rest = before;
                break;
            }
        }
    }
    if lines.is_empty() {
        return Err(StoreError::bad(
            path,
            "is not a whyslow record (no zstd frame of JSON lines in it)",
        ));
    }
    if lines.len() as u64 >= LARGEST {
        return Err(StoreError::bad(path, "is larger than any record (1 GiB)"));
    }
    Ok((lines, compressed.len() - rest.len()))
}

/// Decodes the next frame and moves `rest` behind it; `None` if it is not whole or not zstd.
fn frame(rest: &mut &[u8], largest: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let decoder: StreamingDecoder<_, FrameDecoder> = StreamingDecoder::new(&mut *rest).ok()?;
    decoder.take(largest).read_to_end(&mut content).ok()?;
    Some(content)
}

/// Collects lines into a record and checks the hash of a closed one.
fn parse(path: &Path, text: &[u8]) -> Result<Record, StoreError> {
    let mut record: Option<Record> = None;
    let mut read = 0;
    for (number, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
        let at = |what: String| StoreError::bad(path, format!("line {}: {what}", number + 1));
        if record.is_none() {
            check_version(line).map_err(at)?;
        }
        let parsed: Line =
            serde_json::from_slice(line).map_err(|e| at(format!("not a line of a record: {e}")))?;
        match (&mut record, parsed) {
            (None, Line::Header(header)) => record = Some(Record::new(header)),
            (None, _) => return Err(at("a record begins with a header".into())),
            (Some(record), Line::Footer(footer)) => {
                if footer.hash != blake3::hash(&text[..read]).to_hex().as_str() {
                    return Err(at(
                        "the content does not match its hash; the file was changed or damaged"
                            .into(),
                    ));
                }
                record.footer = Some(footer);
            }
            (Some(record), parsed) => record.add(parsed),
        }
        read += line.len();
    }
    record.ok_or_else(|| StoreError::bad(path, "is empty"))
}

/// Refuses a format newer than ours before its content is looked at.
fn check_version(line: &[u8]) -> Result<(), String> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema: u32,
        version: String,
    }
    match serde_json::from_slice::<Version>(line) {
        Ok(v) if v.schema > SCHEMA => Err(format!(
            "written by whyslow {} in format {}, this one reads up to {SCHEMA}; update whyslow",
            v.version, v.schema
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
