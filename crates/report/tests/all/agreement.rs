//! Whatever shows a record gives the same number for a point: table, JSON, CSV, comparison and page.

use crate::common::{header_only, host, plain};
use proptest::prelude::*;
use whyslow_compare::{Named, Options, compare};
use whyslow_model::comparison::Comparison;
use whyslow_model::document::Document;
use whyslow_model::record::{
    Draw, Failure, FailureKind, Mark, MarkKind, Outcome, Planned, Process, Randomization, Record,
    Series, ValueRule,
};
use whyslow_model::summary::Summary;
use whyslow_model::{Better, Unit};
use whyslow_report::{Report, Shown};
use whyslow_stats::record::summarise;

/// What a sample is made of: its time, and a number that decides everything else.
type Raw = (f64, u8);

/// Raw samples without end.
struct Dice<'r>(std::iter::Cycle<std::slice::Iter<'r, Raw>>);

/// What may happen to the series of a point.
#[derive(Clone, Copy, Default)]
struct Happens {
    /// Its CPUs are in places of their own.
    classes: bool,
    /// Some samples are zero.
    zeros: bool,
    /// The SMT sibling of the core may be busy.
    slots: bool,
}

impl Dice<'_> {
    fn next(&mut self) -> Raw {
        *self.0.next().unwrap()
    }

    fn series(&mut self, name: &str, happens: Happens) -> Series {
        let drawn: Vec<Raw> = (0..4).map(|_| self.next()).collect();
        let marked = drawn.iter().enumerate().filter(|(_, (_, m))| *m < 2);
        let place = |m: u8| match m % 4 {
            0 => [90.0, 90.0],
            1 => [20.0, 90.0],
            _ => [20.0, 20.0],
        };
        // What is taken off takes less, mostly.
        let by = if name == "b" { 0.6 } else { 1.0 };
        let time = |ns: f64, m: u8| match happens.zeros && m.is_multiple_of(2) {
            true => 0.0,
            false => ns * by,
        };
        Series {
            name: name.into(),
            work: if happens.zeros { 1.0 } else { 7.0 },
            ns: drawn.iter().map(|(ns, m)| time(*ns, *m)).collect(),
            marks: marked
                .map(|(i, (_, m))| Mark {
                    sample: i as u32,
                    what: [MarkKind::Switches, MarkKind::Faults][usize::from(*m)],
                    count: 1,
                })
                .collect(),
            handover_ns: drawn
                .iter()
                .filter(|_| happens.classes)
                .map(|(_, m)| place(*m))
                .collect(),
            slots: drawn
                .iter()
                .filter(|_| happens.slots)
                .map(|(_, m)| if *m == 3 { [5.9, 3.1] } else { [5.9, 6.0] })
                .collect(),
        }
    }
}

fn planned(point: &str, unit: Unit, value: ValueRule) -> Planned {
    Planned {
        estimator: Default::default(),
        between_runs: 0.0,
        point: point.parse().unwrap(),
        unit,
        better: match unit {
            Unit::GbPerS => Better::Higher,
            _ => Better::Lower,
        },
        value,
        size_bytes: None,
        usual_marks: vec![MarkKind::Faults],
        title: None,
        symbol: None,
    }
}

/// Points of every rule, in places and not.
fn points() -> Vec<Planned> {
    let less = || ValueRule::Less {
        from: "a".into(),
        less: "b".into(),
    };
    let published = |number: u32, title: &str| Planned {
        title: Some(title.into()),
        symbol: Some("MB/s".into()),
        better: Better::Higher,
        ..planned(
            &format!("agree.row{number}"),
            Unit::Count,
            ValueRule::Single,
        )
    };
    vec![
        planned("agree.single", Unit::Ns, ValueRule::Single),
        planned("agree.best", Unit::GbPerS, ValueRule::Best),
        planned("agree.less", Unit::Ns, less()),
        planned("agree.each", Unit::Ns, ValueRule::Each),
        planned("agree.count", Unit::Count, ValueRule::Single),
        planned("agree.far{cpus=2}", Unit::Ns, ValueRule::Single),
        planned("agree.far_best{cpus=2}", Unit::GbPerS, ValueRule::Best),
        planned("agree.far_less{cpus=2}", Unit::Ns, less()),
        // Two rows of equal title and value.
        published(1, "Copy"),
        published(2, "Copy"),
    ]
}

