//! Two sides of a page found by their names, in layouts that no format knows.

use whyslow_import::{alike, side, sided};
use whyslow_model::Record;
use whyslow_model::record::Outcome;

/// Titles and values of a record.
fn shown(record: &Record) -> Vec<(String, f64)> {
    let value = |p: &whyslow_model::record::Process| match &p.outcome {
        Outcome::Draws(draws) => draws[0].series[0].ns[0],
        Outcome::Failed(failure) => panic!("{failure:?}"),
    };
    let points = record.plan.points.iter().map(|planned| {
        let process = record.processes.iter().find(|p| p.point == planned.point);
        (planned.title.clone().unwrap(), value(process.unwrap()))
    });
    points.collect()
}

fn both(text: &str, names: [&str; 2]) -> Option<[Vec<(String, f64)>; 2]> {
    let found = sided(text.as_bytes(), "x.txt", names).unwrap()?;
    Some(found.map(|record| shown(&record)))
}

fn rows(rows: &[(&str, f64)]) -> Vec<(String, f64)> {
    rows.iter().map(|(t, v)| ((*t).to_owned(), *v)).collect()
}

#[test]
fn a_header_that_names_both_is_one_of_columns() {
    let text = "Benchmark           Pipeline  Metric    Base              Target            change\n\
                -----\n\
                parser-5.6.1        evm       cpu_time  19.60s ± 0.01s    18.80s ± 0.02s    -4.1%\n";
    let [a, b] = both(text, ["Base", "Target"]).unwrap();
    assert_eq!(a, rows(&[("parser-5.6.1 evm cpu_time", 19.6)]));
    assert_eq!(b, rows(&[("parser-5.6.1 evm cpu_time", 18.8)]));
}

#[test]
fn the_longer_name_is_meant_where_one_is_part_of_the_other() {
    let text = "| Build | Wall | System |\n|---|---|---|\n| musl static | 16s | 414s |\n| musl static + mimalloc | 0.19s | 0.22s |\n";
    let [a, b] = both(text, ["musl static", "musl static + mimalloc"]).unwrap();
    assert_eq!(a, rows(&[("Wall", 16.0), ("System", 414.0)]));
    assert_eq!(b, rows(&[("Wall", 0.19), ("System", 0.22)]));
}

#[test]
fn lines_that_name_a_side_are_headings_of_blocks() {
    let text = "We ran it with the old allocator first.\nreal 1.5\nuser 1.0\nThen with the new one:\nreal 1.2\nuser 0.8\n";
    let [a, b] = both(text, ["old allocator", "new one"]).unwrap();
    assert_eq!((a[0].1, b[0].1), (1.5, 1.2));
    assert_eq!(a.len(), 2);
}

#[test]
fn a_name_that_is_nowhere_finds_nothing() {
    assert_eq!(both("a 1.5 s\nb 2.5 s\n", ["x", "y"]), None);
    assert_eq!(both("a 1.5 s\nb 2.5 s\n", ["a", "a"]), None);
    assert!(side(b"a 1.5 s\n", "x.txt", "b").unwrap().is_none());
}

#[test]
fn pages_of_one_layout_have_their_lines_in_common() {
    let a = "started at ok\nqueue depth reached 12.5 in 3.25 s\n";
    let b = "started at ok\nqueue depth reached 14.5 in 2.25 s\nmore 1.5 s\n";
    let [a, b] = alike([(a.as_bytes(), "a"), (b.as_bytes(), "b")])
        .unwrap()
        .unwrap();
    let of = |record: &Record| shown(record).iter().map(|(_, v)| *v).collect::<Vec<_>>();
    assert!(
        of(&a).contains(&3.25) && of(&b).contains(&2.25),
        "{:?} {:?}",
        shown(&a),
        shown(&b)
    );
    assert!(!of(&b).contains(&1.5));
}

#[test]
fn no_page_makes_it_panic() {
    for (_, name, bytes) in crate::common::samples() {
        let words: Vec<String> = String::from_utf8_lossy(&bytes)
            .split_whitespace()
            .take(40)
            .map(str::to_owned)
            .collect();
        for pair in words.windows(2) {
            let _ = sided(&bytes, &name, [&pair[0], &pair[1]]);
            let _ = side(&bytes, &name, &pair[0]);
        }
        let cut = &bytes[..bytes.len() / 2];
        let _ = alike([(&bytes, &name), (cut, "cut")]);
    }
}

