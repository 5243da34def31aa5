//! Rows that are there are rows kept and rows refused, and no two things are taken for one.

use whyslow_import::{Format, Imported, import};

fn read(text: &str) -> Imported {
    let imported = import(text.as_bytes(), "x", None).unwrap();
    crate::common::assert_all_stand_in(text.as_bytes(), &imported);
    imported
}

fn shown(imported: &Imported) -> Vec<String> {
    let all = imported.systems.iter().flat_map(|record| {
        let system = &record.origin.as_ref().unwrap().system;
        let planned = record.plan.points.iter();
        let rows = crate::common::values(record)
            .into_iter()
            .map(move |(point, round, value)| {
                let found = planned.clone().find(|p| p.point.to_string() == point);
                let unit = found.and_then(|p| p.symbol.as_deref()).unwrap_or_default();
                format!("{system}|{point}|{round}|{value} {unit}")
            });
        rows.collect::<Vec<_>>()
    });
    all.collect()
}

fn refused(imported: &Imported) -> Vec<(usize, &str)> {
    let rows = imported.refusals.iter();
    rows.map(|r| (r.line, r.why.as_str())).collect()
}

/// A line behind which nothing stands for a row of any format.
const STRANGE: &str = "qqq zzz 17.25 qq/s";

/// Every sample with a strange row in each place: the sum has one more, and the row is named unless a
/// format has a use for it.
#[test]
fn no_format_drops_a_row_without_a_word() {
    for (format, name, bytes) in crate::common::samples() {
        if format == "hyperfine" {
            // JSON is whole or refused.
            continue;
        }
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        let format = Format::named(&format);
        let whole = import(text.as_bytes(), &name, format).unwrap();
        let rows = whole.kept + whole.refused;
        assert!(whole.kept > 0 && whole.refused == whole.refusals.len());
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..=lines.len() {
            let mut with = lines.clone();
            with.insert(at, STRANGE);
            let with = with.join("\n") + "\n";
            let Ok(other) = import(with.as_bytes(), &name, format) else {
                continue;
            };
            let named = other.refusals.iter().any(|r| r.text == STRANGE);
            let kept = shown(&other).iter().any(|row| row.contains("17.25"));
            let stands = format!("{name}:{}: {with}", at + 1);
            if named || kept {
                // A row beside it may have become unreadable, and none may be gone.
                assert!(other.kept + other.refused > rows, "{stands}");
            } else {
                // Above the first table of a page anything may stand.
                let above = lines[..at].join("\n") + "\n";
                assert!(import(above.as_bytes(), &name, format).is_err(), "{stands}");
            }
        }
    }
}

#[test]
fn a_page_of_two_tools_is_read_as_both() {
    let page = "Words of 2004.\n\n\
        | Test | old | new |\n|---|---|---|\n\
        | Pipe Throughput | 899956.5 | 985937.3 |\n| Sieve of mine | 1.5 | 2.5 |\n\n\
        The next one is of RAMspeed (in KB/s):\n\n\
        | Block Size | old | old | new | new |\n|---|---|---|---|---|\n\
        | 512 | 853.9 | 574.9 | 849.7 | 546.7 |\n\
        | 1024 | 852.5 | 1.8e308 | 841.6 | 547.9 |\n\n\
        And again:\n\n\
        | Test | old | new |\n|---|---|---|\n| Process Creation | 9790.1 | 8763.2 |\n";
    let read = read(page);
    let formats: Vec<&str> = read.formats.iter().map(|f| f.name()).collect();
    assert_eq!(formats, ["byte", "ramspeed"]);
    assert_eq!((read.kept, read.refused), (4, 1));
    assert_eq!(
        refused(&read),
        [(13, "a figure above 1e20, which nothing measures")]
    );
    let old: Vec<String> = shown(&read).into_iter().take(5).collect();
    assert_eq!(
        old,
        [
            "old|byte.pipe_throughput|1|899956.5 lps",
            "old|byte.sieve_of_mine|1|1.5 ",
            "old|byte.process_creation|1|9790.1 lps",
            "old|ramspeed.speed{column=1,block=512Kb}|1|853.9 KB/s",
            "old|ramspeed.speed{column=2,block=512Kb}|1|574.9 KB/s",
        ]
    );
}

