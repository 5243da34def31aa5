//! Tables of an index in PostgreSQL, and what is looked up in them while it is written.

use std::collections::{BTreeSet, HashMap};

use postgres::{Client, Error, Transaction};

use crate::index::{Age, age, version};
use crate::measurement::PointValue;

/// How long another writer is waited for.
const PATIENCE: &str = "SET lock_timeout = '60s'";

/// Writers hold this while they write, in their database: `whyslowf`.
const LOCK: i64 = 0x7768_7973_6c6f_7766;

/// Keys are hashes: what a record says may be longer than an entry of an index may be. Values of a record are arrays beside
/// each other, as a row for each takes ten times the room; the view has them as rows for other programs.
const TABLES: &str = "
    CREATE TABLE whyslow_fleet.meta (version TEXT NOT NULL);
    CREATE TABLE whyslow_fleet.hardware (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key BYTEA NOT NULL UNIQUE, facts TEXT NOT NULL);
    CREATE TABLE whyslow_fleet.point (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key BYTEA NOT NULL UNIQUE, name TEXT NOT NULL,
        family TEXT NOT NULL);
    CREATE TABLE whyslow_fleet.record (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key BYTEA NOT NULL UNIQUE, path TEXT NOT NULL,
        node TEXT NOT NULL, started TEXT NOT NULL, hardware BIGINT NOT NULL, settings BIGINT NOT NULL, size BIGINT NOT NULL,
        modified_ns BIGINT NOT NULL, problem TEXT NOT NULL, points BIGINT[] NOT NULL, logs FLOAT8[] NOT NULL,
        variances FLOAT8[] NOT NULL, processes INT[] NOT NULL);
    CREATE INDEX record_node ON whyslow_fleet.record (node, started);
    CREATE VIEW whyslow_fleet.value AS
        SELECT r.node, r.started, r.path, p.name AS point, p.family, v.log, v.variance, v.processes
        FROM whyslow_fleet.record r,
            LATERAL unnest(r.points, r.logs, r.variances, r.processes) AS v (point, log, variance, processes)
            JOIN whyslow_fleet.point p ON p.id = v.point;
";

const EMPTY: &str = "
    DROP VIEW IF EXISTS whyslow_fleet.value;
    DROP TABLE IF EXISTS whyslow_fleet.record, whyslow_fleet.point, whyslow_fleet.hardware, whyslow_fleet.meta;
";

/// What was found in a database.
pub(super) enum Found {
    /// An index of this tool; what was older is of this version now.
    Ours(Age),
    /// A schema of the same name that another program made.
    Foreign,
    /// An encoding that not every name can be written in.
    NoUnicode(String),
}

/// Makes the tables, and anew where they are of an older version.
pub(super) fn prepare(client: &mut Client) -> Result<Found, Error> {
    client.batch_execute(PATIENCE)?;
    let encoding: String = client.query_one("SHOW server_encoding", &[])?.get(0);
    if encoding != "UTF8" {
        return Ok(Found::NoUnicode(encoding));
    }
    let mut transaction = client.transaction()?;
    lock(&mut transaction)?;
    let there = transaction.query_one(
        "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'whyslow_fleet'), count(*), \
         count(*) FILTER (WHERE relname = 'meta') \
         FROM pg_class WHERE relnamespace = to_regnamespace('whyslow_fleet')",
        &[],
    )?;
    let (schemas, all, meta): (i64, i64, i64) = (there.get(0), there.get(1), there.get(2));
    if all > 0 && meta == 0 {
        return Ok(Found::Foreign);
    }
    let age = match all {
        0 => Age::Older,
        _ => written(&mut transaction)?,
    };
    if age == Age::Older {
        // An administrator may have made it for a user who may not.
        if schemas == 0 {
            transaction.batch_execute("CREATE SCHEMA whyslow_fleet")?;
        }
        transaction.batch_execute(EMPTY)?;
        transaction.batch_execute(TABLES)?;
        transaction.execute(
            "INSERT INTO whyslow_fleet.meta (version) VALUES ($1)",
            &[&version()],
        )?;
    }
    transaction.commit()?;
    Ok(Found::Ours(age))
}

/// Keeps other writers waiting to the end of the transaction.
pub(super) fn lock(transaction: &mut Transaction<'_>) -> Result<(), Error> {
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    Ok(())
}

/// The age of what is in the tables.
pub(super) fn written(transaction: &mut Transaction<'_>) -> Result<Age, Error> {
    let found = transaction.query_opt("SELECT version FROM whyslow_fleet.meta", &[])?;
    let found: Option<String> = found.map(|row| row.get(0));
    Ok(age(found.as_deref()))
}

/// What a text, or several together, is looked up by.
pub(super) fn key(texts: &[&str]) -> Vec<u8> {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(text.as_bytes()).update(&[0]);
    }
    hash.finalize().as_bytes().to_vec()
}

/// Adds the points that are new, and their numbers to `known`.
pub(super) fn add_points<'v>(
    transaction: &mut Transaction<'_>,
    known: &mut HashMap<(String, String), i64>,
    values: impl Iterator<Item = &'v PointValue>,
) -> Result<(), Error> {
    let all: BTreeSet<(&str, &str)> = values.map(|v| (v.point.as_str(), v.family)).collect();
    let new = all.into_iter();
    let new: Vec<(&str, &str)> = new
        .filter(|(point, family)| !known.contains_key(&((*point).to_owned(), (*family).to_owned())))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let keys: Vec<Vec<u8>> = new.iter().map(|(p, f)| key(&[p, f])).collect();
    let (names, families): (Vec<&str>, Vec<&str>) = new.into_iter().unzip();
    transaction.execute(
        "INSERT INTO whyslow_fleet.point (key, name, family) \
         SELECT * FROM unnest($1::BYTEA[], $2::TEXT[], $3::TEXT[]) ON CONFLICT DO NOTHING",
        &[&keys, &names, &families],
    )?;
    let rows = transaction.query(
        "SELECT id, name, family FROM whyslow_fleet.point WHERE key = ANY($1)",
        &[&keys],
    )?;
    known.extend(
        rows.iter()
            .map(|row| ((row.get(1), row.get(2)), row.get(0))),
    );
    Ok(())
}

/// The same of hardware and settings.
pub(super) fn add_hardware(
    transaction: &mut Transaction<'_>,
    known: &mut HashMap<String, i64>,
    facts: impl Iterator<Item = String>,
) -> Result<(), Error> {
    let new: BTreeSet<String> = facts.filter(|facts| !known.contains_key(facts)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let keys: Vec<Vec<u8>> = new.iter().map(|facts| key(&[facts])).collect();
    let facts: Vec<String> = new.into_iter().collect();
    transaction.execute(
        "INSERT INTO whyslow_fleet.hardware (key, facts) \
         SELECT * FROM unnest($1::BYTEA[], $2::TEXT[]) ON CONFLICT DO NOTHING",
        &[&keys, &facts],
    )?;
    let rows = transaction.query(
        "SELECT id, facts FROM whyslow_fleet.hardware WHERE key = ANY($1)",
        &[&keys],
    )?;
    known.extend(rows.iter().map(|row| (row.get(1), row.get(0))));
    Ok(())
}
