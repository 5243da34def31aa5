//! The page that a run ends with: how it looks, and that nothing breaks it.

use crate::common::{Maker, check, header_only, page, plain, uncolored, usual};
use whyslow_model::Unit;
use whyslow_model::host::{CpuSet, Known};
use whyslow_model::record::{Failure, FailureKind, Note, Origin, Outcome, Record, ValueRule};
use whyslow_model::state::Neighbour;
use whyslow_model::summary::Summary;
use whyslow_report::{Look, summary, table};

fn all_widths(record: &Record, found: &Summary) {
    for width in [1, 8, 20, 40, 60, 80, 120, 300] {
        check(&summary(record, found, plain(width)), width);
        check(&table(record, found, plain(width)), width);
    }
}

#[test]
fn usual_page() {
    let (record, found) = usual();
    insta::assert_snapshot!(summary(&record, &found, plain(80)));
}

#[test]
fn narrow_page() {
    let (record, found) = usual();
    insta::assert_snapshot!(summary(&record, &found, plain(60)));
}

#[test]
fn colors_change_no_text() {
    let (record, found) = usual();
    let colored = summary(
        &record,
        &found,
        Look {
            color: true,
            ..plain(80)
        },
    );
    assert!(colored.contains("\x1b[1mLEVELS\x1b[0m"));
    assert_eq!(uncolored(&colored), summary(&record, &found, plain(80)));
}

#[test]
fn keeps_to_every_width() {
    let (record, found) = usual();
    all_widths(&record, &found);
}

#[test]
fn cuts_nothing_off_at_usual_widths() {
    let (record, found) = usual();
    for width in [60, 80, 120] {
        for text in [
            summary(&record, &found, plain(width)),
            table(&record, &found, plain(width)),
        ] {
            assert!(!text.contains('…'), "{width}: {text}");
        }
    }
}

#[test]
fn table_has_each_point_once() {
    let (record, found) = usual();
    let text = table(&record, &found, plain(200));
    for point in &found.points {
        assert!(
            text.lines().any(|l| l == point.point.probe),
            "{}",
            point.point.probe
        );
    }
    let rows = text.lines().filter(|l| l.starts_with("cpus=same-llc "));
    assert_eq!(rows.count(), 1);
}

#[test]
fn a_header_alone_is_a_page() {
    let record = header_only();
    let found = whyslow_stats::record::summarise(&record);
    all_widths(&record, &found);
    let text = page(&record, &found);
    assert!(
        text.contains("the run ended before the host was read"),
        "{text}"
    );
    assert!(
        text.contains("nothing measured (unfinished, before the first round)"),
        "{text}"
    );
    assert!(table(&record, &found, plain(80)).contains("no points"));
}

