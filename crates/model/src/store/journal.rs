//! Writing: a journal that is readable whenever its writer dies, and closing it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::StoreError;
use super::place::{Identity, give_name, lock, names, open_file, rename_to_free, unnamed};
use super::read::{MOST_COST, cost, lines};
use crate::record::{End, Footer, Line, Record};

/// A record being written. Its file is locked against other writers as long as this lives.
///
/// Lines are kept in memory as well, so that a full disk loses nothing: [`Journal::close`] writes
/// them all again, to another place if need be.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Takes lines until the disk refuses one.
    file: Option<File>,
    /// The journal's own file, locked; nothing where no place took one.
    own: Option<Owned>,
    lines: Vec<u8>,
    /// What its lines take when they are read, as the reader counts it.
    cost: u64,
}

/// A file that this journal made, and the lock on it.
#[derive(Debug)]
struct Owned {
    identity: Identity,
    _lock: File,
}

impl Owned {
    fn of(file: &File, path: &Path) -> Result<Owned, StoreError> {
        lock(file, path)?;
        let held = file.try_clone().map_err(StoreError::io(path))?;
        let identity =
            Identity::of(file).ok_or_else(|| StoreError::bad(path, "cannot be looked at"))?;
        Ok(Owned {
            identity,
            _lock: held,
        })
    }
}

impl Journal {
    /// Starts a journal at `path`, which must not exist yet.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        match new_file(path) {
            Ok(file) => Journal::of(path, file),
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => Err(StoreError::bad(
                path,
                "exists already; name another file with -o, or continue it with --resume",
            )),
            Err(source) => Err(StoreError::io(path)(source)),
        }
    }

    /// Starts a journal at `path`, or where that is taken at a numbered name beside it.
    ///
    /// # Errors
    /// When no file can be made there.
    pub fn create_beside(path: &Path) -> Result<Self, StoreError> {
        for name in names(path) {
            match new_file(&name) {
                Ok(file) => return Journal::of(&name, file),
                Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(StoreError::io(&name)(source)),
            }
        }
        Err(StoreError::bad(
            path,
            "is taken, and so are all names beside it; name another with -o",
        ))
    }

    fn of(path: &Path, file: File) -> Result<Self, StoreError> {
        Ok(Journal {
            path: path.to_owned(),
            own: Some(Owned::of(&file, path)?),
            file: Some(file),
            lines: Vec::new(),
            cost: 0,
        })
    }

    /// A journal that is kept in memory only until it is closed.
    pub fn in_memory(path: &Path) -> Self {
        Journal {
            path: path.to_owned(),
            file: None,
            own: None,
            lines: Vec::new(),
            cost: 0,
        }
    }

    /// Goes on with the journal at `path`, cutting off a last frame that was not written whole.
    ///
    /// # Errors
    /// When the file cannot be read, is not a record, was closed already, or is being written.
    pub fn resume(path: &Path) -> Result<(Self, Record), StoreError> {
        // A link is followed once: what is replaced is the record, not the link.
        let path = &std::fs::canonicalize(path).map_err(StoreError::io(path))?;
        let mut file = open_file(path, true)?;
        let own = Owned::of(&file, path)?;
        // A record that was closed while this waited has another file by now.
        if Identity::at(path) != Some(own.identity) {
            return Err(StoreError::bad(path, "was replaced just now; try again"));
        }
        let read = lines(path, &file, true)?;
        let mut record = read.record;
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
        let mut journal = Journal {
            path: path.to_owned(),
            file: None,
            own: Some(own),
            cost: read.text.split_inclusive(|&b| b == b'\n').map(cost).sum(),
            lines: read.text,
        };
        if record.footer.take().is_some() {
            // A record closed early goes on without its footer.
            journal.replace(path)?;
            file = open_file(path, true)?;
        } else {
            file.set_len(read.whole).map_err(StoreError::io(path))?;
        }
        file.seek(SeekFrom::End(0)).map_err(StoreError::io(path))?;
        journal.file = Some(file);
        Ok((journal, record))
    }

    /// Is it nearly as large as a record may be? What ends a run still has room.
    pub fn is_full(&self) -> bool {
        self.cost > MOST_COST / 10 * 9
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
        // Serializing these types cannot fail: no maps with non-text keys, and floats that are not
        // finite become null by design of the format.
        if serde_json::to_writer(&mut self.lines, line).is_err() {
            self.lines.truncate(start);
            return Err(StoreError::bad(
                &self.path,
                "a line could not be written as JSON",
            ));
        }
        self.lines.push(b'\n');
        self.cost += cost(&self.lines[start..]);
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
    /// that fails, at the first of `elsewhere` that works; a name that is taken there gets a number. Returns
    /// where it is. A file that this journal did not make is never overwritten.
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
        let mut first = None;
        for place in std::iter::once(&path).chain(elsewhere) {
            for name in names(place) {
                match self.replace(&name) {
                    Ok(()) => return Ok(name),
                    Err(StoreError::Io { source, .. })
                        if source.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => {
                        first.get_or_insert(error);
                        break;
                    }
                }
            }
        }
        Err(first.unwrap_or_else(|| StoreError::bad(&path, "no name was free there")))
    }

    /// Writes all lines as one frame to `path`, which is this journal's own file or no file yet, by way of a new
    /// file and a rename.
    fn replace(&mut self, path: &Path) -> Result<(), StoreError> {
        let at = |source| StoreError::Io {
            path: path.to_owned(),
            source,
        };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let new = PathBuf::from(name);
        // Without a name until it is whole, where the file system can do that: a process killed meanwhile leaves nothing.
        let unnamed = unnamed(path);
        let mut named = unnamed.is_none();
        let mut file = match unnamed {
            Some(file) => file,
            None => new_file(&new).map_err(at)?,
        };
        let written = (|| {
            file.write_all(&compress_to_vec(
                self.lines.as_slice(),
                CompressionLevel::Fastest,
            ))?;
            file.sync_all()?;
            // Locked before it has the name, so that there is no moment in which another may take it.
            let owned = Owned::of(&file, path).map_err(io::Error::other)?;
            if !named {
                give_name(&file, &new)?;
                named = true;
            }
            let own = self.own.as_ref().map(|own| own.identity);
            match Identity::at(path) {
                Some(there) if Some(there) == own => std::fs::rename(&new, path)?,
                _ => rename_to_free(&new, path)?,
            }
            self.own = Some(owned);
            Ok(())
        })();
        written.map_err(|source| {
            if named {
                // Best effort: the half-written file is of no use to anyone.
                let _ = std::fs::remove_file(&new);
            }
            at(source)
        })
    }
}

/// Makes a file that was not there.
fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}
