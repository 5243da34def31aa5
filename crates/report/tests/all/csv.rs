//! Points as CSV, read back by a reader of RFC 4180.

use crate::common::{Maker, usual};
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
    let (record, mut summary) = usual();
    summary.points[0].failures = vec!["a \"quoted\", thing".into()];
    let rows = read(&whyslow_report::csv(&record, &summary));
    assert!(rows.iter().all(|r| r.len() == rows[0].len()));
    let column = |name: &str| rows[0].iter().position(|h| h == name).unwrap();
    let points: Vec<_> = rows[1..]
        .iter()
        .filter(|r| r[column("row")] == "point")
        .collect();
    assert_eq!(points.len(), summary.points.len());
    for (row, point) in points.iter().zip(&summary.points) {
        assert_eq!(row[0], point.point.to_string());
        let same = |text: &str, value: Option<f64>| match (text.parse::<f64>(), value) {
            (Ok(read), Some(value)) => (read / value - 1.0).abs() < 1e-14,
            (Err(_), None) => true,
            _ => false,
        };
        assert!(same(&row[column("value")], point.value.map(|v| v.value)));
        let high = point.value.and_then(|v| v.range).map(|r| r[1]);
        assert!(same(&row[column("high")], high));
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
    insta::assert_snapshot!(whyslow_report::csv(&usual().0, &Default::default()), @"point,row,name,unit,better,size_bytes,value,low,high,from,handover_ns,processes,samples,left_out,failures");
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
    let (record, summary) = maker.done();
    let rows = read(&whyslow_report::csv(&record, &summary));
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

/// What another tool printed stands there as it did, with its name and its unit.
#[test]
fn imported_figures_are_as_they_were_printed() {
    let printed = ["37162629.5", "5", "0.33012345678901234", "1e-7", "2445.4"];
    let mut table = String::from("name,value,unit\n");
    for (at, figure) in printed.iter().enumerate() {
        table += &format!("=row{at}|x!A0,{figure},lps\n");
    }
    let imported = whyslow_import::import(table.as_bytes(), "t.csv", None).unwrap();
    assert_eq!((imported.kept, imported.refused), (5, 0));
    let record = &imported.systems[0];
    let summary = whyslow_stats::record::summarise(record);
    let rows = read(&whyslow_report::csv(record, &summary));
    let column = |name: &str| rows[0].iter().position(|h| h == name).unwrap();
    for (at, (row, figure)) in rows[1..].iter().zip(printed).enumerate() {
        let value: f64 = figure.parse().unwrap();
        assert_eq!(row[column("value")], value.to_string());
        assert_eq!(row[column("unit")], "lps");
        assert_eq!(row[column("name")], format!("'=row{at}|x!A0"));
    }
    // And programs that read JSON find the unit where units are.
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["points"][0]["unit"], "lps");
    let back: whyslow_model::summary::Summary = serde_json::from_value(json).unwrap();
    assert_eq!(back, summary);
}
