//! Bad input: code 2 and one line that says what is wrong, in which file, and what to do.

use std::fs;

use whyslow_model::record::Line;
use whyslow_model::store::{self, Journal};

use crate::env::{Said, TestEnv};

/// A run that takes a tenth of a second.
const SHORT: &str = "run --only os.null_call --rounds 1";

#[test]
fn usage() {
    let env = TestEnv::new();
    for (args, says) in [
        ("--bogus", "--bogus"),
        ("nonsense", "nonsense"),
        ("run --rounds 0", "--rounds"),
        ("run --rounds many", "many"),
        ("run --budget 0", "--budget"),
        ("run --quick --rigorous", "--rigorous"),
        ("run --resume a -o b", "--resume"),
        ("run --resume a --only os.*", "--only"),
        ("show", "<RECORD>"),
        ("show a --format xml", "xml"),
        ("list --origin aim9", "aim9"),
    ] {
        let said = env.run(args);
        assert_eq!(said.code, Some(2), "{args}: {said:?}");
        assert!(
            said.err.contains(says) && said.out.is_empty(),
            "{args}: {said:?}"
        );
    }
}

#[test]
fn globs_that_select_nothing() {
    let env = TestEnv::new();
    for only in [
        "nothing.*",
        "mem.latency{size=3B}",
        "os.null_call{size=1KiB}",
        "MEM.*",
    ] {
        env.run(&format!("run --only {only} -o r"))
            .refuses(&["nothing to measure", "whyslow list"]);
        assert!(
            !env.path("r").exists(),
            "{only}: an empty record stays behind"
        );
    }
    env.run("run --only nothing.*")
        .refuses(&["nothing to measure"]);
    let left = fs::read_dir(env.path(".")).unwrap().count();
    assert_eq!(left, 1, "only the temporary folder was there before");
    env.run("list nothing.*").refuses(&["no probe matches"]);
}

#[test]
fn each_glob_of_a_list_selects_something() {
    let env = TestEnv::new();
    for (only, says) in [
        ("os.null_call,nosuch.point", "'nosuch.point'"),
        ("os.nul_call,os.read", "did you mean os.null_call?"),
        (
            "os.read,mem.latency{size=3B,pages=4k}",
            "'mem.latency{size=3B,pages=4k}'",
        ),
        ("os.read,", "empty pattern"),
        ("os.read{", "no pattern"),
    ] {
        env.run(&format!("run --only {only} -o r")).refuses(&[says]);
        assert!(!env.path("r").exists(), "{only}");
        env.run(&format!("list --points {only}")).refuses(&[says]);
    }
    let mut empty = env.whyslow("run -o r");
    let empty = Said::of(empty.args(["--only", ""]).output().unwrap());
    empty.refuses(&["--only", "leave it out"]);
    assert!(!env.path("r").exists());

    assert_eq!(env.run(&format!("{SHORT} -o r")).code, Some(0));
    for command in [
        "compare r r --only os.null_call,os.raed",
        "plot os.null_call,os.raed r -o x.svg",
    ] {
        env.run(command).refuses(&["'os.raed'"]);
    }
    assert!(!env.path("x.svg").exists());
}

#[test]
fn a_family_without_usual_points_is_selected_by_its_name() {
    let env = TestEnv::new();
    let listed = env.run("list net.*");
    let probes = listed.out.lines().filter(|line| line.starts_with("net."));
    let probes: Vec<&str> = probes
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let points = env.run("list --points net.*");
    assert!(probes.len() > 1 && points.code == Some(0), "{points:?}");
    for probe in probes {
        let point =
            |line: &str| line.starts_with(&format!("{probe}{{")) && !line.contains("left out");
        assert!(points.out.lines().any(point), "{probe}: {points:?}");
    }
    // Of a family with usual points a name alone takes no others.
    assert!(!env.run("list --points mem.*").out.contains("mem.block"));
}

#[test]
fn places_that_take_no_record() {
    let env = TestEnv::new();
    fs::write(env.path("precious"), "precious").unwrap();
    for (place, says) in [
        ("precious", "exists already"),
        ("tmp", "exists already"),
        ("/dev/full", "exists already"),
        ("missing/r", "No such file or directory"),
        ("precious/r", "Not a directory"),
    ] {
        env.run(&format!("{SHORT} -o {place}"))
            .refuses(&[place, says]);
    }
    assert_eq!(fs::read(env.path("precious")).unwrap(), b"precious");
}

