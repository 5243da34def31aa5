//! Points as CSV, read back by a reader of RFC 4180.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Maker, usual};
use whyslow_model::Unit;
use whyslow_model::record::ValueRule;

/// Records of fields.
fn read(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut inside) = (vec![], vec![], String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if inside && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => inside = !inside,
            ',' if !inside => row.push(std::mem::take(&mut field)),
            '\n' if !inside => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    assert!(!inside && field.is_empty() && row.is_empty());
    rows
}

#[test]
fn reads_back() {
    let (_, mut summary) = usual();
    summary.points[0].failures = vec!["a \"quoted\", thing".into()];
    let rows = read(&whyslow_report::csv(&summary));
    assert!(rows.iter().all(|r| r.len() == rows[0].len()));
    let column = |name: &str| rows[0].iter().position(|h| h == name).unwrap();
    let points: Vec<_> = rows[1..]
        .iter()
        .filter(|r| r[column("row")] == "point")
        .collect();
    assert_eq!(points.len(), summary.points.len());
    for (row, point) in points.iter().zip(&summary.points) {
        assert_eq!(row[0], point.point.to_string());
        assert_eq!(
            row[column("value")].parse().ok(),
            point.value.map(|v| v.value)
        );
        assert_eq!(
            row[column("high")].parse().ok(),
            point.value.and_then(|v| v.range).map(|r| r[1])
        );
        assert_eq!(row[column("size_bytes")].parse().ok(), point.size_bytes);
    }
    assert_eq!(points[0][column("failures")], "a \"quoted\", thing");
    let each = rows
        .iter()
        .filter(|r| r[0] == "mem.line{level=DRAM}" && r[column("row")] == "series");
    assert_eq!(each.count(), 6);
}

#[test]
fn header_stays() {
    insta::assert_snapshot!(whyslow_report::csv(&Default::default()), @"point,row,name,unit,better,size_bytes,value,low,high,from,handover_ns,processes,samples,left_out,failures");
}

#[test]
fn classes_have_lines() {
    let mut maker = Maker::new();
    maker.point_at(
        "mem.bandwidth{op=read,level=L3,cpus=all}",
        Unit::GbPerS,
        ValueRule::Best,
        &[("avx", 60.0)],
        &[25.0, 100.0],
    );
    let (_, summary) = maker.done();
    let rows = read(&whyslow_report::csv(&summary));
    let classes: Vec<_> = rows
        .iter()
        .filter(|r| r[1] == "class")
        .map(|r| r[2].as_str())
        .collect();
    assert_eq!(classes, ["near", "far"]);
    assert_eq!(
        rows[1][6], "",
        "a point of several classes has no value of its own"
    );
}
