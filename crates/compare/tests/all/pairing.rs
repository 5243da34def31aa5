//! Rows of two sides whose labels are not the same, and parts of a file by what a user would type. The figures are made up.

use whyslow_compare::{CompareError, Named, Options, choose, compare};
use whyslow_model::Record;

fn read(text: &str) -> Vec<Record> {
    whyslow_import::import(text.as_bytes(), "x", None)
        .unwrap()
        .systems
}

/// `title a b` of each pair, and whether it is said how they were paired.
fn paired(a: &str, b: &str) -> Result<(Vec<String>, bool), CompareError> {
    let (a, b) = (read(a), read(b));
    let side = |name, records: &'static [Record]| -> Vec<Named<'static>> {
        let records = records.iter();
        records.map(|record| Named { name, record }).collect()
    };
    let (a, b) = (a.leak(), b.leak());
    let found = compare(&side("a", a), &side("b", b), &Options::default())?;
    let rows = found.points.iter().map(|point| {
        let title = point.title.as_deref().unwrap_or_default();
        format!("{title}: {} {}", point.a.value.value, point.b.value.value)
    });
    let said = found.objections.iter().any(|o| o.text.contains("paired"));
    Ok((rows.collect(), said))
}

#[test]
fn labels_that_differ_in_what_is_no_name() {
    for (a, b, wanted, said) in [
        (
            "read 9cb34a2: 1.5 s\nwrite 9cb34a2: 2.5 s\n",
            "read 1de5a4a: 3.5 s\nwrite 1de5a4a: 4.5 s\n",
            vec![
                "read 9cb34a2 / read 1de5a4a: 1.5 3.5",
                "write 9cb34a2 / write 1de5a4a: 2.5 4.5",
            ],
            true,
        ),
        (
            "[2018-07-29 13:40:21] Total: 3.5 s\n",
            "[2019-01-01 00:00:01] Total: 4.5 s\n",
            vec!["Total: 3.5 4.5"],
            false,
        ),
        // In their order, where nothing else is known.
        (
            "without it: 1.5 s\n",
            "beside another: 2.5 s\n",
            vec!["without it / beside another: 1.5 2.5"],
            true,
        ),
    ] {
        let (rows, paired) = paired(a, b).unwrap();
        assert_eq!(
            (rows.iter().map(String::as_str).collect(), paired),
            (wanted, said)
        );
    }
    // Another unit, or another number of rows.
    for (a, b) in [
        ("one: 1.5 s\n", "two: 1.5 MB/s\n"),
        ("one: 1.5 s\n", "two: 1.5 s\nthree: 2.5 s\n"),
    ] {
        assert!(paired(a, b).is_err(), "{b}");
    }
}

#[test]
fn parts_by_what_a_user_would_type() {
    let titles = |record: &Record| -> Vec<String> {
        let points = record.plan.points.iter();
        points
            .map(|p| p.title.clone().unwrap_or_default())
            .collect()
    };
    for (page, part, wanted) in [
        (
            "Benchmark  Mode  Cnt  Score  Error  Units\n\
             SomeBench.old    avgt    5   1.5 ± 0.1  ns/op\n\
             SomeBench.young  avgt    5   2.5 ± 0.1  ns/op\n",
            "Bench.old",
            vec!["SomeBench.old avgt"],
        ),
        (
            "alpha 1.5 2.5 3.5 4.5\nbeta 5.5 6.5 7.5 8.5\n",
            "column 3",
            vec!["alpha", "beta"],
        ),
        (
            "alpha 1.5 2.5 3.5 4.5\nbeta 5.5 6.5 7.5 8.5\n",
            "beta",
            vec!["column 1", "column 2", "column 3", "column 4"],
        ),
        (
            "name    time/op\nOne     5.5µs ± 1%\nOne-2   4.5µs ± 1%\nTwo     7.5µs ± 1%\nTwo-2   6.5µs ± 1%\n",
            "-2",
            vec!["One", "Two"],
        ),
        // What has a side's name in front, or in the name of each column.
        (
            "gin rows (100k) base=1448.2ms patch=572.5ms\ngin rows (300k) base=3728.5ms patch=1332.5ms\n",
            "base",
            vec!["gin rows 100k", "gin rows 300k"],
        ),
        (
            "| Method | Jobs | Mean |\n|---|---|---|\n| NewPush | 10 | 563.5 us |\n| OldPush | 10 | 937.5 us |\n| NewWait | 10 | 13.5 us |\n| OldWait | 10 | 19.5 us |\n",
            "Old",
            vec!["Jobs Push", "Jobs Wait", "Mean Push", "Mean Wait"],
        ),
        // A row of several lists, each with its unit.
        (
            "  1. east 4.2: ~402.5MB average\n  2. west: ~435.5MB average\n\n  1. west: ~64.5 seconds average\n  2. east 4.2: ~87.5 seconds average\n",
            "east 4.2",
            vec!["MB average", "seconds average"],
        ),
    ] {
        let found = choose(&read(page), part).unwrap();
        assert_eq!(titles(&found), wanted, "{part}");
    }
    let table =
        "| test | SLAB | SLUB |\n|---|---|---|\n| one (s) | 1.5 | 2.5 |\n| two (s) | 3.5 | 4.5 |\n";
    assert!(choose(&read(table), "SLUB (dynamic)").is_err());
    let why = choose(&read("pipe one: 1.5 s\nfork one: 2.5 s\n"), "gamma").unwrap_err();
    assert_eq!(
        why.to_string(),
        "no part of that name in it; there is \"pipe one\", \"fork one\" as rows"
    );
}

#[test]
fn a_name_whose_words_two_systems_have_means_neither() {
    let page = "| test | box (host==image) | box (host != image) |\n|---|---|---|\n\
                | pipe (s) | 1.5 | 2.5 |\n| fork (s) | 3.5 | 4.5 |\n";
    let systems = read(page);
    let chosen = |part: &str| choose(&systems, part).ok();
    for name in ["box (host==image)", "box (host != image):"] {
        let found = chosen(name).unwrap();
        let system = found.origin.unwrap().system;
        assert_eq!(system, name.trim_end_matches(':'));
    }
    assert!(chosen("box host image").is_none());
}
