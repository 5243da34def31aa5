//! Every screen answers first: within its first lines, however narrow the terminal is.

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::{explain, explain_one};
use whyslow_model::explanation::Explanation;
use whyslow_model::{Record, store};
use whyslow_report::Look;
use whyslow_stats::record::summarise;

use crate::gallery::{CASES, Gallery, color_bench, color_map, color_run, gallery};

/// Lines that a reader sees without scrolling, whatever else is on the terminal.
const FIRST: usize = 20;

/// A narrow, the usual and a wide terminal.
const WIDTHS: [usize; 3] = [60, 80, 120];

fn look(width: usize) -> Look {
    Look {
        width,
        color: false,
        ascii: false,
    }
}

/// Words alone, as lines break them at other places.
fn words(text: &str) -> String {
    let text = text.replace('\u{a0}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Holds that `screen` says each of `answers` in its first lines, and nothing wider than the terminal.
fn answers(kind: &str, width: usize, screen: &str, answers: &[&str]) {
    let first: Vec<&str> = screen.lines().take(FIRST).collect();
    let begins = words(&first.join(" "));
    for answer in answers {
        let answer = words(answer);
        assert!(!answer.is_empty(), "{kind}: nothing is answered");
        assert!(
            begins.contains(&answer),
            "{kind}, {width} columns: {answer:?} is not in the first {FIRST} lines:\n{}",
            first.join("\n")
        );
    }
    // What is to be copied is never cut.
    let wide = screen
        .lines()
        .find(|line| line.chars().count() > width && !line.contains("whyslow "));
    assert_eq!(wide, None, "{kind}, {width} columns");
}

impl Gallery {
    fn record(&self, name: &str) -> Record {
        store::read(&self.env.path(name)).unwrap()
    }
}

/// What stands under the heading ANSWER.
fn block(screen: &str) -> String {
    let lines = screen.lines().skip_while(|line| *line != "ANSWER").skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

#[test]
fn one_record_answers_first() {
    let made = gallery();
    let imported = CASES.iter().flat_map(|(_, sides)| *sides);
    for name in ["a"].into_iter().chain(imported) {
        let record = made.record(name);
        let summary = summarise(&record);
        for width in WIDTHS {
            let screen = whyslow_report::summary(&record, &summary, look(width));
            // How sure it is comes last.
            let sure = match record.origin {
                Some(_) => "as published",
                None => "half of the",
            };
            answers(name, width, &screen, &[&block(&screen), sure]);
            let explanation = explain_one(&record, &summary, name);
            let screen = whyslow_report::explanation(&explanation, look(width));
            answers(name, width, &screen, &[&explanation.answer]);
        }
    }
}

#[test]
fn two_records_answer_first() {
    let made = gallery();
    let own = [("two", ["a", "b"])];
    for (kind, [a, b]) in own.into_iter().chain(CASES) {
        let (left, right) = (made.record(a), made.record(b));
        let side = |name, record| [Named { name, record }];
        let found = compare(&side(a, &left), &side(b, &right), &Options::default()).unwrap();
        let why = explain(&found, &left, &right);
        let points = found.points.len();
        for width in WIDTHS {
            let screen = whyslow_report::comparison(&found, look(width));
            let count = format!("{points} point");
            answers(kind, width, &screen, &[&count, &Counted::of(&screen).0]);
            let screen = whyslow_report::explanation(&why, look(width));
            answers(kind, width, &screen, &[&why.answer]);
        }
    }
}

/// The heading with the counts of verdicts, and its further lines.
struct Counted(String);

impl Counted {
    fn of(screen: &str) -> Counted {
        let begins = |line: &&str| line.contains(" points: ") || line.contains(" point: ");
        let lines = screen.lines().skip_while(|line| !begins(line));
        let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).take(1).collect();
        Counted(lines.join(" "))
    }
}

#[test]
fn an_experiment_answers_first() {
    let found: Explanation = serde_json::from_str(&gallery().experiment).unwrap();
    for width in WIDTHS {
        let screen = whyslow_report::explanation(&found, look(width));
        answers("experiment", width, &screen, &[&found.answer]);
    }
}

#[test]
fn a_load_answers_first() {
    let made = gallery();
    for (name, says) in [("load", "-j "), ("arms", "second takes")] {
        let record = made.record(name);
        let summary = summarise(&record);
        for width in WIDTHS {
            let screen = whyslow_report::load(&record, &summary, look(width));
            answers(name, width, &screen, &[says]);
        }
    }
}

#[test]
fn colors_answer_first() {
    let (map, bench, run) = (color_map(), color_bench(), color_run());
    for width in WIDTHS {
        let screen = whyslow_report::color_map(&map, look(width));
        answers(
            "map",
            width,
            &screen,
            &["page colors, ", "as the kernel claims"],
        );
        let screen = whyslow_report::color_bench(&bench, look(width));
        answers("bench", width, &screen, &[&bench.verdict]);
        let screen = whyslow_report::color_run(&run, look(width));
        answers(
            "run",
            width,
            &screen,
            &["are colored, ", "of waiting for the colors."],
        );
    }
}
