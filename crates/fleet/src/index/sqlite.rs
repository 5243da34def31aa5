//! An index in a file of SQLite.

mod tables;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};

use super::{Age, Catalog, Index, IndexError, RecordEntry, Take, text};
use crate::folder::Stamp;
use crate::measurement::Indexed;
use tables::{APPLICATION, Found, forget, hardware, is_same, point, prepare};

/// The index.
#[derive(Debug)]
pub struct SqliteIndex {
    connection: Connection,
    place: String,
    points: HashMap<(String, String), i64>,
}

impl SqliteIndex {
    /// Opens the index at `path`, or makes it; one of an older version is emptied.
    ///
    /// # Errors
    /// When the file cannot be written, is none of ours, or is of a newer version.
    pub fn open(path: &Path) -> Result<SqliteIndex, IndexError> {
        let place = path.display().to_string();
        let failed = |source| IndexError::Sqlite {
            place: place.clone(),
            source,
        };
        let mut connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(failed)?;
        match prepare(&mut connection).map_err(failed)? {
            Found::Ours(Age::Newer) => Err(IndexError::Newer { place }),
            Found::Foreign => Err(IndexError::Foreign { place }),
            Found::Ours(_) => Ok(SqliteIndex {
                connection,
                place,
                points: HashMap::new(),
            }),
        }
    }

    /// Is the file at `path` marked as an index of this tool, whatever else is in it?
    pub fn is_ours(path: &Path) -> bool {
        // The format of SQLite has its name at the start, and the mark of the application at byte 68.
        let mut head = [0u8; 72];
        let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
        let ours = head[68..] == APPLICATION.to_be_bytes();
        read.is_ok() && head.starts_with(b"SQLite format 3\0") && ours
    }

    /// Opens the index at `path` anew, without what was in it: for one that [is ours](Self::is_ours) and damaged.
    ///
    /// # Errors
    /// When it cannot be removed or made.
    pub fn anew(path: &Path) -> Result<SqliteIndex, IndexError> {
        for end in ["", "-journal", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            match fs::remove_file(PathBuf::from(name)) {
                Err(why) if why.kind() != ErrorKind::NotFound => break,
                _ => {}
            }
        }
        // Where it could not be removed, this says what is wrong.
        SqliteIndex::open(path)
    }

