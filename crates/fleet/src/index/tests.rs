//! Every index tells the same.

use whyslow_model::fleet::HardwareFact;

use super::*;
use crate::measurement::{Measurement, PointValue};
use crate::report::{Options, report};

/// Twelve nodes with three points in two families, of which the last node is slow in one; and a file that is no record.
fn files() -> Vec<Indexed> {
    let stamp = |size| Stamp {
        size,
        modified_ns: 5,
    };
    let value = |point: &str, family, log| PointValue {
        point: point.to_owned(),
        family,
        log,
        variance: Some(1e-4),
        processes: 5,
    };
    let node = |n: i64| {
        // Without a pattern, and the same in every run.
        let noise = |k: i64| 0.01 * (((n * 7919 + k * 104_729) % 1000) as f64 / 500.0 - 1.0);
        let slow = if n == 11 { 0.3 } else { 0.0 };
        Indexed {
            path: format!("n{n:02}/a.whyslow"),
            stamp: stamp(n),
            content: Ok(Measurement {
                node: format!("n{n:02}"),
                started: "2026-01-01T00:00:00Z".to_owned(),
                hardware: vec![HardwareFact {
                    name: "CPU".to_owned(),
                    value: "x".to_owned(),
                }],
                settings: Vec::new(),
                values: vec![
                    value("a", FAMILIES[0].0, 1.0 + noise(1)),
                    value("b", FAMILIES[0].0, 2.0 + noise(2)),
                    value("c", FAMILIES[1].0, 3.0 + noise(3) + slow),
                    value("d", FAMILIES[1].0, 4.0 + noise(4) + slow),
                    value("e", FAMILIES[2].0, 5.0 + noise(5)),
                    value("f", FAMILIES[2].0, 6.0 + noise(6)),
                ],
            }),
        }
    };
    let mut files: Vec<Indexed> = (0..12).map(node).collect();
    files.push(Indexed {
        path: "n99/b.whyslow".to_owned(),
        stamp: stamp(1),
        content: Err("n99/b.whyslow: is damaged".to_owned()),
    });
    files
}

/// What every index has to do.
fn works(index: &mut dyn Index) -> String {
    let files = files();
    index.put(&files[6..]).unwrap();
    index.put(&files[..6]).unwrap();
    // Once more, in place of what was known.
    index.put(&files[3..4]).unwrap();
    let stamps = index.stamps().unwrap();
    assert_eq!(stamps.len(), 13);
    assert_eq!(stamps["n03/a.whyslow"].size, 3);
    let found = report(index, &Options::default()).unwrap().report;
    let slow: Vec<&str> = found
        .nodes
        .iter()
        .filter(|n| n.verdict == whyslow_model::fleet::NodeVerdict::Slow)
        .map(|n| n.node.as_str())
        .collect();
    assert_eq!(slow, ["n11"]);
    assert_eq!(found.unused, ["n99/b.whyslow: is damaged"]);
    let whole = serde_json::to_string_pretty(&found).unwrap();
    index.remove(&["n11/a.whyslow".to_owned()]).unwrap();
    let found = report(index, &Options::default()).unwrap().report;
    assert_eq!((found.nodes.len(), found.counts.slow), (11, 0));
    whole
}

#[cfg(feature = "sqlite")]
#[test]
fn a_file_tells_the_same_as_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let in_memory = works(&mut MemoryIndex::default());
    assert_eq!(works(&mut SqliteIndex::open(&path).unwrap()), in_memory);
    // And when it is opened again, by two at a time.
    let mut one = SqliteIndex::open(&path).unwrap();
    let mut other = SqliteIndex::open(&path).unwrap();
    one.put(&files()[11..]).unwrap();
    other.put(&files()[..1]).unwrap();
    assert_eq!(one.stamps().unwrap(), other.stamps().unwrap());
}

#[cfg(feature = "sqlite")]
#[test]
fn an_older_index_is_emptied_and_a_newer_one_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let of_version = |version: &str| {
        let known = rusqlite::Connection::open(&path).unwrap();
        known
            .execute("UPDATE meta SET version = ?1", [version])
            .unwrap();
        known
    };
    let mut index = SqliteIndex::open(&path).unwrap();
    index.put(&files()[..3]).unwrap();
    // Other tables than today's.
    let older = of_version("0 of families");
    older
        .execute_batch("DROP TABLE value; ALTER TABLE point RENAME COLUMN name TO title")
        .unwrap();
    // Who had it open before does not write into what another version made of it.
    let why = index.put(&files()[3..]).unwrap_err().to_string();
    assert!(why.contains("another version"), "{why}");
    drop((index, older));
    let mut index = SqliteIndex::open(&path).unwrap();
    assert!(index.stamps().unwrap().is_empty());
    index.put(&files()).unwrap();
    drop(index);
    of_version("4000000000 of families");
    let why = SqliteIndex::open(&path).unwrap_err().to_string();
    assert!(why.contains("newer whyslow"), "{why}");
    of_version(&version());
    let kept = SqliteIndex::open(&path).unwrap().stamps().unwrap();
    assert_eq!(kept.len(), 13);
}

#[cfg(feature = "sqlite")]
#[test]
fn a_reader_sees_one_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let mut reader = SqliteIndex::open(&path).unwrap();
    reader.put(&files()).unwrap();
    let catalog = reader.catalog().unwrap();
    let ids: Vec<i64> = catalog.records.iter().map(|r| r.id).collect();
    // Waits for the reader, and is done when this is.
    let writer = std::thread::spawn(move || {
        let mut writer = SqliteIndex::open(&path).unwrap();
        let all: Vec<String> = writer.stamps().unwrap().into_keys().collect();
        writer.remove(&all).unwrap();
        writer.stamps().unwrap().len()
    });
    let mut values = 0;
    reader.values(&ids, &mut |_, _, _| values += 1).unwrap();
    assert_eq!(values, 12 * 6);
    reader.done().unwrap();
    assert_eq!(writer.join().unwrap(), 0);
    assert!(reader.stamps().unwrap().is_empty());
}

#[cfg(feature = "sqlite")]
#[test]
fn the_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.db");
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.execute_batch("CREATE TABLE record (x)").unwrap();
    let why = SqliteIndex::open(&path).unwrap_err().to_string();
    assert!(why.contains("another program"), "{why}");
    std::fs::write(&path, "no database at all, but text of some length").unwrap();
    assert!(SqliteIndex::open(&path).is_err());
}
