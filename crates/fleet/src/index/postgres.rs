//! An index in PostgreSQL, which several machines can write to at once.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use ::postgres::fallible_iterator::FallibleIterator;
use ::postgres::{Client, NoTls, Transaction};

use super::{Catalog, Index, IndexError, RecordEntry, Take, text, version};
use crate::folder::Stamp;
use crate::measurement::Indexed;

/// Held while tables are made: `whyf` as a number.
const LOCK: i64 = 0x7768_7966;

/// Records whose values are asked for at once.
const AT_ONCE: usize = 500;

const TABLES: &str = "
    CREATE TABLE meta (version TEXT NOT NULL);
    CREATE TABLE hardware (id BIGSERIAL PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
    CREATE TABLE point (id BIGSERIAL PRIMARY KEY, name TEXT NOT NULL, family TEXT NOT NULL, UNIQUE (name, family));
    CREATE TABLE record (
        id BIGSERIAL PRIMARY KEY, path TEXT NOT NULL UNIQUE, node TEXT NOT NULL, started TEXT NOT NULL,
        hardware BIGINT NOT NULL, size BIGINT NOT NULL, modified_ns BIGINT NOT NULL, problem TEXT NOT NULL);
    CREATE INDEX record_node ON record (node, started);
    CREATE TABLE value (
        record BIGINT NOT NULL REFERENCES record ON DELETE CASCADE, point BIGINT NOT NULL,
        log DOUBLE PRECISION NOT NULL, variance DOUBLE PRECISION, processes BIGINT NOT NULL,
        PRIMARY KEY (record, point));
";

/// The index.
pub struct PostgresIndex {
    client: Client,
    points: HashMap<(String, String), i64>,
}

impl std::fmt::Debug for PostgresIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresIndex").finish_non_exhaustive()
    }
}

/// Without the URL, which may hold a password.
fn failed(error: ::postgres::Error) -> IndexError {
    let why = match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => {
            let source = std::error::Error::source(&error);
            source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
        }
    };
    IndexError::Postgres(why)
}

impl PostgresIndex {
    /// Opens the index in the schema `whyslow` of the database at `url`, or makes it; one of another version is emptied.
    /// The connection is not encrypted: through a tunnel, or within a network that is trusted.
    ///
    /// # Errors
    /// When the server cannot be reached, or does not allow it.
    pub fn open(url: &str) -> Result<PostgresIndex, IndexError> {
        let mut client = Client::connect(url, NoTls).map_err(failed)?;
        prepare(&mut client).map_err(failed)?;
        Ok(PostgresIndex {
            client,
            points: HashMap::new(),
        })
    }

    fn put_all(&mut self, files: &[Indexed]) -> Result<(), ::postgres::Error> {
        let mut transaction = self.client.transaction()?;
        // In one order for all writers, so that none waits for another in a circle.
        let mut names: Vec<(&str, &str)> = files
            .iter()
            .flat_map(|file| &file.content)
            .flat_map(|of| &of.values)
            .map(|value| (value.point.as_str(), value.family))
            .collect();
        names.sort_unstable();
        names.dedup();
        for (name, family) in names {
            let key = (name.to_owned(), family.to_owned());
            if let std::collections::hash_map::Entry::Vacant(new) = self.points.entry(key) {
                new.insert(point(&mut transaction, name, family)?);
            }
        }
        let mut order: Vec<&Indexed> = files.iter().collect();
        order.sort_by(|a, b| a.path.cmp(&b.path));
        let mut lines = String::new();
        for file in order {
            let record = record(&mut transaction, file)?;
            for value in file.content.iter().flat_map(|of| &of.values) {
                let key = (value.point.clone(), value.family.to_owned());
                if let Some(point) = self.points.get(&key) {
                    let variance = value.variance.map_or("\\N".to_owned(), |v| v.to_string());
                    lines += &format!(
                        "{record}\t{point}\t{}\t{variance}\t{}\n",
                        value.log, value.processes
                    );
                }
            }
        }
        let mut copy = transaction
            .copy_in("COPY whyslow.value (record, point, log, variance, processes) FROM STDIN")?;
        // What could not be written fails at the end of the copy.
        let written = copy.write_all(lines.as_bytes());
        copy.finish()?;
        drop(written);
        transaction.commit()
    }

    fn catalog_of(&mut self) -> Result<Catalog, ::postgres::Error> {
        let mut catalog = Catalog::default();
        for row in self
            .client
            .query("SELECT id, name, family FROM whyslow.point", &[])?
        {
            let point = (row.get(1), row.get(2));
            catalog.points.insert(row.get(0), point);
        }
        for row in self
            .client
            .query("SELECT id, facts FROM whyslow.hardware", &[])?
        {
            let facts: String = row.get(1);
            catalog.hardware.insert(row.get(0), text::back(&facts));
        }
        let records = self.client.query(
            "SELECT id, path, node, started, hardware, problem FROM whyslow.record",
            &[],
        )?;
        for row in records {
            catalog.records.push(RecordEntry {
                id: row.get(0),
                path: row.get(1),
                node: row.get(2),
                started: row.get(3),
                hardware: row.get(4),
                problem: row.get(5),
            });
        }
        Ok(catalog)
    }

