//! The five published cases, from their tables alone.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_compare::{Named, Options, compare};
use whyslow_explain::causes::CAUSES;
use whyslow_explain::{explain, explain_tried};
use whyslow_import::import;
use whyslow_model::experiment::{Check, Effect, Estimated, Experiment, ExperimentVerdict};
use whyslow_model::explanation::{CauseVerdict, Evidence, Explanation, Finding, Speaks};
use whyslow_model::{Record, Unit};

/// The records of both systems of some tables; the first named system is A.
fn sides(files: &[&str]) -> [Vec<Record>; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeds");
    let mut sides = [Vec::new(), Vec::new()];
    for name in files {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let systems = import(&bytes, name, None).unwrap().systems;
        assert_eq!(systems.len(), 2, "{name}");
        for (side, record) in sides.iter_mut().zip(systems) {
            side.push(record);
        }
    }
    sides
}

fn explained(sides: &[Vec<Record>; 2]) -> Explanation {
    let [a, b] = sides.each_ref().map(|side| {
        let named = side.iter().map(|record| Named {
            name: "table",
            record,
        });
        named.collect::<Vec<_>>()
    });
    let comparison = compare(&a, &b, &Options::default()).unwrap();
    explain(&comparison, &sides[0][0], &sides[1][0])
}

fn cause<'a>(explanation: &'a Explanation, id: &str) -> &'a Finding {
    explanation.causes.iter().find(|c| c.cause == id).unwrap()
}

/// The machine-readable answer, line by line: verdict, share, what is covered, evidence.
fn lines(explanation: &Explanation) -> String {
    let mut out = format!("{}\n", explanation.answer);
    for moved in &explanation.moved {
        let [lo, hi] = moved.times_worse;
        out += &format!(
            "moved: {} {lo:.2}..{hi:.2} real={}\n",
            moved.name, moved.real
        );
    }
    for cause in &explanation.causes {
        if cause.weight == 0.0 && cause.evidence.iter().all(|e| e.speaks == Speaks::Neither) {
            continue;
        }
        let share = cause.share.map_or("-".to_owned(), |s| {
            format!("{:.2} {:.2?}", s.value, s.range)
        });
        out += &format!(
            "{:?} {} share {share} covers {:?}\n",
            cause.verdict, cause.cause, cause.covers
        );
        for evidence in &cause.evidence {
            out += &format!(
                "    {:?} {:?}: {}\n",
                evidence.speaks, evidence.from, evidence.text
            );
        }
    }
    if let Some(share) = explanation.unexplained_share {
        out += &format!("left: {:.2} {:.2?}\n", share.value, share.range);
    }
    for (name, list) in [
        ("unexplained", &explanation.unexplained),
        ("cannot show", &explanation.cannot_show),
    ] {
        out += &list
            .iter()
            .map(|l| format!("{name}: {l}\n"))
            .collect::<String>();
    }
    out + &explanation
        .next
        .iter()
        .map(|n| format!("next: {} [{}]\n", n.command, n.settles))
        .collect::<String>()
}

/// A latency curve of a direct-mapped board cache of 2 MiB behind a first level of `first` bytes, in
/// lat_mem_rd's own words: pages are put into the cache one by one, at random or in turn, and a page
/// misses when it shares its place. The seed gives no latencies, so these are those of no machine.
fn curve(first: usize, at_random: bool) -> Record {
    const PAGE: usize = 8 << 10;
    const PLACES: usize = (2 << 20) / PAGE;
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut text = String::from("\"stride=128\n");
    for quarter in 0..57 {
        let bytes = (1024.0 * 2f64.powf(f64::from(quarter) / 4.0)) as usize / 128 * 128;
        let pages = bytes.div_ceil(PAGE).max(1);
        // lmbench takes one allocation a size; several would be smoother than its graph.
        let mut places = vec![0u32; PLACES];
        let homes: Vec<usize> = (0..pages)
            .map(|page| {
                if at_random {
                    dice.next_u64() as usize % PLACES
                } else {
                    page % PLACES
                }
            })
            .collect();
        homes.iter().for_each(|&home| places[home] += 1);
        let missing = homes.iter().filter(|&&home| places[home] > 1).count() as f64 / pages as f64;
        let near = if bytes <= first { 7.0 } else { 35.0 };
        let ns = near + missing * 265.0 * f64::from(u8::from(bytes > first));
        text += &format!("{:.5} {ns:.3}\n", bytes as f64 / f64::from(1 << 20));
    }
    import(text.as_bytes(), "curve", None)
        .unwrap()
        .systems
        .remove(0)
}