#[test]
fn published_figures_are_shown_as_such() {
    let (mut record, _) = Maker::new()
        .single("lmbench.null_call", Unit::Count, 0.34)
        .done();
    record.host = None;
    record.states.clear();
    record.neighbours = None;
    record.origin = Some(Origin {
        format: "lmbench".into(),
        file: "table.txt".into(),
        system: "ds10 Linux 2.4.23".into(),
        unit_of_repetition: "lmbench runs".into(),
        stated: Default::default(),
    });
    record.plan.points[0].title = Some("null call".into());
    record.plan.points[0].symbol = Some("us".into());
    let found = whyslow_stats::record::summarise(&record);
    all_widths(&record, &found);
    let text = page(&record, &found);
    for wanted in [
        "ds10 Linux 2.4.23",
        "table.txt",
        "up to 5 lmbench runs",
        "null call 0.34",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    for absent in ["the run ended", "build", "--standard"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn few_points_make_few_sections() {
    let (record, found) = Maker::new().single("os.null_call", Unit::Ns, 90.0).done();
    let text = page(&record, &found);
    for absent in ["LEVELS", "LATENCY", "BANDWIDTH", "SWITCHING", "OTHER"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
    assert!(
        text.contains("null call 90.") || text.contains("null call 89."),
        "{text}"
    );
    assert!(text.contains("Nothing that is looked for."), "{text}");
}

#[test]
fn calls_through_the_c_library_stand_beside_the_bare_ones() {
    let mut maker = Maker::new();
    for (point, ns) in [
        ("os.null_call", 130.0),
        ("os.null_call{via=libc}", 190.0),
        ("os.stat", 700.0),
        ("os.stat{via=libc}", 735.0),
        ("os.read{via=libc}", 200.0),
        ("ipc.pipe{cpus=same-cpu,via=libc}", 5000.0),
    ] {
        maker.single(point, Unit::Ns, ns);
    }
    let (record, found) = maker.done();
    all_widths(&record, &found);
    let text = page(&record, &found);
    for wanted in [
        "; libc 190",
        "; libc 73",
        "read libc 20",
        "Longer through the C library: null call 46 %.",
        "pipe and back, via libc",
    ] {
        assert!(
            text.replace('\u{a0}', " ").contains(wanted),
            "{wanted}: {text}"
        );
    }
    assert!(
        !text.contains("`ret`") && !text.contains("OTHER POINTS"),
        "{text}"
    );

    // The reason is given where the host says so.
    let Known::Is(mitigations) = &mut maker.record.states[0].state.mitigations else {
        panic!("known mitigations");
    };
    let safe = "Vulnerable: Safe RET, no microcode";
    mitigations.insert("spec_rstack_overflow".into(), safe.into());
    let (record, found) = maker.done();
    let text = page(&record, &found);
    assert!(text.contains("returns through a `ret`"), "{text}");
}

#[test]
fn points_without_a_place_are_listed() {
    let (record, found) = Maker::new()
        .single("new.probe{way=other}", Unit::Ns, 90.0)
        .done();
    let text = page(&record, &found);
    assert!(
        text.contains("OTHER POINTS") && text.contains("new.probe{way=other}"),
        "{text}"
    );
}

#[test]
fn points_of_one_probe_without_a_place_are_a_table() {
    let mut maker = Maker::new();
    for (op, size, gbps) in [
        ("read", "1KiB", 60.0),
        ("read", "2KiB", 50.0),
        ("write", "1KiB", 40.0),
        ("write", "2KiB", 30.0),
    ] {
        let point = format!("new.block{{op={op},size={size},cpus=1}}");
        maker.single(&point, Unit::GbPerS, gbps);
    }
    let (record, found) = maker.done();
    all_widths(&record, &found);
    let text = page(&record, &found);
    let wanted =
        "new.block{cpus=1} GB/s, by size 1KiB 2KiB read 59.9 ±0.7 % 50.1 ±0.6 % write 40.0";
    assert!(text.contains(wanted), "{text}");
    // Points that one cell would hold together are a line each.
    maker.single("new.block{mode=read,size=1KiB,cpus=1}", Unit::GbPerS, 20.0);
    let (record, found) = maker.done();
    let text = page(&record, &found);
    assert!(
        text.contains("new.block{mode=read,size=1KiB,cpus=1}"),
        "{text}"
    );
}

/// No doubt about a run hides what a setting mends.
#[test]
fn the_answer_has_the_cure_beside_a_doubt() {
    let mut maker = Maker::new();
    for (distance, gbps) in [("0", 180.0), ("8", 6.0)] {
        let point = format!("mem.libc{{op=memcpy,size=8KiB,distance={distance}}}");
        maker.single(&point, Unit::GbPerS, gbps);
    }
    maker.record.header.build.profile = "debug".into();
    let (record, found) = maker.done();
    let text = page(&record, &found);
    let (answer, _) = text.split_once(" machine ").unwrap();
    assert!(
        answer.contains("debug build") && answer.contains("memcpy takes up to 30 times as long"),
        "{answer}"
    );
}

#[test]
fn one_process_has_no_interval() {
    let mut maker = Maker::new();
    maker.single("os.null_call", Unit::Ns, 90.0);
    maker.record.processes.truncate(1);
    let (record, found) = maker.done();
    assert!(page(&record, &found).contains("ns (one process, no interval)"));
}

#[test]
fn a_point_without_a_value_says_why() {
    let mut maker = Maker::new();
    maker.point(
        "mem.bandwidth{op=read,level=L1,cpus=1}",
        Unit::GbPerS,
        ValueRule::Best,
        &[("avx", 100.0)],
    );
    maker.single("os.null_call", Unit::Ns, 90.0);
    for process in &mut maker.record.processes {
        process.outcome = Outcome::Failed(Failure {
            how: FailureKind::Unavailable,
            why: "the sky fell".into(),
        });
    }
    maker.single("os.read", Unit::Ns, 90.0);
    maker.record.processes.truncate(10);
    let (record, found) = maker.done();
    all_widths(&record, &found);
    let text = page(&record, &found);
    assert!(
        text.contains("no value for read 1 L1: the sky fell"),
        "{text}"
    );
    assert!(text.contains("null call none: the sky fell"), "{text}");
    assert!(
        text.contains("read none: the run ended before it was measured"),
        "{text}"
    );
}

#[test]
fn classes_are_shown_apart() {
    let point = "mem.bandwidth{op=copy,level=DRAM,cpus=all}";
    let mut maker = Maker::new();
    maker.point_at(
        point,
        Unit::GbPerS,
        ValueRule::Best,
        &[("avx", 60.0)],
        &[25.0, 100.0],
    );
    let (record, found) = maker.done();
    assert!(
        found.points[0].value.is_none(),
        "the summary must not average over classes"
    );
    all_widths(&record, &found);
    let text = page(&record, &found);
    assert!(
        text.contains("near 60.0") && text.contains("far 14.9"),
        "{text}"
    );
    let rows = table(&record, &found, plain(80));
    assert!(
        rows.contains("- near (25 ns)") && rows.contains("- far (100 ns)"),
        "{rows}"
    );
}

#[test]
fn many_cpus_fit() {
    let mut maker = Maker::new();
    maker.all();
    let cpus: CpuSet = (0..128).collect();
    let pairs = (0..127).map(|a| format!("cpu.core_to_core{{a={a},b=127}}"));
    for (i, text) in pairs.enumerate() {
        maker.single(&text, Unit::Ns, 20.0 + i as f64);
    }
    if let Some(host) = &mut maker.record.host {
        host.topology.online = Known::Is(cpus.clone());
        host.topology.llcs = Known::Is((0..16).map(|i| (8 * i..8 * i + 8).collect()).collect());
        if let Known::Is(caches) = &mut host.caches {
            caches[3].shared = host.topology.llcs.clone();
        }
    }
    maker.record.states[0].state.cpus.usable = Known::Is(cpus);
    let (record, found) = maker.done();
    all_widths(&record, &found);
    let text = page(&record, &found);
    assert!(
        text.contains("128 CPUs") && text.contains("L3 16 x 16 MiB"),
        "{text}"
    );
    assert!(text.contains("128 pairs, one way: 20"), "{text}");
    check(
        &whyslow_report::host(
            record.host.as_ref().unwrap(),
            &record.states[0].state,
            plain(60),
        ),
        60,
    );
}

#[test]
fn hostile_texts_reach_no_terminal() {
    const EVIL: &str = "x\x1b]0;owned\x07\x1b[31m\r\n\u{9b}2J\u{202e}\u{4e2d}y";
    let mut maker = Maker::new();
    maker.single("os.null_call", Unit::Ns, 90.0);
    let record = &mut maker.record;
    record.header.started = EVIL.repeat(3);
    record.header.intensity = EVIL.into();
    record.header.build.profile = EVIL.into();
    record.notes.push(Note {
        about: EVIL.into(),
        text: EVIL.repeat(20),
    });
    record.processes[0].outcome = Outcome::Failed(Failure {
        how: FailureKind::Crashed,
        why: EVIL.into(),
    });
    if let Some(neighbours) = &mut record.neighbours {
        neighbours.others_cpu_s = Known::Is(150.0);
        neighbours.top = Known::Is(vec![Neighbour {
            comm: EVIL.into(),
            pid: 1,
            cpu_s: 9.0,
        }]);
    }
    let state = &mut record.states[0].state;
    state.kernel.release = Known::Is(EVIL.into());
    state.libc.version = Known::Is(EVIL.into());
    state.frequency.policies = Known::unknown(EVIL);
    let (record, mut found) = maker.done();
    let mut host = crate::common::host();
    host.name = Known::Is(EVIL.into());
    host.cpu.features = Known::unknown(EVIL);
    found.points[0].from = Some(EVIL.into());
    found.points[0].failures.push(EVIL.into());
    found.notes.push(EVIL.into());
    all_widths(&record, &found);
    check(
        &whyslow_report::host(&host, &record.states[0].state, plain(80)),
        80,
    );
    check(&whyslow_report::csv(&record, &found), 1000);
    check(&whyslow_report::paragraph(EVIL, EVIL, 80), 80);
    let colored = summary(
        &record,
        &found,
        Look {
            color: true,
            ..plain(80)
        },
    );
    check(&uncolored(&colored), 80);
    assert!(
        page(&record, &found).contains("owned"),
        "the text itself is still shown"
    );
}

#[test]
fn paragraphs_keep_their_column() {
    insta::assert_snapshot!(whyslow_report::paragraph("placement", "one two three four five six seven", 30), @r"
    placement one two three
              four five six
              seven
    ");
}

#[test]
fn where_there_is_only_ascii_nothing_else_is_shown() {
    let (record, found) = usual();
    for width in [60, 80, 200] {
        let signs = summary(&record, &found, plain(width));
        let bare = Look {
            ascii: true,
            ..plain(width)
        };
        let ascii = summary(&record, &found, bare);
        assert!(ascii.is_ascii(), "{ascii}");
        check(&ascii, width);
        // The same lines, as long, with other signs.
        let lengths =
            |text: &str| -> Vec<usize> { text.lines().map(|line| line.chars().count()).collect() };
        assert_eq!(lengths(&ascii), lengths(&signs));
    }
}

#[test]
fn in_ascii() {
    let (record, found) = usual();
    let bare = Look {
        ascii: true,
        ..plain(80)
    };
    insta::assert_snapshot!(summary(&record, &found, bare));
}

#[test]
fn wide_page() {
    let (record, found) = usual();
    insta::assert_snapshot!(summary(&record, &found, plain(200)));
}