#[test]
fn files_that_are_no_records() {
    let env = TestEnv::new();
    fs::write(env.path("empty"), "").unwrap();
    fs::write(env.path("text"), "hello\nworld\n").unwrap();
    fs::write(env.path("zeros"), [0u8; 5000]).unwrap();
    for command in ["show", "run --resume"] {
        for (name, says) in [
            ("missing", "No such file"),
            ("tmp", "is a folder"),
            ("empty", "is not a whyslow record"),
            ("text", "is not a whyslow record"),
            ("zeros", "is not a whyslow record"),
        ] {
            let said = env.run(&format!("{command} {name}"));
            said.refuses(&[name, says]);
            assert_eq!(said.err.matches(says).count(), 1, "said twice: {said:?}");
        }
    }
}

#[test]
fn a_comparison_says_which_rows_of_a_page_it_lacks() {
    let env = TestEnv::new();
    let page = "test | old | new\n-- | -- | --\na | 1.5 | 2.5\nb | 4.5 5.5 | 6.5 9.5 | 7\nc | 3.5 | 2.25\n";
    fs::write(env.path("page.txt"), page).unwrap();
    let said = env.run("compare page.txt#old page.txt#new");
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = "1 of 3 rows of the source was refused: line 4 'b | 4.5 5.5 | 6.5 9.5 | 7'";
    assert!(text.contains(missing), "{said:?}");
}

#[test]
fn each_part_of_a_list_is_compared_with_its_own() {
    let env = TestEnv::new();
    fs::write(
        env.path("list.txt"),
        "cfq: 3m59s,\nnoop: 3m25s,\nanticipatory: 3m51s,\ndeadline: 3m42s\n",
    )
    .unwrap();
    let ratios = |a: &str, b: &str| {
        let mut command = env.whyslow("compare");
        command.args([&format!("list.txt#{a}"), &format!("list.txt#{b}")]);
        Said::of(command.output().unwrap()).out
    };
    let one = ratios("cfq", "noop, deadline");
    assert!(one.contains("noop") && one.contains("deadline"), "{one}");
    assert!(!one.contains("anticipatory"), "{one}");
    let both = ratios("cfq, noop", "anticipatory, deadline");
    assert!(
        both.contains("anticipatory") && both.contains("deadline"),
        "{both}"
    );
    assert_eq!(ratios("cfq, noop", "deadline, noop, anticipatory"), "");
}

#[test]
fn damaged_records() {
    let env = TestEnv::new();
    assert_eq!(env.run(&format!("{SHORT} -o r")).code, Some(0));
    let whole = fs::read(env.path("r")).unwrap();

    // Cut short: a closed record is one frame, so nothing of it is whole.
    fs::write(env.path("cut"), &whole[..whole.len() / 2]).unwrap();
    env.run("show cut")
        .refuses(&["cut", "not a whyslow record"]);

    // One bit: refused, or shown as it was where the bit does not matter; never a panic, and never
    // other numbers.
    let good = env.shown("r");
    for i in 0..40 {
        let mut damaged = whole.clone();
        let at = whole.len() * i / 40;
        damaged[at] ^= 1 << (i % 8);
        fs::write(env.path("damaged"), damaged).unwrap();
        let said = env.run("show damaged --format json");
        match said.code {
            Some(0) => assert_eq!(said.document(), good, "byte {at}"),
            _ => said.refuses(&["damaged"]),
        }
    }
}

#[test]
fn records_of_a_newer_format() {
    let env = TestEnv::new();
    assert_eq!(env.run(&format!("{SHORT} -o r")).code, Some(0));
    let mut header = store::read(&env.path("r")).unwrap().header;
    header.schema += 1;
    header.version = "99.1".into();
    let mut journal = Journal::create(&env.path("newer")).unwrap();
    journal.add(&Line::Header(header)).unwrap();
    drop(journal);
    for command in ["show", "run --resume"] {
        env.run(&format!("{command} newer"))
            .refuses(&["newer", "99.1", "update whyslow"]);
    }
}

/// A worker that is told nonsense is no way to crash.
#[test]
fn a_worker_without_a_job() {
    let env = TestEnv::new();
    let said = Said::of(env.whyslow("__worker").output().unwrap());
    said.refuses(&[]);
}