#[test]
fn seed_1_a_cache_mode_and_the_placement_of_pages() {
    let answer = explained(&sides(&["seed1-curve.txt"]));
    insta::assert_snapshot!("seed1_statements", lines(&answer));
    assert_eq!(
        cause(&answer, "cache-size").verdict,
        CauseVerdict::Consistent
    );
    assert_eq!(
        cause(&answer, "page-placement").verdict,
        CauseVerdict::Consistent
    );
}

#[test]
fn seed_1_as_a_curve() {
    let answer = explained(&[vec![curve(8 << 10, true)], vec![curve(16 << 10, false)]]);
    insta::assert_snapshot!("seed1_curve", lines(&answer));
    let mode = cause(&answer, "cache-size");
    assert_eq!(mode.verdict, CauseVerdict::Consistent);
    // The first level, and not the second: that one has the same size.
    assert!(
        mode.evidence[0].text.starts_with("level 1 ends at 8"),
        "{mode:?}"
    );
    let same = |e: &Evidence| e.speaks == Speaks::Against && e.text.contains("no smaller cache");
    assert!(mode.evidence.iter().any(same), "{mode:?}");
    let placement = cause(&answer, "page-placement");
    assert_eq!(placement.verdict, CauseVerdict::Consistent);
    assert!(
        placement.evidence[0].text.contains("soft shoulder"),
        "{placement:?}"
    );
    let memory = cause(&answer, "dram");
    assert_eq!(memory.verdict, CauseVerdict::Contradicted);
    let same = |e: &Evidence| e.text.contains("memory latency by the curve is the same");
    assert!(memory.evidence.iter().any(same), "{memory:?}");
}

#[test]
fn seed_2_page_coloring() {
    let answer = explained(&sides(&["seed2-lmbench.txt"]));
    insta::assert_snapshot!("seed2", lines(&answer));
    let placement = cause(&answer, "page-placement");
    assert_eq!(placement.verdict, CauseVerdict::Consistent);
    assert_eq!(placement.covers, ["rereading files"]);
    let kernel = cause(&answer, "kernel");
    assert_eq!(kernel.verdict, CauseVerdict::Consistent);
    assert!(
        kernel.covers.contains(&"calls on file names".to_owned()),
        "{kernel:?}"
    );
    assert!(
        answer
            .cannot_show
            .iter()
            .any(|l| l.contains("three lmbench runs a side"))
    );
}

#[test]
fn seed_3_two_groups_and_candidates_that_tables_cannot_separate() {
    let answer = explained(&sides(&[
        "seed3-byte.txt",
        "seed3-ramspeed.txt",
        "seed3-machines.txt",
    ]));
    insta::assert_snapshot!("seed3", lines(&answer));
    let groups: Vec<&str> = answer.moved.iter().map(|m| m.name.as_str()).collect();
    assert!(
        groups.contains(&"context switch") && groups.contains(&"program start"),
        "{groups:?}"
    );
    for excluded in ["clock", "dram"] {
        assert_eq!(
            cause(&answer, excluded).verdict,
            CauseVerdict::Contradicted,
            "{excluded}"
        );
    }
    let disk = cause(&answer, "file-system");
    assert_eq!(disk.covers, ["writing files"]);
    for open in ["cross-cpu-wakeup", "program-start"] {
        assert_eq!(
            cause(&answer, open).verdict,
            CauseVerdict::CannotTell,
            "{open}"
        );
    }
    assert!(
        answer
            .cannot_show
            .iter()
            .any(|l| l.starts_with("which of these it is"))
    );
    // What covers most is settled first, and not what the tables already account for.
    let first: Vec<&str> = answer
        .next
        .iter()
        .map(|n| n.command.as_str())
        .take(2)
        .collect();
    assert!(
        first[0].contains("proc.*") && first[1].contains("ctx.ring"),
        "{first:?}"
    );
}

