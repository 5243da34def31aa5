//! What a run does with its time: the scout, shapes that cannot win, and the rest of a budget.

use std::collections::BTreeMap;

use whyslow_model::record::{Outcome, Process, SizedBy};
use whyslow_model::size;

use crate::env::{TestEnv, measured, noted};

#[test]
fn processes_of_the_scout_are_values_where_they_are_asked_for() {
    let env = TestEnv::new();
    let points = "mem.latency{*order=random,pages=4k},mem.bandwidth{op=read,level=L1,cpus=1}";
    let said = env.run(&format!("run --rounds 1 -o r --only {points}"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let record = env.shown("r").record;
    // The look for where memory begins is of no value, and may be of the same kind of page.
    let least_looked_at = 4 << 20;
    let small = |process: &&Process| {
        let size = process.point.get("size").and_then(size::parse);
        size.is_none_or(|bytes| bytes < least_looked_at)
    };
    let strange = record.processes.iter().filter(small).find(|p| p.round != 1);
    assert!(strange.is_none(), "{strange:?}");
    let point = "mem.latency{size=4KiB,order=random,pages=4k}";
    assert_eq!(measured(&record, point), 1);
    // A pass on a machine that others load may show no levels, and then the claimed sizes have to do.
    match record
        .plan
        .sized_by
        .as_ref()
        .expect("bandwidth is of a level")
    {
        SizedBy::Curve(levels) => assert!(!levels.is_empty()),
        SizedBy::Claims => {
            assert!(noted(
                &record,
                "levels",
                "no levels when the run was planned"
            ));
        }
    }
}

#[test]
fn shapes_that_cannot_win_are_measured_in_the_first_process_alone() {
    let env = TestEnv::new();
    let said = env.run("run --rounds 3 -o r --only mem.bandwidth{op=write,size=16KiB,cpus=1}");
    assert_eq!(said.code, Some(0), "{said:?}");
    let record = env.shown("r").record;
    // Sizes that are named need no scout.
    assert!(record.plan.sized_by.is_none());
    let series: Vec<usize> = record
        .processes
        .iter()
        .map(|process| match &process.outcome {
            Outcome::Draws(draws) => draws[0].series.len(),
            Outcome::Failed(failure) => panic!("{failure:?}"),
        })
        .collect();
    // Writing word by word takes eight times as long as by the widest registers.
    assert_eq!(series.len(), 3);
    assert!(
        series[1] < series[0] && series[2] <= series[1],
        "{series:?}"
    );
}

#[test]
fn the_rest_of_a_budget_goes_to_further_processes() {
    let env = TestEnv::new();
    let said = env.run("run --budget 8 -o r --only proc.fork,os.null_call");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("unfinished"), "{said:?}");
    let record = env.shown("r").record;
    let mut processes: BTreeMap<String, u32> = BTreeMap::new();
    for process in &record.processes {
        *processes.entry(process.point.to_string()).or_default() += 1;
    }
    // Three of each, and more of some, but never without end.
    assert!(
        processes.values().all(|&n| (3..=12).contains(&n)),
        "{processes:?}"
    );
    assert!(processes.values().any(|&n| n > 3), "{processes:?}");
}

#[test]
fn a_run_goes_on_until_half_of_its_points_are_known_well_enough() {
    let env = TestEnv::new();
    let only = "os.null_call,os.read,os.write";
    // Anything is known that well after the second round, and nothing is known for sure.
    let said = env.run(&format!("run --only {only} --until ±100% -o wide"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let wide = env.shown("wide").record;
    assert!(noted(&wide, "run", "of at most 30"), "{:?}", wide.notes);
    assert!(wide.processes.iter().all(|p| p.round < 30));
    let said = env.run(&format!("run --only {only} --until 0.01 -o narrow"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let narrow = env.shown("narrow").record;
    assert!(
        !noted(&narrow, "run", "of at most 30"),
        "{:?}",
        narrow.notes
    );
    assert_eq!(crate::env::rounds_of(&narrow, "os.read").len(), 30);
    let said = env.run("run --until 0");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("--until") && said.err.contains("±3%"),
        "{said:?}"
    );
    assert_eq!(env.run("run --until 3 --rounds 4").code, Some(2));
}
