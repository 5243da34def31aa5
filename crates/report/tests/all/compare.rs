//! Comparisons as the terminal and Markdown show them.

use crate::common::{Maker, check, header_only, plain, uncolored};
use whyslow_compare::{Named, Options, compare};
use whyslow_model::comparison::Comparison;
use whyslow_model::host::Known;
use whyslow_model::record::{Origin, Outcome, Planned, Process, Record, ValueRule};
use whyslow_model::{Better, Point, Unit};
use whyslow_report::{Look, comparison, comparison_markdown, host_differences, selfcheck};

/// The plausible record with other chances, and with every time of the points that begin with one of
/// `slowed` multiplied.
fn other(slowed: &[(&str, f64)]) -> Record {
    let mut maker = Maker::new();
    // Draws from the maker's dice before the points move all of their randomization.
    for _ in 0..3 {
        maker.single("cpu.clock", Unit::Ghz, 4.0);
    }
    maker.record.plan.points.clear();
    maker.record.processes.clear();
    let mut record = maker.all().done().0;
    for process in &mut record.processes {
        let text = process.point.to_string();
        let by = slowed.iter().find(|(start, _)| text.starts_with(start));
        let Outcome::Draws(draws) = &mut process.outcome else {
            continue;
        };
        for ns in draws
            .iter_mut()
            .flat_map(|d| &mut d.series)
            .flat_map(|s| &mut s.ns)
        {
            *ns *= by.map_or(1.0, |(_, factor)| *factor);
        }
    }
    record
}

fn against_usual(record: &Record) -> Comparison {
    let usual = crate::common::usual().0;
    let named = |name, record| [Named { name, record }];
    let options = Options {
        levels: true,
        ..Options::default()
    };
    compare(
        &named("a.whyslow", &usual),
        &named("b.whyslow", record),
        &options,
    )
    .unwrap()
}

fn slowed() -> Comparison {
    let mut record = other(&[
        ("ctx.", 4.0),
        ("ipc.", 3.4),
        ("proc.shell", 1.30),
        ("os.stat", 1.115),
        ("mem.latency{size=1.5MiB", 1.4),
        ("mem.latency{size=2MiB", 1.8),
    ]);
    record.states[0].state.memory.thp.enabled = Known::Is("never".into());
    record.states[1].state.memory.thp.enabled = Known::Is("never".into());
    against_usual(&record)
}

#[test]
fn the_page_begins_with_what_matters() {
    let page = comparison(&slowed(), plain(80));
    check(&page, 80);
    insta::assert_snapshot!("slowed", page);
}

#[test]
fn it_fits_any_width_and_colors_change_nothing() {
    let slowed = slowed();
    for width in [20, 40, 64, 80, 120, 200] {
        let bare = comparison(&slowed, plain(width));
        check(&bare, width);
        let colored = comparison(
            &slowed,
            Look {
                color: true,
                ..plain(width)
            },
        );
        assert_eq!(uncolored(&colored), bare);
    }
}

#[test]
fn markdown_is_a_list_and_tables() {
    insta::assert_snapshot!("slowed_markdown", comparison_markdown(&slowed()));
}

#[test]
fn like_records_show_no_real_difference() {
    let page = comparison(&against_usual(&other(&[])), plain(80));
    assert!(page.contains("no real difference"), "{page}");
    assert!(!page.contains("REAL DIFFERENCES"), "{page}");
}

/// A published record: title, values.
fn published(system: &str, rows: &[(&str, &[f64])]) -> Record {
    let mut record = header_only();
    record.origin = Some(Origin {
        format: "lmbench".into(),
        file: "table.txt".into(),
        system: system.into(),
        unit_of_repetition: "lmbench runs".into(),
        stated: Default::default(),
    });
    for (i, (title, values)) in rows.iter().enumerate() {
        let point = Point::new("lmbench.row").with("number", i);
        record.plan.points.push(Planned {
            estimator: Default::default(),
            between_runs: 0.0,
            point: point.clone(),
            unit: Unit::Count,
            better: Better::Lower,
            value: ValueRule::Single,
            size_bytes: None,
            usual_marks: vec![],
            title: Some((*title).into()),
            symbol: Some("us".into()),
        });
        for (round, value) in values.iter().enumerate() {
            record.processes.push(Process {
                round: round as u32 + 1,
                order: 0,
                point: point.clone(),
                at_ms: 0.0,
                wall_ms: 0.0,
                randomization: Default::default(),
                ghz: None,
                slots: None,
                outcome: Outcome::Draws(vec![whyslow_model::record::Draw {
                    frames: None,
                    series: vec![whyslow_model::record::Series {
                        name: String::new(),
                        work: 1.0,
                        ns: vec![*value],
                        marks: vec![],
                        handover_ns: vec![],
                        slots: vec![],
                    }],
                }]),
            });
        }
    }
    record
}

