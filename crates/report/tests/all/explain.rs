//! Explanations on the terminal, and what holds one machine back.

use crate::common::{Maker, check, plain, usual};
use whyslow_compare::{Named, Options, compare};
use whyslow_explain::{explain, explain_one, explain_one_tried};
use whyslow_model::experiment::{Check, Dose, Effect, Estimated, Experiment, ExperimentVerdict};
use whyslow_model::explanation::{CauseVerdict, Explanation};
use whyslow_model::host::Known;
use whyslow_model::planted::{CausesCheck, Score};
use whyslow_model::record::{Mark, MarkKind, Outcome, Skipped};
use whyslow_model::share::Share;
use whyslow_model::{Record, Unit};
use whyslow_report::{causes_check, causes_markdown, explanation};

/// An experiment in which 200 rules made a call twice as slow.
fn filtered() -> Experiment {
    let about = |value: f64| Estimated {
        value,
        range: [value - 0.01, value + 0.01],
    };
    Experiment {
        cause: "seccomp".into(),
        switch: "a filter of 200 rules".into(),
        verdict: ExperimentVerdict::Confirmed,
        because: "the difference comes and goes with the switch".into(),
        blocks: 10,
        manipulation: Check {
            passed: true,
            text: "Seccomp_filters: 0 off, 1 on".into(),
        },
        effects: vec![Effect {
            point: "os.null_call".parse().unwrap(),
            unit: Unit::Ns,
            off: 60.0,
            on: 150.0,
            effect: about(2.5f64.ln()),
            difference: Some(about(2.5f64.ln())),
            remains: Some(about(0.0)),
            nothing_remains: Some(true),
            reversal: Some(about(0.002)),
            share: Some(Share {
                value: 0.998,
                range: Some([0.98, 1.02]),
            }),
            doses: vec![Dose {
                dose: "seccomp=50".into(),
                effect: about(0.3),
            }],
            grows: Some(true),
        }],
        spared: Vec::new(),
        p: Some(1e-9),
        notes: vec!["a note".into()],
    }
}

fn page(answer: &Explanation) -> String {
    let text = explanation(answer, plain(80));
    check(&text, 80);
    text
}

#[test]
fn one_machine_against_its_own_limits() {
    let (record, summary) = usual();
    let answer = explain_one(&record, &summary, "record");
    // Switching takes twice as long on the made-up machine where the scheduler puts it, or not: whichever it
    // says, it says with numbers.
    for finding in &answer.causes {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        let held = finding.verdict == CauseVerdict::Consistent;
        assert_eq!(held, finding.weight > 0.0, "{finding:?}");
    }
    assert!(answer.b.is_none() && answer.unexplained.is_empty());
    insta::assert_snapshot!(page(&answer));
}

#[test]
fn an_experiment_alone() {
    let answer = explain_one_tried(None, "this host", &[filtered()]);
    assert_eq!(answer.causes[0].verdict, CauseVerdict::Confirmed);
    insta::assert_snapshot!(page(&answer));
}

#[test]
fn a_rate_changes_the_way_its_values_do() {
    let mut experiment = filtered();
    let effect = &mut experiment.effects[0];
    effect.point = "mem.bandwidth{op=read,size=256MiB,cpus=1}".parse().unwrap();
    effect.unit = Unit::GbPerS;
    (effect.off, effect.on) = (25.0, 20.0);
    effect.effect = Estimated {
        value: 1.25f64.ln(),
        range: [1.2f64.ln(), 1.3f64.ln()],
    };
    let text = page(&explain_one_tried(None, "this host", &[experiment]));
    // Nowhere 25 % beside these values.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!text.contains("25 %") && !text.contains("25.0 %"), "{text}");
    assert_eq!(
        text.matches("20.0 % less [16.7, 23.1]").count(),
        3,
        "{text}"
    );
}

#[test]
fn what_was_excluded_or_could_not_be_tried_is_said() {
    let excluded = Experiment {
        verdict: ExperimentVerdict::Excluded,
        because: "switching it moves os.null_call by less than 2 %".into(),
        ..filtered()
    };
    let mut answer = explain_one_tried(None, "this host", &[excluded]);
    answer.not_tried.push(Skipped {
        what: "cpu-quota".into(),
        why: "no control groups here".into(),
    });
    let text = page(&answer);
    assert!(text.contains("seccomp: excluded"), "{text}");
    assert!(text.contains("Excluded by switching"), "{text}");
    assert!(text.contains("cpu-quota: no control groups here"), "{text}");
    assert_eq!(answer.causes[0].verdict, CauseVerdict::Contradicted);
    assert!(answer.causes[0].advice.is_empty());
}