#[test]
fn a_side_may_have_several_figures_in_a_row() {
    let text = "Threads   noslice                 slice                  t     ops\n\
                1         0.25 s  1551 ops/s      0.5 s  1283 ops/s      20%   -17%\n\
                2         1.25 s  1602 ops/s      1.5 s  1323 ops/s      18%   -14%\n";
    let [a, b] = both(text, ["noslice", "slice"]).unwrap();
    let first = rows(&[
        ("1 s", 0.25),
        ("1 ops/s", 1551.0),
        ("2 s", 1.25),
        ("2 ops/s", 1602.0),
    ]);
    let second = rows(&[
        ("1 s", 0.5),
        ("1 ops/s", 1283.0),
        ("2 s", 1.5),
        ("2 ops/s", 1323.0),
    ]);
    assert_eq!((a, b), (first, second));
}

#[test]
fn a_block_may_begin_in_its_first_row() {
    let text = " Delay      bench\n=========  ========  =====  =====\n 1000us     Groups    1      2      4\n            Time(s)   1.5    2.5    5.5\n\
                \x20600us      Groups    1      2      4\n            Time(s)   1.75(+16%)   2.75(+10%)   5.25(-4%)\n";
    let [a, b] = both(text, ["1000us", "600us"]).unwrap();
    let titled = |values: [f64; 3]| {
        let names = [
            "Time(s), Groups 1",
            "Time(s), Groups 2",
            "Time(s), Groups 4",
        ];
        rows(&names.into_iter().zip(values).collect::<Vec<_>>())
    };
    assert_eq!(
        (a, b),
        (titled([1.5, 2.5, 5.5]), titled([1.75, 2.75, 5.25]))
    );
}

#[test]
fn a_name_that_is_a_part_of_a_row_is_taken_to_the_letter() {
    let text = "Stamp,Compiler,Flags,Time (ms)\nx,cc,-O0,15.5\ny,cc,\"-O0 -march=native\",14.5\n";
    let [a, b] = both(text, ["cc,-O0,", "cc,\"-O0 -march=native\""]).unwrap();
    assert_eq!(
        (a, b),
        (rows(&[("Time (ms)", 15.5)]), rows(&[("Time (ms)", 14.5)]))
    );
}

#[test]
fn an_empty_cell_in_front_is_that_of_the_row_above() {
    let text = "Size |  Premap  |  IOPs\n.....|..........|......\n4k   |    none  |  41\n     |     dma  |  46\n16k  |    none  |  33\n     |     dma  |  40\n";
    let [a, b] = both(text, ["none", "dma"]).unwrap();
    assert_eq!(a, rows(&[("4k IOPs", 41.0), ("16k IOPs", 33.0)]));
    assert_eq!(b, rows(&[("4k IOPs", 46.0), ("16k IOPs", 40.0)]));
}

#[test]
fn a_command_started_otherwise_is_of_no_side() {
    let text = "me@box:~# bw 8M copy\n8.00 1956.5\nme@box:~# bw -P 2 8M copy\n8.00 3122.5\n\
                me@box:~# bw -P 4 8M copy\n8.00 3605.5\nme@box:~# bw 8M read\n8.00 1012.5\n\
                me@box:~# bw -P 2 8M read\n8.00 1568.5\nme@box:~# bw -P 4 8M read\n8.00 1874.5\n";
    let [a, b] = both(text, ["bw 8M", "bw -P 4 8M"]).unwrap();
    let values = |rows: &[(String, f64)]| rows.iter().map(|row| row.1).collect::<Vec<_>>();
    assert_eq!(values(&a), [1956.5, 1012.5]);
    assert_eq!(values(&b), [3605.5, 1874.5]);
    assert_eq!(a[0].0, b[0].0);
}

#[test]
fn bars_tell_which_name_a_figure_has() {
    let text = "| run | res/s | WALL s | commit ms |\n| --- | --- | --- | --- |\n| BEFORE #1 (FULL) | 2,129 | 47.5 | 0.192 |\n\
                | AFTER #1 (NORMAL) | 2,227 | 44.5 | 0.173 |\n";
    let [mut a, _] = both(text, ["BEFORE", "AFTER"]).unwrap();
    a.sort_by(|x, y| x.0.cmp(&y.0));
    let own: Vec<(&str, f64)> = a
        .iter()
        .map(|(title, value)| (title.as_str(), *value))
        .collect();
    assert!(
        own.iter()
            .any(|(title, value)| title.contains("WALL s") && *value == 47.5),
        "{own:?}"
    );
    assert!(
        own.iter()
            .any(|(title, value)| title.contains("res/s") && *value == 2129.0),
        "{own:?}"
    );
}