#[test]
fn published_tables_with_repetitions() {
    // Five rows of lmbench's summary in "page coloring for 2.4.23 kernel", linux-kernel, 2004.
    let a = published(
        "ds10 Linux 2.4.23",
        &[
            ("stat", &[3.27, 3.31, 3.43]),
            ("10K File Delete", &[31.9, 31.8, 31.5]),
            ("Mmap Latency", &[411.0, 412.0, 7143.0]),
            ("TCP conn", &[169.0, 171.0, 176.0]),
            ("Mmap reread", &[589.0, 589.0, 589.0]),
        ],
    );
    let b = published(
        "ds10 Linux 2.4.23a",
        &[
            ("stat", &[3.80, 3.68, 3.68]),
            ("10K File Delete", &[29.9, 29.7, 30.0]),
            ("Mmap Latency", &[6745.0, 6978.0, 6924.0]),
            ("TCP conn", &[173.0, 175.0, 178.0]),
            ("Mmap reread", &[588.0, 588.0, 588.0]),
        ],
    );
    let named = |name, record| [Named { name, record }];
    let found = compare(&named("a", &a), &named("b", &b), &Options::default()).unwrap();
    let page = comparison(&found, plain(80));
    check(&page, 80);
    insta::assert_snapshot!("published", page);
}

#[test]
fn published_tables_with_single_values() {
    let rows = |speed: f64, file: f64| -> Vec<(&str, f64)> {
        vec![
            ("Dhrystone 2", 100.0 / speed),
            ("Arithmetic (int)", 50.0 / speed),
            ("File Copy (10 seconds)", 20.0 / file),
            ("File Copy (30 seconds)", 60.0 / file),
        ]
    };
    let record = |system, rows: Vec<(&str, f64)>| {
        let rows: Vec<(&str, Vec<f64>)> = rows.into_iter().map(|(t, v)| (t, vec![v])).collect();
        let rows: Vec<(&str, &[f64])> = rows.iter().map(|(t, v)| (*t, v.as_slice())).collect();
        published(system, &rows)
    };
    let (a, b) = (
        record("one", rows(1.0, 1.0)),
        record("two", rows(1.04, 0.3)),
    );
    let named = |name, record| [Named { name, record }];
    let found = compare(&named("a", &a), &named("b", &b), &Options::default()).unwrap();
    let page = comparison(&found, plain(80));
    check(&page, 80);
    insta::assert_snapshot!("single_values", page);
}

#[test]
fn hosts_alone() {
    let found = slowed();
    let page = host_differences(&found.hosts, ["one.json", "two.json"], plain(80));
    check(&page, 80);
    assert!(page.contains("memory.thp.enabled"), "{page}");
}

#[test]
fn a_record_against_itself() {
    let record = crate::common::usual().0;
    let found = whyslow_compare::selfcheck::selfcheck(&record, &Default::default(), 1).unwrap();
    let page = selfcheck(&found, plain(80));
    check(&page, 80);
    insta::assert_snapshot!("selfcheck", page);
}

#[test]
fn nothing_in_a_record_moves_the_cursor_or_adds_markup() {
    let hostile = "\u{1b}[2J|`<b>*x";
    let a = published(hostile, &[(hostile, &[1.0, 1.1, 1.2])]);
    let b = published(hostile, &[(hostile, &[3.0, 3.1, 3.2])]);
    let named = |record| {
        [Named {
            name: hostile,
            record,
        }]
    };
    let found = compare(&named(&a), &named(&b), &Options::default()).unwrap();
    check(&comparison(&found, plain(80)), 80);
    let markdown = comparison_markdown(&found);
    assert!(
        !markdown.contains('\u{1b}') && !markdown.contains("<b>"),
        "{markdown}"
    );
}
