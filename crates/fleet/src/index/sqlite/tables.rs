//! Tables of an index in SQLite, and what is looked up in them while it is written.

use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::super::{Age, age, version};

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Marks a file as an index of this tool (`PRAGMA application_id`): `whyf`.
pub(super) const APPLICATION: i32 = 0x7768_7966;

const TABLES: &str = "
    CREATE TABLE meta (version TEXT NOT NULL);
    CREATE TABLE hardware (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
    CREATE TABLE point (id INTEGER PRIMARY KEY, name TEXT NOT NULL, family TEXT NOT NULL, UNIQUE (name, family));
    CREATE TABLE record (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, node TEXT NOT NULL, started TEXT NOT NULL,
        hardware INTEGER NOT NULL, settings INTEGER NOT NULL, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL, problem TEXT NOT NULL);
    CREATE INDEX record_node ON record (node, started);
    CREATE TABLE value (
        record INTEGER NOT NULL, point INTEGER NOT NULL, log REAL NOT NULL, variance REAL, processes INTEGER NOT NULL,
        PRIMARY KEY (record, point)) WITHOUT ROWID;
";

const EMPTY: &str = "
    DROP TABLE IF EXISTS value; DROP TABLE IF EXISTS record; DROP TABLE IF EXISTS point;
    DROP TABLE IF EXISTS hardware; DROP TABLE IF EXISTS meta;
";

/// What was found in a file.
pub(super) enum Found {
    /// An index of this tool; what was older is of this version now.
    Ours(Age),
    /// The database of another program.
    Foreign,
}

/// Makes the tables, and anew where they are of an older version.
pub(super) fn prepare(connection: &mut Connection) -> rusqlite::Result<Found> {
    connection.busy_timeout(PATIENCE)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if application != APPLICATION && tables > 0 {
        return Ok(Found::Foreign);
    }
    let age = match tables {
        0 => Age::Older,
        _ => age(written(&transaction).as_deref()),
    };
    if age == Age::Older {
        transaction.execute_batch(EMPTY)?;
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO meta (version) VALUES (?1)", [version()])?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()?;
    Ok(Found::Ours(age))
}

/// The version that is written in an index.
fn written(transaction: &Transaction<'_>) -> Option<String> {
    let one = transaction.query_row("SELECT version FROM meta", [], |row| row.get(0));
    one.ok()
}

/// Is it still of this version?
pub(super) fn is_same(transaction: &Transaction<'_>) -> bool {
    age(written(transaction).as_deref()) == Age::Same
}

/// Forgets a file.
pub(super) fn forget(transaction: &Transaction<'_>, path: &str) -> rusqlite::Result<()> {
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

/// The number of hardware or settings, which are added if they are new.
pub(super) fn hardware(transaction: &Transaction<'_>, facts: &str) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO hardware (facts) VALUES (?1)")?
        .execute([facts])?;
    transaction
        .prepare_cached("SELECT id FROM hardware WHERE facts = ?1")?
        .query_row([facts], |row| row.get(0))
}

/// The number of a point, which is added if it is new.
pub(super) fn point(
    transaction: &Transaction<'_>,
    key: &(String, String),
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO point (name, family) VALUES (?1, ?2)")?
        .execute([&key.0, &key.1])?;
    transaction
        .prepare_cached("SELECT id FROM point WHERE name = ?1 AND family = ?2")?
        .query_row([&key.0, &key.1], |row| row.get(0))
}
