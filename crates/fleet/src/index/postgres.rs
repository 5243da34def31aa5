//! An index in a PostgreSQL database, for fleets whose reports are made on several hosts. One database holds the index of one
//! folder, in a schema of its own.

mod place;
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::error::Error as _;

use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::Type;
use postgres::{Client, Error, Transaction};

use whyslow_model::fleet::HardwareFact;

use super::{Age, Catalog, Index, IndexError, RecordEntry, Take, text};
use crate::folder::Stamp;
use crate::measurement::{Indexed, Measurement};
use place::Place;
use tables::{Found, key, lock, written};

/// Records whose values are asked for at once.
const CHUNK: usize = 500;

/// The columns of a record, with their types, as they are copied.
const COLUMNS: &str = "key, path, node, started, hardware, settings, size, modified_ns, problem, points, logs, variances, processes";
const TYPES: [Type; 13] = [
    Type::BYTEA,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::INT8,
    Type::INT8,
    Type::INT8,
    Type::INT8,
    Type::TEXT,
    Type::INT8_ARRAY,
    Type::FLOAT8_ARRAY,
    Type::FLOAT8_ARRAY,
    Type::INT4_ARRAY,
];

/// The index.
pub struct PostgresIndex {
    client: Client,
    place: String,
    /// Between [`catalog`](Index::catalog) and [`done`](Index::done).
    reading: bool,
    points: HashMap<(String, String), i64>,
    hardware: HashMap<String, i64>,
}

impl PostgresIndex {
    /// Opens the index in the database `name`, `postgresql://USER@HOST/DATABASE`, or makes it; one of an older version is
    /// emptied. `password` is used where the name has none.
    ///
    /// # Errors
    /// When the name is none, the server cannot be used, or what is there is none of ours or of a newer version.
    pub fn open(name: &str, password: Option<&str>) -> Result<PostgresIndex, IndexError> {
        let place = Place::of(name, password)?;
        let failed = |error: Error| failed(&place.shown, &error);
        let mut client = place.connect().map_err(failed)?;
        match tables::prepare(&mut client).map_err(failed)? {
            Found::Ours(Age::Newer) => Err(IndexError::Newer { place: place.shown }),
            Found::Foreign => Err(IndexError::Foreign { place: place.shown }),
            Found::NoUnicode(encoding) => Err(IndexError::Postgres {
                place: place.shown,
                why: format!(
                    "its encoding is {encoding}, and names may be of any: make one of UTF8"
                ),
            }),
            Found::Ours(_) => Ok(PostgresIndex {
                client,
                place: place.shown,
                reading: false,
                points: HashMap::new(),
                hardware: HashMap::new(),
            }),
        }
    }

    fn end_reading(&mut self) -> Result<(), Error> {
        if !self.reading {
            return Ok(());
        }
        self.reading = false;
        self.client.batch_execute("COMMIT")
    }

    /// Does `change` in a transaction that no other writer is beside; false if the index is of another version by now.
    fn changed(
        &mut self,
        change: impl FnOnce(&mut Transaction<'_>, &mut Known<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        self.end_reading()?;
        let mut transaction = self.client.transaction()?;
        lock(&mut transaction)?;
        if written(&mut transaction)? != Age::Same {
            return Ok(false);
        }
        let mut known = Known {
            points: &mut self.points,
            hardware: &mut self.hardware,
        };
        change(&mut transaction, &mut known)?;
        transaction.commit()?;
        Ok(true)
    }

    fn outcome(&mut self, done: Result<bool, Error>) -> Result<(), IndexError> {
        if !matches!(done, Ok(true)) {
            // Numbers that were not written are none.
            self.points.clear();
            self.hardware.clear();
        }
        match done {
            Ok(true) => Ok(()),
            Ok(false) => Err(IndexError::Remade {
                place: self.place.clone(),
            }),
            Err(error) => Err(failed(&self.place, &error)),
        }
    }

    fn catalog_of(&mut self) -> Result<Catalog, Error> {
        self.end_reading()?;
        // Numbers of records are looked up again for their values: nothing may change between.
        self.client
            .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.reading = true;
        let points = self
            .client
            .query("SELECT id, name, family FROM whyslow_fleet.point", &[])?;
        let hardware = self
            .client
            .query("SELECT id, facts FROM whyslow_fleet.hardware", &[])?;
        let records = self.client.query(
            "SELECT id, path, node, started, hardware, settings, problem FROM whyslow_fleet.record",
            &[],
        )?;
        let records = records.iter().map(|row| RecordEntry {
            id: row.get(0),
            path: row.get(1),
            node: row.get(2),
            started: row.get(3),
            hardware: row.get(4),
            settings: row.get(5),
            problem: row.get(6),
        });
        Ok(Catalog {
            points: points
                .iter()
                .map(|row| (row.get(0), (row.get(1), row.get(2))))
                .collect(),
            hardware: hardware
                .iter()
                .map(|row| (row.get(0), text::back(row.get(1))))
                .collect(),
            records: records.collect(),
        })
    }

    fn values_of(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), Error> {
        let ask = self
            .client
            .prepare("SELECT id, points, logs FROM whyslow_fleet.record WHERE id = ANY($1)")?;
        for some in records.chunks(CHUNK) {
            let mut rows = self.client.query_raw(&ask, [some])?;
            while let Some(row) = rows.next()? {
                let (id, points, logs): (i64, Vec<i64>, Vec<f64>) =
                    (row.get(0), row.get(1), row.get(2));
                for (point, log) in points.into_iter().zip(logs) {
                    take(id, point, log);
                }
            }
        }
        Ok(())
    }
}

/// One line about what the client or the server says.
fn failed(place: &str, error: &Error) -> IndexError {
    let server = error.as_db_error().map(|said| said.message().to_owned());
    let why = server.unwrap_or_else(|| match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    });
    IndexError::Postgres {
        place: place.to_owned(),
        why: why.replace('\n', " "),
    }
}