/// A record of `rounds` rounds, with times, marks, classes, zeros, missing series and failures from `raw`.
fn record(raw: &[Raw], rounds: u32, with_host: bool) -> Record {
    let mut record = header_only();
    record.host = with_host.then(|| Box::new(host()));
    record.plan.points = points();
    let mut dice = Dice(raw.iter().cycle());
    for round in 1..=rounds {
        for planned in points() {
            let one = planned.value == ValueRule::Single;
            let names: &[&str] = if one { &[""] } else { &["a", "b"] };
            let happens = Happens {
                classes: planned.point.get("cpus").is_some(),
                zeros: planned.point.probe == "agree.count",
                slots: planned.point.probe != "agree.each" && planned.title.is_none(),
            };
            let crashed = dice.next().1 == 4 && dice.next().1 == 4;
            let mut draw = || Draw {
                series: names
                    .iter()
                    // One in six is missing: a process may lack either of two.
                    .filter(|_| one || dice.next().1 != 5)
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|name| dice.series(name, happens))
                    .collect(),
                ..Draw::default()
            };
            let outcome = if planned.title.is_some() {
                let mut published = draw();
                published.series[0] = Series {
                    name: String::new(),
                    work: 1.0,
                    ns: vec![f64::from(round) * 100.5],
                    marks: Vec::new(),
                    handover_ns: Vec::new(),
                    slots: Vec::new(),
                };
                Outcome::Draws(vec![published])
            } else if crashed {
                Outcome::Failed(Failure {
                    how: FailureKind::Crashed,
                    why: "it crashed".into(),
                })
            } else {
                let draws = vec![draw(), draw()];
                Outcome::Draws(draws)
            };
            record.processes.push(Process {
                round,
                order: 0,
                point: planned.point.clone(),
                at_ms: 0.0,
                wall_ms: 1.0,
                randomization: Randomization {
                    cpus: vec![0],
                    ..Randomization::default()
                },
                ghz: None,
                slots: None,
                outcome,
            });
        }
    }
    record
}

/// A figure as it is printed, in the point's unit, with half of its last digit.
fn printed(text: &str) -> Option<(f64, f64)> {
    let mut words = text.split_whitespace();
    let number = words.next()?;
    let scale = match words.next() {
        Some("µs") => 1e3,
        Some("ms") => 1e6,
        Some("s") => 1e9,
        _ => 1.0,
    };
    let value: f64 = number.parse().ok()?;
    let half = match number.split_once('.') {
        Some((_, decimals)) => 0.5 * 0.1f64.powi(decimals.len() as i32),
        // Rounded to tens, hundreds, ...
        None => {
            let zeros = number.len() - number.trim_end_matches('0').len();
            0.5 * 10f64.powi(zeros as i32)
        }
    };
    Some((value * scale, half * scale * (1.0 + 1e-9)))
}

fn is_printed(text: &str, value: f64) -> bool {
    printed(text).is_some_and(|(shown, half)| (shown - value).abs() <= half)
}

/// Every number that a record has for its points: the point, a part of it (a class or series) and the value.
fn numbers_of(summary: &Summary) -> Vec<(String, String, f64)> {
    let mut all = Vec::new();
    for point in &summary.points {
        let id = point.point.to_string();
        if let Some(value) = point.value {
            all.push((id, String::new(), value.value));
            continue;
        }
        for class in &point.classes {
            all.push((id.clone(), class.class.clone(), class.value.value));
        }
        if point.classes.is_empty() {
            for series in &point.series {
                all.push((id.clone(), series.name.clone(), series.value.value));
            }
        }
    }
    all
}