#[test]
fn index_scores_stay_an_index() {
    let all = shown(&read(
        "| Test | Score | Unit | Time | Iters. | Baseline | Index |\n|--|--|--|--|--|--|--|\n\
         | Dhrystone 2 using register variables | 39211234.5 | lps | 10.0 s | 7 | 116700.0 | 3360.0 |\n\
         | System Benchmarks Index Score: | | | | | | 1543.2 |\n",
    ));
    assert_eq!(
        all,
        [
            "|byte.dhrystone_2_using_register_variables|1|39211234.5 lps",
            "|byte.system_benchmarks_index_score|1|1543.2 index",
        ]
    );
    let tables = [
        "| Test | Index |\n|--|--|\n| Pipe Throughput | 3360 |\n",
        "UnixBench index scores:\n\n| Test | old |\n|--|--|\n| Pipe Throughput | 3360 |\n",
        "| Index of | old |\n|--|--|\n| Pipe Throughput | 3360 |\n",
    ];
    for table in tables {
        let all = shown(&read(table));
        assert!(
            all.len() == 1 && all[0].ends_with("3360 index"),
            "{table}{all:?}"
        );
    }
}

#[test]
fn rows_of_different_conditions_are_no_repeats() {
    let all = shown(&read(
        "name,value,unit,flags\nx,1,s,-O2 -g\nx,2,s,\"-O2,-g\"\nx,3,s,-O2 -g\n",
    ));
    assert_eq!(
        all,
        [
            "|table.x{flags=-O2_-g}|1|1 s",
            "|table.x_2{flags=-O2_-g}|1|2 s",
            "|table.x{flags=-O2_-g}|2|3 s",
        ]
    );
    // Two columns of one name, which the table does not tell apart.
    let all = shown(&read(
        "| Test | a | a |\n|--|--|--|\n| Pipe Throughput | 3 | 5 |\n",
    ));
    assert_eq!(
        all,
        [
            "a|byte.pipe_throughput{column=1}|1|3 lps",
            "a|byte.pipe_throughput{column=2}|1|5 lps",
        ]
    );
    for words in ["# governor: powersave", "With the other governor it is"] {
        let text = format!("name,value,unit\nx,1,s\nx,2,s\n{words}\nx,3,s\nx,4,s\n");
        let all = shown(&read(&text));
        assert_eq!(
            all,
            [
                "|table.x|1|1 s",
                "|table.x{table=2}|1|3 s",
                "|table.x|2|2 s",
                "|table.x{table=2}|2|4 s",
            ]
        );
    }
}

#[test]
fn a_row_behind_a_comment_is_kept() {
    let text =
        std::fs::read_to_string(crate::common::data().join("lmbench/two-hosts-3.0.txt")).unwrap();
    let whole = read(&text);
    let mut lines: Vec<&str> = text.lines().collect();
    let rows: Vec<usize> = (0..lines.len())
        .filter(|i| lines[*i].contains("Linux"))
        .collect();
    for at in rows.into_iter().rev() {
        lines.insert(at, "# measured again, see above");
    }
    let other = read(&(lines.join("\n") + "\n"));
    assert_eq!(other.systems, whole.systems);
    assert_eq!((other.kept, other.refused), (whole.kept, whole.refused));
    assert_eq!(
        shown(&read("name,value,unit\n# a comment\nx,1,s\n")),
        ["|table.x|1|1 s"]
    );
}

#[test]
fn what_cannot_be_is_refused_and_what_is_odd_is_kept() {
    let text = "name,value,unit\n=cmd|x!A0,5,s\na,1.8e308,s\nb,1e-200,s\nc,37162629.5,lps\nd,0,s\ne,1.7e308,s\n";
    let read = read(text);
    let titles: Vec<_> = read.systems[0]
        .plan
        .points
        .iter()
        .map(|p| p.title.as_deref())
        .collect();
    assert_eq!(titles, [Some("=cmd|x!A0"), Some("c")]);
    assert_eq!(
        refused(&read),
        [
            (3, "a figure above 1e20, which nothing measures"),
            (4, "a figure below 1e-20, which nothing measures"),
            (
                6,
                "the source prints a zero or less, which is no measured amount"
            ),
            (7, "a figure above 1e20, which nothing measures"),
        ]
    );
    assert_eq!((read.kept, read.refused), (2, 4));
}

#[test]
fn refusals_hide_nothing() {
    let text = "name,value,unit\nx,1,s\n\u{9b}31m\u{202e}y,1.5.2,s\n";
    let read = read(text);
    assert_eq!(read.refusals[0].text, "\\u009b31m\\u202ey,1.5.2,s");
}