impl Index for PostgresIndex {
    fn stamps(&mut self) -> Result<BTreeMap<String, Stamp>, IndexError> {
        let rows = self.client.query(
            "SELECT path, size, modified_ns FROM whyslow_fleet.record",
            &[],
        );
        let rows = rows.map_err(|error| failed(&self.place, &error))?;
        let stamp = |row: &postgres::Row| {
            let stamp = Stamp {
                size: row.get(1),
                modified_ns: row.get(2),
            };
            (row.get(0), stamp)
        };
        Ok(rows.iter().map(stamp).collect())
    }

    fn put(&mut self, files: &[Indexed]) -> Result<(), IndexError> {
        if files.is_empty() {
            return Ok(());
        }
        let put = self.changed(|transaction, known| put_all(transaction, known, files));
        self.outcome(put)
    }

    fn remove(&mut self, paths: &[String]) -> Result<(), IndexError> {
        if paths.is_empty() {
            return Ok(());
        }
        let removed =
            self.changed(|transaction, _| forget(transaction, paths.iter().map(String::as_str)));
        self.outcome(removed)
    }

    fn catalog(&mut self) -> Result<Catalog, IndexError> {
        self.catalog_of()
            .map_err(|error| failed(&self.place, &error))
    }

    fn done(&mut self) -> Result<(), IndexError> {
        self.end_reading()
            .map_err(|error| failed(&self.place, &error))
    }

    fn values(&mut self, records: &[i64], take: &mut Take<'_>) -> Result<(), IndexError> {
        self.values_of(records, take)
            .map_err(|error| failed(&self.place, &error))
    }
}

/// Numbers of points and of hardware that were written or read before.
struct Known<'k> {
    points: &'k mut HashMap<(String, String), i64>,
    hardware: &'k mut HashMap<String, i64>,
}

fn forget<'p>(
    transaction: &mut Transaction<'_>,
    paths: impl Iterator<Item = &'p str>,
) -> Result<(), Error> {
    let keys: Vec<Vec<u8>> = paths.map(|path| key(&[path])).collect();
    transaction.execute(
        "DELETE FROM whyslow_fleet.record WHERE key = ANY($1)",
        &[&keys],
    )?;
    Ok(())
}

fn put_all(
    transaction: &mut Transaction<'_>,
    known: &mut Known<'_>,
    files: &[Indexed],
) -> Result<(), Error> {
    forget(transaction, files.iter().map(|file| file.path.as_str()))?;
    let used = || files.iter().flat_map(|file| &file.content);
    tables::add_points(transaction, known.points, used().flat_map(|of| &of.values))?;
    let facts = used().flat_map(|of| [&of.hardware, &of.settings]);
    tables::add_hardware(transaction, known.hardware, facts.map(|of| text::of(of)))?;
    let into = format!("COPY whyslow_fleet.record ({COLUMNS}) FROM STDIN BINARY");
    let mut rows = BinaryCopyInWriter::new(transaction.copy_in(&into)?, &TYPES);
    let none = Measurement {
        node: String::new(),
        started: String::new(),
        hardware: Vec::new(),
        settings: Vec::new(),
        values: Vec::new(),
    };
    for file in files {
        let facts = |facts: &[HardwareFact]| {
            let id = known.hardware.get(&text::of(facts)).copied();
            id.unwrap_or(-1)
        };
        let (of, problem, hardware, settings) = match &file.content {
            Ok(of) => (of, "", facts(&of.hardware), facts(&of.settings)),
            Err(why) => (&none, why.as_str(), -1, -1),
        };
        let number = |point: &str, family: &str| {
            let key = (point.to_owned(), family.to_owned());
            known.points.get(&key).copied().unwrap_or(-1)
        };
        let values = of.values.iter();
        let points: Vec<i64> = values.map(|v| number(&v.point, v.family)).collect();
        let logs: Vec<f64> = of.values.iter().map(|v| v.log).collect();
        let variances: Vec<Option<f64>> = of.values.iter().map(|v| v.variance).collect();
        let processes: Vec<i32> = of.values.iter().map(|v| v.processes as i32).collect();
        rows.write(&[
            &key(&[&file.path]),
            &file.path,
            &of.node,
            &of.started,
            &hardware,
            &settings,
            &file.stamp.size,
            &file.stamp.modified_ns,
            &problem,
            &points,
            &logs,
            &variances,
            &processes,
        ])?;
    }
    rows.finish()?;
    Ok(())
}