    fn values_of(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), ::postgres::Error> {
        let wanted = self
            .client
            .prepare("SELECT record, point, log FROM whyslow.value WHERE record = ANY($1)")?;
        for some in records.chunks(AT_ONCE) {
            let mut rows = self.client.query_raw(&wanted, [&some])?;
            while let Some(row) = rows.next()? {
                take(row.get(0), row.get(1), row.get(2));
            }
        }
        Ok(())
    }
}

impl Index for PostgresIndex {
    fn stamps(&mut self) -> Result<BTreeMap<String, Stamp>, IndexError> {
        let rows = self
            .client
            .query("SELECT path, size, modified_ns FROM whyslow.record", &[]);
        let stamp = |row: ::postgres::Row| {
            let stamp = Stamp {
                size: row.get(1),
                modified_ns: row.get(2),
            };
            (row.get(0), stamp)
        };
        Ok(rows.map_err(failed)?.into_iter().map(stamp).collect())
    }

    fn put(&mut self, files: &[Indexed]) -> Result<(), IndexError> {
        let put = self.put_all(files);
        // Numbers of points that were not written are none.
        if put.is_err() {
            self.points.clear();
        }
        put.map_err(failed)
    }

    fn remove(&mut self, paths: &[String]) -> Result<(), IndexError> {
        let removed = self
            .client
            .execute("DELETE FROM whyslow.record WHERE path = ANY($1)", &[&paths]);
        removed.map(drop).map_err(failed)
    }

    fn catalog(&mut self) -> Result<Catalog, IndexError> {
        self.catalog_of().map_err(failed)
    }

    fn values(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), IndexError> {
        self.values_of(records, take).map_err(failed)
    }
}

/// Makes the tables, or empties what is of another version; one client at a time.
fn prepare(client: &mut Client) -> Result<(), ::postgres::Error> {
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    let there = transaction.query_one("SELECT to_regclass('whyslow.meta')::text", &[])?;
    let there: Option<String> = there.get(0);
    let found: Option<String> = match there {
        Some(_) => transaction
            .query_opt("SELECT version FROM whyslow.meta", &[])?
            .map(|row| row.get(0)),
        None => None,
    };
    if found.as_deref() != Some(&version()) {
        transaction
            .batch_execute("DROP SCHEMA IF EXISTS whyslow CASCADE; CREATE SCHEMA whyslow")?;
        transaction.batch_execute(&format!("SET LOCAL search_path TO whyslow; {TABLES}"))?;
        transaction.execute(
            "INSERT INTO whyslow.meta (version) VALUES ($1)",
            &[&version()],
        )?;
    }
    transaction.commit()
}

/// The number of a point, made where it is new.
fn point(
    transaction: &mut Transaction<'_>,
    name: &str,
    family: &str,
) -> Result<i64, ::postgres::Error> {
    // The update that changes nothing gives the number of what another client made meanwhile.
    let row = transaction.query_one(
        "INSERT INTO whyslow.point (name, family) VALUES ($1, $2) \
         ON CONFLICT (name, family) DO UPDATE SET name = excluded.name RETURNING id",
        &[&name, &family],
    )?;
    Ok(row.get(0))
}

/// The number of a record, in place of what was known of the file.
fn record(transaction: &mut Transaction<'_>, file: &Indexed) -> Result<i64, ::postgres::Error> {
    let (node, started, hardware, problem) = match &file.content {
        Ok(of) => {
            let row = transaction.query_one(
                "INSERT INTO whyslow.hardware (facts) VALUES ($1) \
                 ON CONFLICT (facts) DO UPDATE SET facts = excluded.facts RETURNING id",
                &[&text::of(&of.hardware)],
            )?;
            (of.node.as_str(), of.started.as_str(), row.get(0), "")
        }
        Err(why) => ("", "", -1_i64, why.as_str()),
    };
    let row = transaction.query_one(
        "INSERT INTO whyslow.record (path, node, started, hardware, size, modified_ns, problem) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (path) DO UPDATE SET \
         node = excluded.node, started = excluded.started, hardware = excluded.hardware, \
         size = excluded.size, modified_ns = excluded.modified_ns, problem = excluded.problem RETURNING id",
        &[
            &file.path,
            &node,
            &started,
            &hardware,
            &file.stamp.size,
            &file.stamp.modified_ns,
            &problem,
        ],
    )?;
    let id: i64 = row.get(0);
    // The row of the record is locked until the end: another client that adds the same file waits.
    transaction.execute("DELETE FROM whyslow.value WHERE record = $1", &[&id])?;
    Ok(id)
}