#[test]
fn an_experiment_takes_the_place_of_what_one_record_said() {
    let (record, summary) = usual();
    let crossed = Experiment {
        cause: "cross-cpu-wakeup".into(),
        ..filtered()
    };
    let answer = explain_one_tried(Some((&record, &summary)), "record", &[crossed]);
    let those: Vec<_> = answer
        .causes
        .iter()
        .filter(|c| c.cause == "cross-cpu-wakeup")
        .collect();
    assert_eq!(those.len(), 1);
    assert_eq!(those[0].verdict, CauseVerdict::Confirmed);
    assert_eq!(answer.causes[0].cause, "cross-cpu-wakeup");
}

#[test]
fn the_matrix_of_planted_causes() {
    let row = |plant: &str, planted: &[&str], first, near, answers: &[(&str, u32)]| Score {
        plant: plant.into(),
        planted: planted.iter().map(|p| (*p).to_owned()).collect(),
        trials: 5,
        first,
        near,
        named: 5,
        answers: answers.iter().map(|(a, n)| ((*a).to_owned(), *n)).collect(),
    };
    let made = CausesCheck {
        schema: 1,
        seed: 7,
        host: "a host".into(),
        rounds: 5,
        trials: Vec::new(),
        rows: vec![
            row("seccomp: 200 rules", &["seccomp"], 5, 5, &[("seccomp", 5)]),
            row(
                "fork: files",
                &["fork"],
                3,
                4,
                &[("fork", 3), ("kernel", 2)],
            ),
            row("nothing (A/A)", &["nothing"], 5, 5, &[("nothing", 5)]),
            row(
                "fork and seccomp",
                &["fork", "seccomp"],
                4,
                5,
                &[("seccomp", 5)],
            ),
        ],
        skipped: vec![Skipped {
            what: "cpu-quota".into(),
            why: "no control groups here".into(),
        }],
    };
    let text = causes_check(&made, plain(100));
    check(&text, 100);
    insta::assert_snapshot!(text + "\n" + &causes_markdown(&made));
}

/// `usual` with the marks of one that waits in every batch, traced by a process, and `slower` by probe.
fn traced(slower: impl Fn(&str) -> f64) -> Record {
    let (mut record, _) = usual();
    for at in &mut record.states {
        at.state.security.tracer_pid = Known::Is(4711);
    }
    for process in &mut record.processes {
        let by = slower(&process.point.probe);
        let Outcome::Draws(draws) = &mut process.outcome else {
            continue;
        };
        for series in draws.iter_mut().flat_map(|d| &mut d.series) {
            series.ns.iter_mut().for_each(|ns| *ns *= by);
            series.marks = (0..series.ns.len() as u32)
                .map(|sample| Mark {
                    sample,
                    what: MarkKind::RunDelayNs,
                    count: 1_000_000,
                })
                .collect();
        }
    }
    record
}

#[test]
fn a_tracer_comes_before_what_its_processes_wait_for() {
    let (usual, _) = usual();
    // As under `strace -f`: every call by a hundred times, a switch by ten, work in user space not at all.
    let traced = traced(|probe| match probe.split('.').next().unwrap() {
        "os" => 213.0,
        "ctx" | "ipc" | "proc" => 6.0,
        _ => 1.0,
    });
    for (a, b) in [(&usual, &traced), (&traced, &usual)] {
        let named = |name, record| [Named { name, record }];
        let comparison = compare(&named("a", a), &named("b", b), &Options::default()).unwrap();
        let found = explain(&comparison, a, b);
        let first = &found.causes[0];
        assert_eq!(first.cause, "tracing", "{}", found.answer);
        assert_eq!(first.verdict, CauseVerdict::Consistent);
        assert!(found.answer.contains("tracer"), "{}", found.answer);
        let neighbor = found
            .causes
            .iter()
            .find(|c| c.cause == "cpu-neighbor")
            .unwrap();
        assert_ne!(neighbor.verdict, CauseVerdict::Consistent, "{neighbor:?}");
    }
}

#[test]
fn two_processes_lead_no_answer() {
    // One CPU 870 ns, anywhere 5.5 ms in one of two processes.
    let two = |processes: usize| {
        let mut maker = Maker::new();
        for (cpus, ns) in [("same-cpu", 870.0), ("free", 70_000.0)] {
            let point = format!("ctx.ring{{procs=2,size=0,cpus={cpus}}}");
            maker.single(&point, Unit::Ns, ns);
        }
        maker
            .record
            .processes
            .retain(|p| p.round as usize <= processes);
        let (record, summary) = maker.done();
        explain_one(&record, &summary, "record")
    };
    let few = two(2);
    assert!(!few.answer.contains("times as long"), "{}", few.answer);
    let said = few.cannot_show.join(" ");
    assert!(
        said.contains("ctx.ring") && said.contains("3 processes"),
        "{said}"
    );
    assert!(
        few.next.iter().any(|n| n.command.contains("--standard")),
        "{:?}",
        few.next
    );
    assert!(two(5).answer.contains("times as long"), "{}", two(5).answer);
}