#[test]
fn next_steps_name_commands_and_causes_that_exist() {
    let seeds = [
        explained(&sides(&["seed1-curve.txt"])),
        explained(&sides(&["seed2-lmbench.txt"])),
        explained(&sides(&[
            "seed3-byte.txt",
            "seed3-ramspeed.txt",
            "seed3-machines.txt",
        ])),
        explained(&sides(&["seed4-builds.txt"])),
        explained(&sides(&["seed5-smp.txt"])),
    ];
    const COMMANDS: [&str; 6] = ["run", "host", "load", "explain", "color", "selfcheck"];
    let switched = |id: &str| CAUSES.iter().any(|c| c.id == id && c.switch.is_some());
    let mut seen = 0;
    for step in seeds.iter().flat_map(|s| &s.next) {
        let words: Vec<&str> = step
            .command
            .split([' ', ','])
            .filter(|w| !w.is_empty())
            .collect();
        for pair in words.windows(2).filter(|p| p[0] == "whyslow") {
            assert!(COMMANDS.contains(&pair[1]), "{}", step.command);
            seen += 1;
        }
        if let Some(at) = words.iter().position(|w| *w == "--experiment") {
            assert!(switched(words[at + 1]), "{}", step.command);
        }
    }
    assert!(seen > 5);
}

#[test]
fn every_experiment_that_a_cause_names_can_be_made() {
    // What no seed reaches: the texts of the causes themselves.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut named = 0;
    let causes = std::fs::read_dir(folder.join("causes"))
        .unwrap()
        .map(|e| e.unwrap().path());
    for file in causes.chain([folder.join("machine.rs")]) {
        let text = std::fs::read_to_string(&file).unwrap();
        for (_, rest) in text
            .match_indices("--experiment ")
            .map(|(at, m)| (at, &text[at + m.len()..]))
        {
            let id = rest.split(['"', ' ']).next().unwrap();
            let known = CAUSES.iter().find(|c| c.id == id);
            assert!(
                known.is_some_and(|c| c.switch.is_some()),
                "{id} in {}",
                file.display()
            );
            named += 1;
        }
    }
    assert!(named > 10);
}

#[test]
fn seed_4_the_memory_bus() {
    let answer = explained(&sides(&["seed4-builds.txt"]));
    insta::assert_snapshot!("seed4", lines(&answer));
    let first = &answer.causes[0];
    assert_eq!(
        (first.cause.as_str(), first.verdict),
        ("dram", CauseVerdict::Consistent)
    );
    assert!(
        first
            .evidence
            .iter()
            .any(|e| e.text == "memory bus rate: 800 MB/s in A, 2650 MB/s in B")
    );
    // Two machines tell a direction, and no share.
    assert_eq!(first.share, None);
    assert!(answer.unexplained_share.is_some_and(|s| s.value > 0.99));
}

#[test]
fn seed_5_a_shared_path_to_memory() {
    let answer = explained(&sides(&["seed5-smp.txt"]));
    insta::assert_snapshot!("seed5", lines(&answer));
    let consistent = answer
        .causes
        .iter()
        .filter(|c| c.verdict == CauseVerdict::Consistent);
    let named: Vec<&str> = consistent.map(|c| c.cause.as_str()).collect();
    assert_eq!(named, ["copies", "shared-resource", "kernel"]);
    let kernel = cause(&answer, "kernel");
    assert!(
        kernel
            .evidence
            .iter()
            .any(|e| e.text == "a single sieve takes 1.25 times as long in B"),
        "{kernel:?}"
    );
}

