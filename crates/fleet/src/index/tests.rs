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
    index.clear().unwrap();
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
