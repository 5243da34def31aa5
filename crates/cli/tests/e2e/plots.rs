//! Charts as files.

use std::fs;

use crate::env::TestEnv;
use crate::gallery::two_records;

#[test]
fn charts_are_written_as_svg_and_png() {
    let env = TestEnv::new();
    two_records(&env, ["a", "b"]);
    let said = env.run("plot mem.latency a b -o curve.svg");
    assert_eq!(said.code, Some(0), "{said:?}");
    let svg = fs::read_to_string(env.path("curve.svg")).unwrap();
    assert!(
        svg.starts_with("<svg xmlns=") && svg.contains("<polyline"),
        "{svg}"
    );
    assert!(svg.contains("A: 4 KiB pages") && svg.contains("B: 4 KiB pages"));
    let said = env.run("plot mem.latency a b -o curve.png --theme dark --scale 1");
    assert_eq!(said.code, Some(0), "{said:?}");
    let png = fs::read(env.path("curve.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 5_000);
    // Several kinds of points of several records are held against each other.
    assert_eq!(env.run("plot * a b -o all.svg").code, Some(0));
    let all = fs::read_to_string(env.path("all.svg")).unwrap();
    assert!(all.contains("<title>B against A</title>"), "{all}");
    assert_eq!(env.run("plot os.null_call a -o one.svg").code, Some(0));
}

#[test]
fn what_cannot_be_drawn_is_said_in_one_line() {
    let env = TestEnv::new();
    assert_eq!(
        env.run("run --only os.null_call --rounds 1 -o a").code,
        Some(0)
    );
    env.run("plot mem.latency a -o x.svg")
        .refuses(&["no point of a", "mem.latency"]);
    env.run("plot os.null_call a -o x.gif")
        .refuses(&["x.gif", ".svg or .png"]);
    env.run("plot os.null_call a --chart cores -o x.svg")
        .refuses(&["--chart values"]);
    assert!(!env.path("x.svg").exists());
}

#[test]
fn what_is_written_never_takes_the_place_of_a_record() {
    let env = TestEnv::new();
    assert_eq!(
        env.run("run --only os.null_call --rounds 1 -o a.svg").code,
        Some(0)
    );
    let before = fs::read(env.path("a.svg")).unwrap();
    env.run("report a.svg -o a.svg")
        .refuses(&["a.svg is a record"]);
    env.run("plot os.null_call a.svg -o a.svg")
        .refuses(&["a.svg is a record"]);
    assert_eq!(fs::read(env.path("a.svg")).unwrap(), before);
}

#[test]
fn a_mixture_is_drawn_in_a_picture_for_each_unit() {
    let env = TestEnv::new();
    let only = "os.null_call,cpu.clock";
    assert_eq!(
        env.run(&format!("run --only {only} --rounds 2 -o a")).code,
        Some(0)
    );
    let said = env.run("plot * a -o all.svg");
    assert_eq!(said.code, Some(0), "{said:?}");
    let drawn: Vec<String> = said
        .out
        .lines()
        .filter_map(|l| Some(l.split_once(": ")?.0.into()))
        .collect();
    assert_eq!(drawn, ["all.svg", "all-2.svg"], "{said:?}");
    let text: String = drawn
        .iter()
        .map(|name| fs::read_to_string(env.path(name)).unwrap())
        .collect();
    assert!(text.contains("<title>Times</title>") && text.contains("<title>Clock</title>"));
}

#[test]
fn more_records_than_can_be_shown_are_refused_in_words() {
    let env = TestEnv::new();
    assert_eq!(
        env.run("run --only os.null_call --rounds 1 -o a").code,
        Some(0)
    );
    let ten = ["a"; 10].join(" ");
    let many = ["a"; 51].join(" ");
    env.run(&format!("report {many} -o x.html"))
        .refuses(&["51 records", "at most 50", "--also-a"]);
    env.run(&format!("plot os.null_call {ten} -o x.svg"))
        .refuses(&["10 records", "at most 8"]);
}

#[test]
fn a_card_has_its_size_and_says_what_was_measured() {
    let env = TestEnv::new();
    let only = "mem.latency{size=*,order=random,pages=4k},ctx.ring{*same-cpu*}";
    let measure = |name: &str, rounds: u32| {
        let said = env.run(&format!(
            "run --only {only} --rounds {rounds} --budget 60 -o {name}"
        ));
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    // Where others keep a CPU busy, two processes a size may not tell the levels apart; the card has none then.
    for last in [false, false, true] {
        measure("a", 2);
        assert_eq!(env.run("card a -o one.svg").code, Some(0));
        let card = fs::read_to_string(env.path("one.svg")).unwrap();
        if card.contains(">DRAM<") || last {
            break;
        }
        for made in ["a", "one.svg"] {
            fs::remove_file(env.path(made)).unwrap();
        }
    }
    // The second is only drawn beside the first.
    measure("b", 1);
    assert_eq!(
        env.run("card a --against b -o two.svg --theme dark").code,
        Some(0)
    );
    assert_eq!(env.run("card a -o one.png").code, Some(0));
    let png = fs::read(env.path("one.png")).unwrap();
    let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((&png[1..4], size(16), size(20)), (&b"PNG"[..], 1200, 630));
    let one = fs::read_to_string(env.path("one.svg")).unwrap();
    for part in [
        "effective size",
        ">DRAM<",
        "context switch",
        "2 processes a point",
        "<polyline",
    ] {
        assert!(one.contains(part), "no {part} in {one}");
    }
    let two = fs::read_to_string(env.path("two.svg")).unwrap();
    assert_eq!(two.matches("<polyline").count(), 2);
    assert!(two.contains(">B / A<") && two.contains("(b)"), "{two}");

    assert_eq!(
        env.run("run --only os.null_call --rounds 1 -o c").code,
        Some(0)
    );
    env.run("card c -o c.png")
        .refuses(&["c has no latency curve", "whyslow run"]);
    env.run("card a -o c.gif")
        .refuses(&["c.gif", ".svg or .png"]);
}

#[test]
fn a_chart_has_the_title_names_width_and_format_that_were_asked_for() {
    let env = TestEnv::new();
    two_records(&env, ["a", "b"]);
    let asked = "plot os.* a b --chart values --names before,after --title Calls --width 440";
    let said = env.run(&format!("{asked} -o calls.svg"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let svg = fs::read_to_string(env.path("calls.svg")).unwrap();
    assert!(
        svg.contains("<title>Calls</title>") && svg.contains("width=\"440\""),
        "{svg}"
    );
    assert!(
        svg.contains(">before</text>") && svg.contains(">after</text>"),
        "{svg}"
    );
    assert!(
        svg.contains("time, logarithmic") && svg.contains("ns</text>"),
        "the axis says its units: {svg}"
    );
    // The format may be said where the name of the file does not.
    let said = env.run(&format!("{asked} -o calls --format png --scale 1"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let png = fs::read(env.path("calls")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert_eq!(width, 440);
    env.run("plot os.* a b --names one -o x.svg")
        .refuses(&["1 names", "2 records"]);
    let narrow = env.run("plot os.* a b --width 100 -o x.svg");
    assert_eq!(narrow.code, Some(2), "{narrow:?}");
    assert!(narrow.err.contains("300..=2400"), "{narrow:?}");
}
