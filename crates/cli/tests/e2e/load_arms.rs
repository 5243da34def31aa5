//! `whyslow load` with arms: one command started in several ways, before and after.

use serde_json::Value;
use whyslow_model::document::Document;
use whyslow_model::load::{LoadTable, LoadVerdict};

use crate::env::{Said, TestEnv};
use crate::schema::errors;

/// A command whose real time is that of a variable.
const NAP: &str = "sleep ${NAP:-0.06}";

/// Runs `load` with `args` on [`NAP`].
fn nap(env: &TestEnv, args: &str) -> Said {
    let mut whyslow = env.whyslow(&format!("load {args}"));
    Said::of(whyslow.args(["--", "sh", "-c", NAP]).output().unwrap())
}

fn table(document: &Document) -> &LoadTable {
    assert_eq!(document.load.len(), 1, "{:?}", document.load);
    &document.load[0]
}

#[test]
fn what_a_variable_gains_is_found_at_every_level() {
    let env = TestEnv::new();
    let args = "-j 1,2 --arm before --arm after=env:NAP=0.02 --repeat 8 --seed 1";
    let said = nap(&env, &format!("{args} -o r"));
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in [
        "BEFORE AND AFTER",
        "all 6 together",
        "8 pairs of runs there",
        "after takes less real time at all levels",
        "under env:NAP=0.02",
        "SPREAD",
        "deviation",
    ] {
        assert!(said.out.contains(words), "no '{words}' in {}", said.out);
    }
    let mut lines = said.out.lines().filter(|l| !l.starts_with("record: "));
    assert!(lines.all(|l| l.chars().count() <= 80), "{}", said.out);

    let shown = env.run("show r --format json");
    let value: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(errors("record", &value), Vec::<String>::new());
    let document = shown.document();
    let found = table(&document);
    assert_eq!(
        (found.before.as_str(), found.after.as_str()),
        ("before", "after")
    );
    assert_eq!((found.corrected_for, found.rows.len()), (6, 2));
    for (row, level) in found.rows.iter().zip([1, 2]) {
        assert_eq!(row.level, Some(level));
        assert_eq!(row.real.verdict, LoadVerdict::Less, "{row:?}");
        assert_eq!((row.real.units, row.real.before.runs), (8, 8));
        let ratio = row.real.ratio.as_ref().unwrap();
        assert!(ratio.range[0] <= ratio.value && ratio.value <= ratio.range[1]);
        let times = row.real.after;
        assert!(
            times.min_s <= times.mean_s && times.mean_s <= times.max_s,
            "{times:?}"
        );
    }

    let markdown = nap(&env, &format!("{args} --format markdown"));
    assert_eq!(markdown.code, Some(0), "{markdown:?}");
    assert_eq!(
        markdown
            .out
            .lines()
            .filter(|l| l.starts_with("| j="))
            .count(),
        2
    );
    assert!(markdown.out.contains("% less ["), "{markdown:?}");
}

/// One load in twenty shows a difference by chance; three in a row do not.
#[test]
fn where_arms_do_not_differ_no_difference_is_shown() {
    let env = TestEnv::new();
    let alike = (1..=3).any(|seed| {
        let args =
            format!("--arm a --arm b=nothing --repeat 8 --seed {seed} --format json -o r{seed}");
        let document = nap(&env, &args).document();
        let row = &table(&document).rows[0];
        assert_eq!((row.name.as_str(), row.level), ("", None));
        let all = row.quantities();
        let alike = all
            .iter()
            .all(|(_, change)| !matches!(change.verdict, LoadVerdict::Less | LoadVerdict::Longer));
        if alike {
            let page = env.run(&format!("show r{seed}"));
            assert!(
                page.out.contains("No difference between a and b is shown"),
                "{page:?}"
            );
        }
        alike
    });
    assert!(
        alike,
        "three loads of one command with itself show differences"
    );
}

#[test]
fn settings_and_conditions_are_arms_too() {
    let env = TestEnv::new();
    let args = "--arm usual --arm slack=timer-slack --arm slack=env:NAP=0.03 --arm pinned=under:cpus=0 --repeat 2";
    let said = nap(&env, &format!("{args} --format json"));
    let document = said.document();
    let names: Vec<&str> = document.load.iter().map(|t| t.after.as_str()).collect();
    assert_eq!(names, ["slack", "pinned"]);
    // A single block has no interval, and says so.
    let changes = document.load.iter().flat_map(|t| &t.rows).map(|r| &r.real);
    assert!(
        changes
            .into_iter()
            .all(|c| c.ratio.is_none() && c.verdict == LoadVerdict::Unknown)
    );
    assert!(
        document.load.iter().all(|t| t.corrected_for == 6),
        "{:?}",
        document.load
    );
}

#[test]
fn two_records_of_a_load_are_compared_in_the_same_table() {
    let env = TestEnv::new();
    for (name, seconds) in [("old", "0.06"), ("new", "0.02")] {
        let mut whyslow = env.whyslow(&format!(
            "load -j 1,2 --repeat 6 -o {name} -- sleep {seconds}"
        ));
        let said = Said::of(whyslow.output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let said = env.run("compare old new");
    assert!(said.out.contains("BEFORE AND AFTER"), "{said:?}");
    assert!(
        said.out.contains("B takes less real time at all levels"),
        "{said:?}"
    );
    let markdown = env.run("compare old new --format markdown");
    assert!(markdown.out.contains("| j=2 | "), "{markdown:?}");
    let value: Value = serde_json::from_str(&env.run("compare old new --format json").out).unwrap();
    assert_eq!(errors("comparison", &value), Vec::<String>::new());
    assert_eq!(
        value["load"]["rows"][1]["real"]["verdict"], "less",
        "{value:#}"
    );
    assert_eq!(value["load"]["design"], "records");
}

#[test]
fn what_makes_no_arms_is_refused_in_a_line() {
    let env = TestEnv::new();
    for (args, words) in [
        ("--arm before", &["before", "another"][..]),
        ("--arm a --arm b", &["'a' is the command as it is already"]),
        (
            "--arm a --arm b=no-such-setting",
            &["b=no-such-setting", "no such setting", "malloc-keep"],
        ),
        ("--arm a --arm b=env:NAP", &["b=env:NAP", "env:NAME=VALUE"]),
        (
            "--arm a --arm b=under:no-such-condition=1",
            &["b=under:no-such-condition=1"],
        ),
        ("--arm a --arm env:NAP=1", &["a name in front"]),
        ("--arm a --arm b=nothing --against true", &["--against"]),
        ("--format markdown", &["--arm"]),
        ("-j 0 --arm a --arm b=nothing", &["0"]),
        ("-j 1,x --arm a --arm b=nothing", &["x"]),
    ] {
        let said = nap(&env, &format!("{args} -o r"));
        assert_eq!(said.code, Some(2), "{args}: {said:?}");
        for word in words {
            assert!(said.err.contains(word), "{args}: no '{word}' in {said:?}");
        }
        assert!(!env.path("r").exists(), "{args}");
    }
}