#[test]
fn a_column_of_a_table_is_a_system_and_changes_are_no_values() {
    let table = "Test      5.10-vanilla   5.10-mine   delta\n\
                 getpid (ns)   121.5   130.25   +7.2%\n\
                 pipe (us)     4.5     4.75     +5.6%\n";
    assert_eq!(
        shown(&read(table)),
        [
            "5.10-vanilla|columns.getpid_ns|1|121.5 ns",
            "5.10-vanilla|columns.pipe_us|1|4.5 us",
            "5.10-mine|columns.getpid_ns|1|130.25 ns",
            "5.10-mine|columns.pipe_us|1|4.75 us",
        ]
    );
    // Names with parts of words that changes have are names.
    let all = shown(&read(
        "            v6.1   v6.1+p\npipe (us)   4.5    4.75\n",
    ));
    assert_eq!(
        all,
        [
            "v6.1|columns.pipe_us|1|4.5 us",
            "v6.1+p|columns.pipe_us|1|4.75 us",
        ]
    );
}

#[test]
fn a_broken_row_is_whole_and_a_short_one_is_refused() {
    let table = "Test         before   after   unit\n\
                 getpid        121.5\n  130.25  ns\n\
                 pipe          4.5\n";
    let read = read(table);
    assert_eq!((read.kept, read.refused), (1, 1));
    assert_eq!(
        shown(&read),
        [
            "before|columns.getpid|1|121.5 ns",
            "after|columns.getpid|1|130.25 ns"
        ]
    );
}

#[test]
fn two_columns_are_not_read_as_one() {
    // Each is a row of a tool with a second figure, which must not be lost.
    for row in [
        "Elapsed Time     71.25 (0.5)    70.25 (0.25)",
        "Simple syscall: 0.1250 microseconds    0.1375 microseconds",
        "getpid native: 702 ns    701 ns",
    ] {
        let table = format!("                 base      mine\n{row}\n");
        let read = read(&table);
        assert_eq!(read.formats[0].name(), "columns", "{row}");
        assert_eq!(read.systems.len(), 2, "{row}");
        // Without a line that names them they are called by their place.
        let read = self::read(&format!("{row}\n"));
        let names: Vec<&str> = read
            .systems
            .iter()
            .map(|r| r.origin.as_ref().unwrap().system.as_str())
            .collect();
        assert_eq!(names, ["column 1", "column 2"], "{row}");
    }
}

#[test]
fn a_page_of_two_sides_has_a_system_for_each() {
    let systems = |page: &str| -> Vec<String> {
        let read = read(page);
        let names = read.systems.iter();
        names
            .map(|r| r.origin.as_ref().unwrap().system.clone())
            .collect()
    };
    for page in [
        "before:\nTime: 1.25\n\nafter:\nTime: 1.5\n",
        "before: Time: 1.25\nafter:  Time: 1.5\n",
        "before        after\nreal 0m1.25s   real 0m1.5s\nuser 0m1.125s  user 0m1.25s\n",
    ] {
        assert_eq!(systems(page), ["before", "after"], "{page}");
    }
    assert_eq!(
        systems("getpid: 120 ns -> 130 ns (+8.3%)\n"),
        ["first of each pair", "second of each pair"]
    );
    // Runs are repetitions, and no sides.
    assert_eq!(systems("Run 1:\nTime: 1.25\n\nRun 2:\nTime: 1.5\n"), [""]);
}

#[test]
fn times_are_of_the_run_above_them() {
    let times = "1.500u 2.250s 0:05.25 71.4% 0+0k 0+0io 3pf+0w\n";
    let csv = "box,2G,8125,91,9250,11,4125,6,7125,80,15250,14,512.5,4\n";
    let page = format!(
        "make\n{times}\n$ dbench 8\nThroughput 20.5 MB/sec (NB=25.625 MB/sec  205 MBit/sec)\n{times}\n{csv}"
    );
    let read = read(&page);
    let formats: Vec<&str> = read.formats.iter().map(|f| f.name()).collect();
    assert_eq!(formats, ["time", "dbench", "bonnie"]);
    let titles: Vec<String> = crate::common::rows_of(&read)
        .into_iter()
        .filter(|row| row.contains("user") || row.contains("Throughput"))
        .collect();
    assert_eq!(
        titles,
        [
            "|user|1.5 Lower",
            "|dbench 8 Throughput|20.5 Higher",
            "|dbench 8 user|1.5 Lower",
        ]
    );
}