/// The rows of the table: probe, what the row is of, and the value as printed.
fn of_table(text: &str) -> Vec<(String, String, String)> {
    let (mut probe, mut rows) = (String::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line
            .split("  ")
            .map(str::trim)
            .filter(|w| !w.is_empty())
            .collect();
        match words[..] {
            [head] if head.starts_with("agree.") && !head.contains(": ") => probe = head.to_owned(),
            [name, value, ..] => rows.push((probe.clone(), name.to_owned(), value.to_owned())),
            _ => {}
        }
    }
    rows
}

/// Fields of a line of CSV whose fields have no quotes inside.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut inside) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => inside = !inside,
            ',' if !inside => all.push(String::new()),
            c => all.last_mut().unwrap().push(c),
        }
    }
    all
}

/// The texts of the cells of every row of the page's tables.
fn of_page(page: &str) -> Vec<Vec<String>> {
    // A row may have a place that links lead to.
    let rows = page.split("<tr").skip(1);
    let cells = |row: &str| {
        let row = row.split("</tr>").next().unwrap();
        let cells = row.split("<td").skip(1).map(|cell| {
            let text = cell
                .split_once('>')
                .unwrap()
                .1
                .split("</td>")
                .next()
                .unwrap();
            // The name of a point is a link to it.
            let linked = text.strip_prefix("<a ").and_then(|a| a.split_once('>'));
            let text = linked.map_or(text, |(_, text)| text.trim_end_matches("</a>"));
            text.replace('\u{a0}', " ")
        });
        cells.collect::<Vec<_>>()
    };
    rows.map(cells).collect()
}

