//! What two sides are called, held against what moved.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_import::import;
use whyslow_model::explanation::{CauseVerdict, Explanation};

/// Why two sides of these names differ that took so long.
fn explained(names: [&str; 2], rows: &[[f64; 2]]) -> Explanation {
    const JOBS: [&str; 4] = [
        "job east (s)",
        "job west (s)",
        "job north (s)",
        "job south (s)",
    ];
    let rows: Vec<_> = JOBS.into_iter().cycle().zip(rows.iter().copied()).collect();
    explained_rows(names, &rows)
}

/// The same of rows of these names.
fn explained_rows([a, b]: [&str; 2], rows: &[(&str, [f64; 2])]) -> Explanation {
    let mut text = format!("| test | {a} | {b} |\n|---|---|---|\n");
    for (row, [a, b]) in rows {
        text += &format!("| {row} | {a} | {b} |\n");
    }
    let systems = import(text.as_bytes(), "table", None).unwrap().systems;
    let [first, second] = &systems[..] else {
        panic!("{} systems in\n{text}", systems.len());
    };
    let [one, other] = [first, second].map(|record| {
        [Named {
            name: "table",
            record,
        }]
    });
    let comparison = compare(&one, &other, &Options::default()).unwrap();
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
fn one_value_a_side_confirms_no_cause_and_repeated_values_bear_it_out() {
    let names = ["mitigations=off", "mitigations=auto"];
    let calls = [
        ("syscall null (us)", [0.1, 0.4]),
        ("syscall stat (us)", [0.6, 1.1]),
        ("syscall read (us)", [0.2, 0.5]),
    ];
    let answer = explained_rows(names, &calls);
    assert_eq!(answer.causes[0].verdict, CauseVerdict::Suspected);
    insta::assert_snapshot!(answer.answer, @"B (mitigations=auto) against A (mitigations=off): system calls 83.3 % longer to 4.00 times as long. One value a side confirms no cause; what is said of the two sides points to the way into the kernel. It could also be the kernel. A kernel entry takes 312 ns more, which explains 3 of 3 rows.");
    let again: Vec<(&str, [f64; 2])> = [1.0, 1.01, 0.99]
        .iter()
        .flat_map(|times| calls.map(|(row, values)| (row, values.map(|v| v * times))))
        .collect();
    let answer = explained_rows(names, &again);
    assert_eq!(answer.causes[0].verdict, CauseVerdict::Consistent);
    insta::assert_snapshot!(answer.answer, @"B (mitigations=auto) against A (mitigations=off): system calls 83.3 % longer to 4.00 times as long. The likeliest cause: the way into the kernel (would cover up to 100 % of the difference). A kernel entry takes 305 ns more, which explains 3 of 3 rows.");
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
        causes.any(|c| c.cause == id && c.verdict <= CauseVerdict::Suspected)
    };
    assert!(
        !sure("kernel") && !sure("compiler-or-library"),
        "{}",
        answer.answer
    );
    assert_eq!(first(&answer), "compiler-or-library");
}

#[test]
fn what_only_many_at_once_gain_is_contention() {
    let gained = [
        ("east read with 1 threads (us)", [4.67, 4.42]),
        ("east read with 72 threads (us)", [539.8, 9.84]),
        ("west read with 1 threads (us)", [4.89, 4.75]),
        ("west read with 72 threads (us)", [66.4, 10.1]),
        ("east write with 1 threads (us)", [0.25, 0.2]),
        ("east write with 72 threads (us)", [16.3, 0.41]),
    ];
    let answer = explained_rows(["baseline", "optimized"], &gained);
    assert_eq!(first(&answer), "lock-contention", "{}", answer.answer);
    // What all gain alike waits for nothing.
    let alike = gained.map(|(row, [a, _])| (row, [a, a / 2.0]));
    let answer = explained_rows(["baseline", "optimized"], &alike);
    assert_ne!(first(&answer), "lock-contention", "{}", answer.answer);
}

