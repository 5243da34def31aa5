//! An index in a file of SQLite.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};

use super::{Catalog, Index, IndexError, RecordEntry, Take, text, version};
use crate::folder::Stamp;
use crate::measurement::Indexed;

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Marks a file as an index of this tool (`PRAGMA application_id`): `whyf`.
const APPLICATION: i32 = 0x7768_7966;

const TABLES: &str = "
    CREATE TABLE meta (version TEXT NOT NULL);
    CREATE TABLE hardware (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
    CREATE TABLE point (id INTEGER PRIMARY KEY, name TEXT NOT NULL, family TEXT NOT NULL, UNIQUE (name, family));
    CREATE TABLE record (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, node TEXT NOT NULL, started TEXT NOT NULL,
        hardware INTEGER NOT NULL, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL, problem TEXT NOT NULL);
    CREATE INDEX record_node ON record (node, started);
    CREATE TABLE value (
        record INTEGER NOT NULL, point INTEGER NOT NULL, log REAL NOT NULL, variance REAL, processes INTEGER NOT NULL,
        PRIMARY KEY (record, point)) WITHOUT ROWID;
";

const EMPTY: &str = "
    DROP TABLE IF EXISTS value; DROP TABLE IF EXISTS record; DROP TABLE IF EXISTS point;
    DROP TABLE IF EXISTS hardware; DROP TABLE IF EXISTS meta;
";

/// The index.
#[derive(Debug)]
pub struct SqliteIndex {
    connection: Connection,
    path: String,
    points: HashMap<(String, String), i64>,
}

impl SqliteIndex {
    /// Opens the index at `path`, or makes it; one of another version is emptied.
    ///
    /// # Errors
    /// When the file cannot be written, or is none of ours.
    pub fn open(path: &Path) -> Result<SqliteIndex, IndexError> {
        let shown = path.display().to_string();
        let failed = |source| IndexError::Sqlite {
            path: shown.clone(),
            source,
        };
        let mut connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(failed)?;
        prepare(&mut connection).map_err(failed)?;
        Ok(SqliteIndex {
            connection,
            path: shown,
            points: HashMap::new(),
        })
    }

    fn failed(&self, source: rusqlite::Error) -> IndexError {
        IndexError::Sqlite {
            path: self.path.clone(),
            source,
        }
    }

    fn put_all(&mut self, files: &[Indexed]) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for file in files {
            forget(&transaction, &file.path)?;
            let (node, started, hardware, problem) = match &file.content {
                Ok(of) => {
                    let facts = text::of(&of.hardware);
                    let hardware = hardware(&transaction, &facts)?;
                    (of.node.as_str(), of.started.as_str(), hardware, "")
                }
                Err(why) => ("", "", -1, why.as_str()),
            };
            transaction
                .prepare_cached(
                    "INSERT INTO record (path, node, started, hardware, size, modified_ns, problem) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    file.path,
                    node,
                    started,
                    hardware,
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
        transaction.commit()
    }

    fn remove_all(&mut self, paths: &[String]) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for path in paths {
            forget(&transaction, path)?;
        }
        transaction.commit()
    }

    fn catalog_of(&self) -> rusqlite::Result<Catalog> {
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
            .prepare("SELECT id, path, node, started, hardware, problem FROM record")?;
        let records = records.query_map([], |row| {
            Ok(RecordEntry {
                id: row.get(0)?,
                path: row.get(1)?,
                node: row.get(2)?,
                started: row.get(3)?,
                hardware: row.get(4)?,
                problem: row.get(5)?,
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
        if put.is_err() {
            self.points.clear();
        }
        put.map_err(|source| self.failed(source))
    }

    fn remove(&mut self, paths: &[String]) -> Result<(), IndexError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.remove_all(paths).map_err(|source| self.failed(source))
    }

    fn catalog(&mut self) -> Result<Catalog, IndexError> {
        self.catalog_of().map_err(|source| self.failed(source))
    }

    fn values(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), IndexError> {
        self.values_of(records, take)
            .map_err(|source| self.failed(source))
    }
}

/// Makes the tables, or empties what is of another version.
fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if application != APPLICATION && tables > 0 {
        // Never the database of another program.
        return Err(rusqlite::Error::InvalidPath(
            "it is of another program".into(),
        ));
    }
    let found: Option<String> = match tables {
        0 => None,
        _ => transaction
            .query_row("SELECT version FROM meta", [], |row| row.get(0))
            .ok(),
    };
    if found.as_deref() != Some(&version()) {
        transaction.execute_batch(EMPTY)?;
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO meta (version) VALUES (?1)", [version()])?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()
}

fn forget(transaction: &Transaction<'_>, path: &str) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "DELETE FROM value WHERE record IN (SELECT id FROM record WHERE path = ?1)",
        )?
        .execute([path])?;
    transaction
        .prepare_cached("DELETE FROM record WHERE path = ?1")?
        .execute([path])?;
    Ok(())
}

fn hardware(transaction: &Transaction<'_>, facts: &str) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO hardware (facts) VALUES (?1)")?
        .execute([facts])?;
    transaction
        .prepare_cached("SELECT id FROM hardware WHERE facts = ?1")?
        .query_row([facts], |row| row.get(0))
}

fn point(transaction: &Transaction<'_>, key: &(String, String)) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO point (name, family) VALUES (?1, ?2)")?
        .execute([&key.0, &key.1])?;
    transaction
        .prepare_cached("SELECT id FROM point WHERE name = ?1 AND family = ?2")?
        .query_row([&key.0, &key.1], |row| row.get(0))
}