/// Holds that every way to show `record` gives the numbers of its summary.
fn agree(record: &Record, other: &Record) -> Result<(), TestCaseError> {
    let summary = summarise(record);
    let (numbers, other_summary) = (numbers_of(&summary), summarise(other));
    let planned = |id: &str| {
        let mut points = summary.points.iter();
        points.find(|p| p.point.to_string() == id).unwrap()
    };

    // JSON.
    let json = serde_json::to_string(&Document {
        record: record.clone(),
        summary: summary.clone(),
        load: Vec::new(),
    })
    .unwrap();
    let read: Document = serde_json::from_str(&json).unwrap();
    let (read, written) = (numbers_of(&read.summary), &numbers);
    prop_assert_eq!(read.len(), written.len());
    for (read, written) in read.iter().zip(written) {
        prop_assert_eq!((&read.0, &read.1), (&written.0, &written.1));
        // The reader is not exact in the last bit.
        prop_assert!((read.2 - written.2).abs() <= 1e-15 * written.2.abs());
    }

    // CSV: to fifteen digits, as programs read it.
    let csv = whyslow_report::csv(record, &summary);
    let csv: Vec<Vec<String>> = csv.lines().map(fields).collect();
    let column = |name: &str| csv[0].iter().position(|h| h == name).unwrap();
    for (id, part, value) in &numbers {
        let of_part = |row: &&Vec<String>| match part.as_str() {
            "" => row[column("row")] == "point",
            part => row[column("row")] != "point" && row[column("name")] == part,
        };
        let row = csv.iter().filter(|row| row[0] == *id).find(of_part);
        let shown: f64 = row.unwrap()[column("value")].parse().unwrap();
        prop_assert!(
            (shown - value).abs() <= 1e-14 * value.abs(),
            "{id} {part}: {shown}, {value}"
        );
    }

    // The table.
    let text = whyslow_report::table(record, &summary, plain(200));
    let table = of_table(&text);
    for (id, part, value) in &numbers {
        let point = &planned(id).point;
        let of_it = table.iter().filter(|row| row.0 == point.probe);
        let row = of_it.clone().find(|row| match part.as_str() {
            "" => row.1 == "itself" || row.1 == "cpus=2",
            part => row.1.starts_with(&format!("- {part}")),
        });
        let row = row.unwrap();
        prop_assert!(
            is_printed(&row.2, *value),
            "{id} {part}: {}, {value}\n{text}",
            row.2
        );
    }
    let unknown = summary
        .points
        .iter()
        .filter(|p| p.value.is_none() && p.classes.is_empty());
    for point in unknown.filter(|p| p.point.probe.contains("less")) {
        let id = point.point.to_string();
        prop_assert!(
            text.contains(&format!("{id}: ")),
            "no reason for {id}:\n{text}"
        );
        prop_assert!(!point.failures.is_empty(), "{id}");
    }

    // The comparison, both as numbers and as printed.
    let named = |name, record| [Named { name, record }];
    let (a, b) = (named("a", record), named("b", other));
    let comparison = compare(&a, &b, &Options::default());
    let Ok(comparison) = comparison else {
        return Ok(());
    };
    for (id, part, value) in &numbers {
        let mut of_it = comparison
            .points
            .iter()
            .filter(|p| p.point.to_string() == *id);
        let apart = part.is_empty() || part == "moved";
        let Some(found) = of_it.find(|p| apart || p.part.as_ref() == Some(part)) else {
            let mut missing = comparison.missing.iter();
            let said = missing.any(|m| m.point.to_string() == *id);
            // Samples during a move are of no place that could be compared.
            prop_assert!(part == "moved" || said, "{id} {part} is nowhere");
            continue;
        };
        // Processes that never had the core are left out of a comparison, which says so.
        if found.left_out.is_none() && part != "moved" {
            prop_assert_eq!(found.a.value.value, *value, "{} {}", id, part);
        }
    }

    // The page.
    let shown =
        [("a", record, &summary), ("b", other, &other_summary)].map(|(name, record, summary)| {
            Shown {
                name,
                record,
                summary,
            }
        });
    let page = whyslow_report::html(&Report {
        records: &shown,
        comparisons: std::slice::from_ref(&comparison),
        explanations: &[],
        standings: &[],
        probes: &[],
        version: "0",
    });
    let rows = of_page(&page);
    for (id, part, value) in &numbers {
        let name = planned(id).title.clone().unwrap_or_else(|| id.clone());
        let row = rows
            .iter()
            .find(|row| row.len() == 4 && row[0] == name && row[1] == *part);
        prop_assert!(row.is_some(), "no row of the page for {id} {part}");
        let cell = &row.unwrap()[2];
        prop_assert!(
            is_printed(cell, *value),
            "page, {id} {part}: {cell}, {value}"
        );
    }
    for (id, part, cell) in compared_cells(&rows, &comparison) {
        let value = numbers.iter().find(|n| n.0 == id && n.1 == part);
        if let Some((_, _, value)) = value {
            prop_assert!(
                is_printed(&cell, *value),
                "differences, {id} {part}: {cell}, {value}"
            );
        }
    }
    Ok(())
}

/// What the page's table of differences prints of side A: point, part and value.
fn compared_cells(rows: &[Vec<String>], comparison: &Comparison) -> Vec<(String, String, String)> {
    let of_point = |point: &whyslow_model::comparison::PointComparison| {
        let id = point.point.to_string();
        let part = point.part.clone().unwrap_or_default();
        let name = match part.as_str() {
            "" => id.clone(),
            part => format!("{id}, {part}"),
        };
        let row = rows.iter().find(|row| row.len() == 8 && row[1] == name)?;
        point.left_out.is_none().then(|| (id, part, row[4].clone()))
    };
    comparison.points.iter().filter_map(of_point).collect()
}

/// Records tried; PROPTEST_CASES tries more.
fn cases() -> u32 {
    let more = std::env::var("PROPTEST_CASES").ok();
    more.and_then(|n| n.parse().ok()).unwrap_or(120)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]
    #[test]
    fn every_way_to_show_a_record_gives_the_same_numbers(
        raw in prop::collection::vec((50.0..150.0_f64, 0..6u8), 40..140),
        more in prop::collection::vec((50.0..150.0_f64, 0..6u8), 40..140),
        rounds in 1..8u32,
        with_host in any::<bool>(),
    ) {
        let one = record(&raw, rounds, with_host);
        let two = record(&more, 5, with_host);
        agree(&one, &one)?;
        agree(&one, &two)?;
    }
}