#[test]
fn a_figure_below_the_heading_of_the_other_side_is_not_of_this_one() {
    let text = "## one\ncase one: 1.5 s\nother two: 7.5 s\n## two\nno figure here\n";
    assert_eq!(both(text, ["one", "two"]), None);
}

#[test]
fn a_progress_line_behind_a_prompt_is_no_row() {
    let text = "me@box:~$ time scp -o c=aes x 100% 2767MB 162.8MB/s 00:17\nreal 0m19.5s\nuser 0m7.5s\n\
                me@box:~$ time scp -o c=chacha x 100% 2767MB 115.3MB/s 00:24\nreal 0m26.5s\nuser 0m17.5s\n";
    let [a, b] = both(text, ["c=aes", "c=chacha"]).unwrap();
    assert_eq!(a, rows(&[("real", 19.5), ("user", 7.5)]));
    assert_eq!(b, rows(&[("real", 26.5), ("user", 17.5)]));
}

#[test]
fn sizes_with_letters_name_columns() {
    let text = "implementation     1k      4k     64k      1m\nsha-generic       192     206     210     211\n\
                sha-ssse          260     280     287     286\nsha-ni            912    1002    1037    1038\n";
    let [a, b] = both(text, ["sha-generic", "sha-ni"]).unwrap();
    let wanted = [192.0, 206.0, 210.0, 211.0];
    assert_eq!(a.iter().map(|row| row.1).collect::<Vec<_>>(), wanted);
    assert_eq!((a[3].0.as_str(), b[3].1), ("1m", 1038.0));
}

#[test]
fn the_same_heading_of_another_number_ends_a_block() {
    let text = "Guest stats with pages - one thread does it\nboot | 54.5 s | 75.5 s\n\
                Guest stats with pages - map by 8 threads\nboot | 5.5 s | 34.5 s\n\
                Guest stats with pages - map by 16 threads\nboot | 1.5 s | 31.5 s\n";
    let [_, b] = both(text, ["one thread", "by 8 threads"]).unwrap();
    assert_eq!(b.iter().map(|row| row.1).collect::<Vec<_>>(), [5.5, 34.5]);
}

#[test]
fn what_draws_a_heading_is_none_of_its_sides() {
    let text = "hot\n===\n\nold tool\ncreate 19.5 s\nupdate 6.5 s\n\nnew tool\ncreate 18.5 s\nupdate 8.5 s\n\n\
                cold\n====\n\nold tool\ncreate 25.5 s\nupdate 7.5 s\n\nnew tool\ncreate 26.5 s\nupdate 9.5 s\n";
    let [a, b] = both(text, ["old tool", "new tool"]).unwrap();
    assert_eq!(
        a.iter().map(|row| row.1).collect::<Vec<_>>(),
        [19.5, 6.5, 25.5, 7.5]
    );
    assert_eq!((b.len(), a[0].0 == b[0].0), (4, true));
}

#[test]
fn figures_alone_below_prompts_are_results() {
    let text = "$ python plain.py\n0.1857\n$ profiler plain.py\n15.7664\n";
    let [a, b] = both(text, ["$ python plain.py", "$ profiler plain.py"]).unwrap();
    assert_eq!(a, rows(&[("result", 0.1857)]));
    assert_eq!(b, rows(&[("result", 15.7664)]));
}

#[test]
fn a_cell_may_list_its_runs() {
    let text = "| side | tps |\n|---|---|\n| old way | 35188, 37426, 35140 |\n| new way | 30001, 36160, 24403 |\n";
    let [a, _] = sided(text.as_bytes(), "x.txt", ["old way", "new way"])
        .unwrap()
        .unwrap();
    assert_eq!((a.plan.points.len(), a.processes.len()), (1, 3));
}

#[test]
fn lines_of_both_sides_are_of_neither() {
    let text = "Env\nrate(Bridge)\nrate(Host)\n\nSame machine\n4024\n4639\n9.5\n7.5\n";
    assert_eq!(both(text, ["(Bridge)", "(Host)"]), None);
}
