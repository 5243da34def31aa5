//! A planned section without a value stands on the page with its reason, whether its points were skipped or failed.

use crate::common::{Maker, check, plain};
use whyslow_model::record::{Failure, FailureKind, Outcome, Skipped};
use whyslow_report::summary;
use whyslow_stats::record::summarise;

/// Each section with the probes that fill it. One of them is enough to have it on the page, so all are taken away.
const SECTIONS: [(&str, &[&str]); 7] = [
    ("LEVELS", &["mem.latency"]),
    ("LATENCY", &["mem.latency"]),
    ("BANDWIDTH", &["mem.bandwidth"]),
    (
        "CORE AND MEMORY",
        &[
            "cpu.clock",
            "cpu.core_to_core",
            "mem.parallelism",
            "mem.tlb",
            "mem.line",
        ],
    ),
    (
        "SYSTEM CALLS",
        &["os.null_call", "os.read", "os.stat", "os.open_close"],
    ),
    ("PROCESSES", &["proc.fork", "proc.exec", "proc.shell"]),
    ("SWITCHING", &["ctx.ring", "ipc.pipe"]),
];

/// What is skipped of a probe as a whole, as the plan names it.
fn whole(probe: &str) -> String {
    match probe {
        "mem.bandwidth" => "mem.bandwidth{level=*}".to_owned(),
        probe => probe.to_owned(),
    }
}

/// The section's part of the page, as one line of text.
fn part(maker: &Maker, heading: &str) -> String {
    let found = summarise(&maker.record);
    for width in [20, 60, 80, 200] {
        check(&summary(&maker.record, &found, plain(width)), width);
    }
    let page = summary(&maker.record, &found, plain(200));
    let begins = |part: &&str| {
        let rest = part.strip_prefix(heading);
        rest.is_some_and(|rest| rest.starts_with(['\n', ' ']))
    };
    let place = page.split("\n\n").find(begins);
    let place = place.unwrap_or_else(|| panic!("no {heading}:\n{page}"));
    place.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_skipped_section_says_why() {
    for (heading, probes) in SECTIONS {
        let mut maker = Maker::new();
        maker.all();
        let of_it = |probe: &str| probes.contains(&probe);
        maker.record.plan.points.retain(|p| !of_it(&p.point.probe));
        maker.record.processes.retain(|p| !of_it(&p.point.probe));
        let skipped = probes.iter().map(|probe| Skipped {
            what: whole(probe),
            why: "the moon is full".into(),
        });
        maker.record.plan.skipped.extend(skipped);
        let part = part(&maker, heading);
        assert!(part.contains("not measured: the moon is full"), "{part}");
    }
}

/// Each probe alone is enough for its section to be named.
#[test]
fn one_skipped_probe_says_why() {
    for (heading, probes) in SECTIONS {
        for probe in probes {
            let mut maker = Maker::new();
            maker.record.plan.skipped.push(Skipped {
                what: whole(probe),
                why: "the moon is full".into(),
            });
            let part = part(&maker, heading);
            assert!(
                part.contains("not measured: the moon is full"),
                "{probe}: {part}"
            );
        }
    }
}

#[test]
fn a_failed_section_says_why() {
    for (heading, probes) in SECTIONS {
        for how in [FailureKind::Unavailable, FailureKind::Crashed] {
            let mut maker = Maker::new();
            maker.all();
            let of_it = maker.record.processes.iter_mut();
            for process in of_it.filter(|p| probes.contains(&p.point.probe.as_str())) {
                process.outcome = Outcome::Failed(Failure {
                    how,
                    why: "the sky fell".into(),
                });
            }
            let part = part(&maker, heading);
            assert!(part.contains("the sky fell"), "{heading}: {part}");
        }
    }
}

#[test]
fn a_section_that_the_run_never_reached_says_so() {
    for (heading, probes) in SECTIONS {
        let mut maker = Maker::new();
        maker.all();
        let of_it = |probe: &str| probes.contains(&probe);
        maker.record.processes.retain(|p| !of_it(&p.point.probe));
        let part = part(&maker, heading);
        assert!(
            part.contains("the run ended before it was measured"),
            "{heading}: {part}"
        );
    }
}