#[test]
fn a_command_that_works_on_more_cpus_at_once_is_seen_by_its_times() {
    let times = [
        ("real time (s)", [169.2, 11.8]),
        ("user time (s)", [167.9, 187.2]),
        ("system time (s)", [1.22, 6.02]),
    ];
    let answer = explained_rows(["one", "other"], &times);
    let copies = answer.causes.iter().find(|c| c.cause == "copies");
    let seen = copies.is_some_and(|c| {
        let mut lines = c.evidence.iter();
        lines.any(|line| line.text.contains("1.00 CPUs at work in A, 16.37 in B"))
    });
    assert!(seen, "{copies:?}");
}

#[test]
fn round_trips_suggest_the_way_of_packets() {
    let rows = [
        ("rtt p50 (ms)", [5.0, 9.0]),
        ("rtt p99 (ms)", [18.0, 33.0]),
        ("rtt max (ms)", [89.0, 160.0]),
    ];
    let answer = explained_rows(["east", "west"], &rows);
    let mut causes = answer.causes.iter();
    let network = causes.any(|c| c.cause == "network" && c.weight > 0.0);
    assert!(network, "{}", answer.answer);
}

#[test]
fn no_clock_is_twenty_times_lower() {
    let rows = [
        ("rtt p50 (ms)", [5.9, 127.0]),
        ("rtt p90 (ms)", [8.2, 554.0]),
        ("rtt p99 (ms)", [18.6, 1319.0]),
    ];
    let answer = explained_rows(["powersave off", "powersave on"], &rows);
    let clock = answer.causes.iter().find(|c| c.cause == "clock");
    let sure = clock.is_some_and(|c| c.verdict <= CauseVerdict::Suspected);
    assert!(
        !sure && !answer.answer.contains("clock"),
        "{}",
        answer.answer
    );
}

#[test]
fn a_setting_of_memory_is_no_virtual_machine() {
    let answer = explained(["default", "vm.dirty_bytes=1048576"], SLOWER);
    assert_eq!(first(&answer), "file-system", "{}", answer.answer);
    let guest = answer.causes.iter().find(|c| c.cause == "hypervisor");
    assert!(guest.is_none_or(|c| c.weight <= 0.0), "{}", answer.answer);
}

#[test]
fn names_alone_make_no_more_than_a_candidate() {
    let answer = explained(["eastlib", "westlib"], SLOWER);
    assert!(
        answer.answer.contains("cannot tell why"),
        "{}",
        answer.answer
    );
    let own = |cause: &str| answer.causes.iter().find(|c| c.cause == cause);
    let candidate = own("compiler-or-library").unwrap();
    assert_eq!(candidate.verdict, CauseVerdict::CannotTell);
    // Letters that files are called by say nothing.
    let answer = explained(["a", "b"], SLOWER);
    let library = answer
        .causes
        .iter()
        .find(|c| c.cause == "compiler-or-library");
    assert!(library.is_none_or(|c| c.evidence.iter().all(|e| !e.text.contains("name:"))));
}

#[test]
fn what_a_container_filters_and_a_guest_reads_is_a_suspect() {
    const CALLS: &[(&str, [f64; 2])] = &[
        ("getpid (ns)", [50.0, 90.0]),
        ("getppid (ns)", [52.0, 93.0]),
    ];
    let answer = explained_rows(["host process", "docker container"], CALLS);
    assert_eq!(first(&answer), "seccomp");
}

#[test]
fn what_is_often_behind_such_rows_is_named_where_nothing_else_is() {
    const TIMES: &[(&str, [f64; 2])] = &[("real (s)", [10.0, 31.0]), ("sys (s)", [2.0, 2.1])];
    let answer = explained_rows(["a", "b"], TIMES);
    let by_rate: Vec<_> = answer.causes.iter().filter(|c| c.is_by_rate()).collect();
    assert_eq!(by_rate.len(), 2, "{}", answer.answer);
    let told = "cannot tell why. Most often behind such differences in published results: ";
    assert!(answer.answer.contains(told), "{}", answer.answer);
    // A cause that is spoken of stands before what is often behind such rows.
    let answer = explained_rows(["ext4", "btrfs"], TIMES);
    assert_eq!(first(&answer), "file-system");
    let mut named = answer.causes.iter().filter(|c| c.weight > 0.0);
    assert!(named.next().is_some_and(|c| !c.is_by_rate()));
    // A few percent are as likely chance.
    let answer = explained_rows(["a", "b"], &[("real (s)", [10.0, 10.4])]);
    assert!(answer.causes.iter().all(|c| !c.is_by_rate()));
}
