//! What two sides are called, held against what moved.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_import::import;
use whyslow_model::explanation::{CauseVerdict, Explanation};

/// Why two sides of these names differ that took so long.
fn explained([a, b]: [&str; 2], rows: &[[f64; 2]]) -> Explanation {
    let mut text = format!("| test | {a} | {b} |\n|---|---|---|\n");
    for (at, [a, b]) in rows.iter().enumerate() {
        text += &format!(
            "| job {} (s) | {a} | {b} |\n",
            ["east", "west", "north", "south"][at % 4]
        );
    }
    let systems = import(text.as_bytes(), "table", None).unwrap().systems;
    let [first, second] = &systems[..] else {
        panic!("{} systems in\n{text}", systems.len());
    };
    let side = |record| {
        [Named {
            name: "table",
            record,
        }]
    };
    let comparison = compare(&side(first), &side(second), &Options::default()).unwrap();
    explain(&comparison, first, second)
}

/// The cause that comes first.
fn first(explanation: &Explanation) -> &str {
    let mut named = explanation.causes.iter();
    let named = named.find(|c| c.verdict < CauseVerdict::Contradicted && c.weight > 0.0);
    named.map_or("", |cause| cause.cause.as_str())
}

const SLOWER: &[[f64; 2]] = &[[10.0, 16.0], [20.0, 31.0], [5.0, 8.2], [7.0, 11.0]];
const AS_BEFORE: &[[f64; 2]] = &[[10.0, 10.1], [20.0, 19.9], [5.0, 5.02], [7.0, 6.97]];

#[test]
fn the_difference_that_the_sides_name_is_the_first_suspect() {
    for (names, cause) in [
        (["glibc malloc", "jemalloc"], "compiler-or-library"),
        (["loopback TCP", "Unix socket"], "network"),
        (["ext4 volume", "bind mount"], "file-system"),
        (["single-threaded", "multi-threaded"], "copies"),
        (["mitigations=off", "mitigations=auto"], "syscall-entry"),
    ] {
        let answer = explained(names, SLOWER);
        assert_eq!(first(&answer), cause, "{names:?}: {}", answer.answer);
    }
}

#[test]
fn where_nothing_moved_chance_comes_first_whatever_the_sides_are_called() {
    for names in [
        ["glibc malloc", "jemalloc"],
        ["host", "guest"],
        ["powersave", "performance"],
        ["before", "after"],
    ] {
        let answer = explained(names, AS_BEFORE);
        assert_eq!(first(&answer), "nothing", "{names:?}: {}", answer.answer);
    }
}

#[test]
fn small_steps_that_all_go_one_way_are_not_chance() {
    let rows = [[10.0, 9.5], [20.0, 19.1], [5.0, 4.7], [7.0, 6.6]];
    let answer = explained(["gcc 9", "gcc 13"], &rows);
    assert_eq!(first(&answer), "compiler-or-library");
}

#[test]
fn work_on_a_program_is_no_sure_cause() {
    let answer = explained(["main branch", "current PR"], SLOWER);
    let sure = |id: &str| {
        let mut causes = answer.causes.iter();
        causes.any(|c| c.cause == id && c.verdict <= CauseVerdict::Consistent)
    };
    assert!(
        !sure("kernel") && !sure("compiler-or-library"),
        "{}",
        answer.answer
    );
    assert_eq!(first(&answer), "compiler-or-library");
}