#[test]
fn an_experiment_settles_what_the_tables_leave_open() {
    let sides = sides(&["seed3-byte.txt", "seed3-ramspeed.txt", "seed3-machines.txt"]);
    let [a, b] = sides.each_ref().map(|side| {
        let named = side.iter().map(|record| Named {
            name: "table",
            record,
        });
        named.collect::<Vec<_>>()
    });
    let comparison = compare(&a, &b, &Options::default()).unwrap();
    let about = |value: f64| Estimated {
        value,
        range: [value - 0.05, value + 0.05],
    };
    // Switching between processes was 3.79 times slower in the tables; pinning moves it threefold here.
    let experiment = Experiment {
        cause: "cross-cpu-wakeup".into(),
        switch: "pinned or free".into(),
        verdict: ExperimentVerdict::Confirmed,
        because: "it comes and goes".into(),
        blocks: 10,
        manipulation: Check {
            passed: true,
            text: String::new(),
        },
        effects: vec![Effect {
            point: "ctx.ring{procs=2,size=0,cpus=free}".parse().unwrap(),
            unit: Unit::Ns,
            off: 1000.0,
            on: 3000.0,
            effect: about(3f64.ln()),
            difference: Some(about(3f64.ln())),
            remains: Some(about(0.0)),
            nothing_remains: Some(true),
            reversal: None,
            share: None,
            doses: Vec::new(),
            grows: None,
        }],
        spared: Vec::new(),
        p: Some(1e-6),
        notes: Vec::new(),
    };
    let tried = |experiment: Experiment| {
        explain_tried(&comparison, &sides[0][0], &sides[1][0], &[experiment])
    };
    let answer = tried(experiment.clone());
    let first = &answer.causes[0];
    assert_eq!(
        (first.cause.as_str(), first.verdict),
        ("cross-cpu-wakeup", CauseVerdict::Confirmed)
    );
    assert!(answer.answer.contains("By experiment"), "{}", answer.answer);
    // No more than the switch moved is covered: the rest of 3.79 stays.
    let whole = cause(&explained(&sides), "cross-cpu-wakeup")
        .share
        .unwrap()
        .value;
    assert!(first.share.unwrap().value < whole, "{first:?}");
    assert!(answer.unexplained_share.unwrap().value > 0.3);

    let excluded = tried(Experiment {
        verdict: ExperimentVerdict::Excluded,
        ..experiment.clone()
    });
    let found = cause(&excluded, "cross-cpu-wakeup");
    assert_eq!(found.verdict, CauseVerdict::Contradicted);
    assert!(found.share.is_none());

    // What works on this host need not be what the records show.
    let elsewhere = tried(Experiment {
        cause: "dram".into(),
        ..experiment
    });
    assert_eq!(
        cause(&elsewhere, "dram").verdict,
        CauseVerdict::Contradicted
    );
}

#[test]
fn a_single_value_beside_repeated_ones_moves_nothing_of_our_own() {
    let side = |chase: u32, call: [u32; 5]| {
        let mut table = format!("name,value,unit,better\nsieve,{chase},ns,lower\n");
        for ns in call {
            table += &format!("null call,{ns},ns,lower\n");
        }
        import(table.as_bytes(), "t.csv", None)
            .unwrap()
            .systems
            .remove(0)
    };
    let mut sides = [
        vec![side(100, [101, 103, 102, 104, 105])],
        vec![side(250, [105, 101, 104, 102, 103])],
    ];
    // In a published table, all that there is of a row may be one value.
    assert!(!explained(&sides).moved.is_empty());
    for record in sides.iter_mut().flatten() {
        record.origin = None;
    }
    let own = explained(&sides);
    assert!(own.moved.is_empty(), "{}", own.answer);
}