    fn outcome(&self, done: rusqlite::Result<bool>) -> Result<(), IndexError> {
        match done {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.remade()),
            Err(source) => Err(self.failed(source)),
        }
    }

    fn remade(&self) -> IndexError {
        IndexError::Remade {
            place: self.place.clone(),
        }
    }

    /// Ends a transaction of reading.
    fn end_reading(&mut self) -> rusqlite::Result<()> {
        match self.connection.is_autocommit() {
            true => Ok(()),
            false => self.connection.execute_batch("COMMIT"),
        }
    }

    fn failed(&self, source: rusqlite::Error) -> IndexError {
        IndexError::Sqlite {
            place: self.place.clone(),
            source,
        }
    }

    /// False if the index is of another version by now.
    fn put_all(&mut self, files: &[Indexed]) -> rusqlite::Result<bool> {
        self.end_reading()?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        if !is_same(&transaction) {
            return Ok(false);
        }
        for file in files {
            forget(&transaction, &file.path)?;
            let (node, started, [hardware, settings], problem) = match &file.content {
                Ok(of) => {
                    let facts = [
                        hardware(&transaction, &text::of(&of.hardware))?,
                        hardware(&transaction, &text::of(&of.settings))?,
                    ];
                    (of.node.as_str(), of.started.as_str(), facts, "")
                }
                Err(why) => ("", "", [-1, -1], why.as_str()),
            };
            transaction
                .prepare_cached(
                    "INSERT INTO record (path, node, started, hardware, settings, size, modified_ns, problem) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    file.path,
                    node,
                    started,
                    hardware,
                    settings,
                    file.stamp.size,
                    file.stamp.modified_ns,
                    problem
                ])?;
            let record = transaction.last_insert_rowid();
            let mut add = transaction.prepare_cached(
                "INSERT OR REPLACE INTO value (record, point, log, variance, processes) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for value in file.content.iter().flat_map(|m| &m.values) {
                let key = (value.point.clone(), value.family.to_owned());
                let point = match self.points.get(&key) {
                    Some(id) => *id,
                    None => {
                        let id = point(&transaction, &key)?;
                        self.points.insert(key, id);
                        id
                    }
                };
                add.execute(params![
                    record,
                    point,
                    value.log,
                    value.variance,
                    value.processes
                ])?;
            }
        }
        transaction.commit()?;
        Ok(true)
    }

    fn remove_all(&mut self, paths: &[String]) -> rusqlite::Result<bool> {
        self.end_reading()?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        if !is_same(&transaction) {
            return Ok(false);
        }
        for path in paths {
            forget(&transaction, path)?;
        }
        transaction.commit()?;
        Ok(true)
    }

    fn catalog_of(&mut self) -> rusqlite::Result<Catalog> {
        self.end_reading()?;
        // Numbers of records are looked up again for their values: nothing may change between.
        self.connection.execute_batch("BEGIN")?;
        let mut points = self
            .connection
            .prepare("SELECT id, name, family FROM point")?;
        let points = points.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        let mut hardware = self.connection.prepare("SELECT id, facts FROM hardware")?;
        let hardware = hardware.query_map([], |row| {
            let facts: String = row.get(1)?;
            Ok((row.get(0)?, text::back(&facts)))
        })?;
        let mut records = self
            .connection
            .prepare("SELECT id, path, node, started, hardware, settings, problem FROM record")?;
        let records = records.query_map([], |row| {
            Ok(RecordEntry {
                id: row.get(0)?,
                path: row.get(1)?,
                node: row.get(2)?,
                started: row.get(3)?,
                hardware: row.get(4)?,
                settings: row.get(5)?,
                problem: row.get(6)?,
            })
        })?;
        Ok(Catalog {
            points: points.collect::<rusqlite::Result<_>>()?,
            hardware: hardware.collect::<rusqlite::Result<_>>()?,
            records: records.collect::<rusqlite::Result<_>>()?,
        })
    }

    fn values_of(&mut self, records: &[i64], take: &mut Take<'_>) -> rusqlite::Result<()> {
        let mut one = self
            .connection
            .prepare("SELECT point, log FROM value WHERE record = ?1")?;
        for &record in records {
            let mut rows = one.query([record])?;
            while let Some(row) = rows.next()? {
                take(record, row.get(0)?, row.get(1)?);
            }
        }
        Ok(())
    }
}

impl Index for SqliteIndex {
    fn stamps(&mut self) -> Result<BTreeMap<String, Stamp>, IndexError> {
        let read = || -> rusqlite::Result<BTreeMap<String, Stamp>> {
            let mut all = self
                .connection
                .prepare("SELECT path, size, modified_ns FROM record")?;
            let all = all.query_map([], |row| {
                let stamp = Stamp {
                    size: row.get(1)?,
                    modified_ns: row.get(2)?,
                };
                Ok((row.get(0)?, stamp))
            })?;
            all.collect()
        };
        read().map_err(|source| self.failed(source))
    }

    fn put(&mut self, files: &[Indexed]) -> Result<(), IndexError> {
        let put = self.put_all(files);
        // Numbers of points that were not written are none.
        if !matches!(put, Ok(true)) {
            self.points.clear();
        }
        self.outcome(put)
    }

    fn remove(&mut self, paths: &[String]) -> Result<(), IndexError> {
        if paths.is_empty() {
            return Ok(());
        }
        let removed = self.remove_all(paths);
        self.outcome(removed)
    }

    fn catalog(&mut self) -> Result<Catalog, IndexError> {
        self.catalog_of().map_err(|source| self.failed(source))
    }

    fn done(&mut self) -> Result<(), IndexError> {
        self.end_reading().map_err(|source| self.failed(source))
    }

    fn values(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), IndexError> {
        self.values_of(records, take)
            .map_err(|source| self.failed(source))
    }
}
