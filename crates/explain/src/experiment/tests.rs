//! Verdicts on trials whose truth is known.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_host::{HostRoot, Live};
use whyslow_model::Unit;
use whyslow_model::experiment::{ExperimentVerdict, Sensed, Trial, TrialValue};

use super::*;
use crate::causes::{CAUSES, nothing};

const MOVED: &str = "os.null_call";
const SPARED: &str = "cpu.arith{type=double}";

const SWITCH: Switch = Switch {
    what: "something that a test makes up",
    moves: &[MOVED],
    spares: &[SPARED],
    doses: &[&["seccomp=50"]],
    on: &["seccomp=200"],
    took: |_, _| Ok("it took".to_owned()),
    ..Switch::INHERITED
};

/// What each arm does to the points, as logarithms: reference, off, the dose, on; and the spared point
/// when on; what off is more after on than before.
#[derive(Clone, Copy)]
struct Truth {
    arms: [f64; 4],
    spared: f64,
    stays: f64,
}

const PLAIN: Truth = Truth {
    arms: [0.0, 0.0, 0.3, 0.7],
    spared: 0.0,
    stays: 0.0,
};

fn layout() -> Layout {
    Layout::of(&SWITCH, BLOCKS, None).unwrap()
}

/// Values of that truth, with a drift of 30 % over the experiment and 1 % of noise a process.
fn trial(truth: Truth) -> Trial {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut noise = || (rng.next_u64() as f64 / u64::MAX as f64 - 0.5) * 0.03;
    let layout = layout();
    let places: Vec<usize> = (0..4).chain((0..4).rev()).collect();
    let mut values = Vec::new();
    for block in 0..BLOCKS {
        for point in &layout.plan().points {
            for (place, &arm) in places.iter().enumerate() {
                if point.arms[arm].is_none() {
                    continue;
                }
                let mut log = f64::from(block) * 0.03 + noise();
                log += if point.point.to_string() == MOVED {
                    truth.arms[arm] + if place > 4 { truth.stays } else { 0.0 }
                } else if arm == 3 {
                    truth.spared
                } else {
                    0.0
                };
                values.push(TrialValue {
                    point: point.point.clone(),
                    block,
                    place: place as u32,
                    arm,
                    value: log.exp(),
                    unit: Unit::Ns,
                    worse: log,
                });
            }
        }
    }
    Trial {
        blocks: BLOCKS,
        values,
        sensed: Vec::new(),
        trouble: Vec::new(),
    }
}

fn judged(truth: Truth) -> Experiment {
    let mut experiment = judge(&nothing::CAUSE, &SWITCH, &layout(), &trial(truth));
    // In a trial that was made up nothing is checked.
    assert!(!experiment.manipulation.passed);
    let took = Check {
        passed: true,
        text: String::new(),
    };
    (experiment.verdict, experiment.because) =
        verdict(&took, &experiment.effects, &experiment.spared);
    experiment
}

#[test]
fn a_cause_that_is_all_of_it_is_confirmed_with_its_share() {
    let found = judged(PLAIN);
    assert_eq!(found.verdict, ExperimentVerdict::Confirmed, "{found:?}");
    let effect = &found.effects[0];
    assert!((effect.effect.value - 0.7).abs() < 0.02, "{effect:?}");
    let share = effect.share.unwrap();
    let [lo, hi] = share.range.unwrap();
    assert!(lo < 1.0 && hi > 1.0 && hi - lo < 0.1, "{share:?}");
    assert_eq!(effect.grows, Some(true));
    assert!(found.p.unwrap() < 1e-6);
}

#[test]
fn what_remains_without_it_makes_it_a_part() {
    let found = judged(Truth {
        arms: [0.0, 0.4, 0.5, 0.7],
        ..PLAIN
    });
    assert_eq!(found.verdict, ExperimentVerdict::Part, "{found:?}");
    let share = found.effects[0].share.unwrap();
    assert!((share.value - 0.3 / 0.7).abs() < 0.05, "{share:?}");
}

#[test]
fn a_switch_that_takes_away_a_little_more_than_there_was_is_all_of_it() {
    let with_off_at = |off| {
        judged(Truth {
            arms: [0.0, off, 0.3, 0.7],
            ..PLAIN
        })
    };
    let found = with_off_at(-0.1);
    assert_eq!(found.verdict, ExperimentVerdict::Confirmed, "{found:?}");
    let found = with_off_at(-0.9);
    assert_eq!(found.verdict, ExperimentVerdict::Undecided, "{found:?}");
}

/// As colors that were not found in some process leave it.
#[test]
fn a_block_without_one_of_its_arms_costs_no_share() {
    let mut gaps = trial(PLAIN);
    gaps.values.retain(|v| v.block != 1 || v.arm != 0);
    gaps.values.retain(|v| v.block != 2 || v.arm == 0);
    let found = judge(&nothing::CAUSE, &SWITCH, &layout(), &gaps);
    let share = found.effects[0].share.unwrap();
    assert!((share.value - 1.0).abs() < 0.05, "{share:?}");
}

#[test]
fn a_switch_that_moves_nothing_is_excluded() {
    let found = judged(Truth {
        arms: [0.0; 4],
        ..PLAIN
    });
    assert_eq!(found.verdict, ExperimentVerdict::Excluded, "{found:?}");
}

#[test]
fn what_cannot_be_its_doing_leaves_it_undecided() {
    for (truth, word) in [
        (
            Truth {
                spared: 0.7,
                ..PLAIN
            },
            "cannot move",
        ),
        (
            Truth {
                arms: [0.0, 0.0, 0.9, 0.3],
                ..PLAIN
            },
            "dose",
        ),
        (
            Truth {
                stays: 0.6,
                ..PLAIN
            },
            "does not go away",
        ),
    ] {
        let found = judged(truth);
        assert_eq!(found.verdict, ExperimentVerdict::Undecided, "{found:?}");
        assert!(found.because.contains(word), "{}", found.because);
    }
}

#[test]
fn a_switch_that_did_not_take_decides_nothing() {
    let found = judge(&nothing::CAUSE, &SWITCH, &layout(), &trial(PLAIN));
    assert_eq!(found.verdict, ExperimentVerdict::Undecided);
    assert!(found.because.contains("did not take"), "{}", found.because);
}

#[test]
fn many_causes_tried_need_more_to_be_shown() {
    let mut all: Vec<Experiment> = [0.02, 0.04, 0.6]
        .map(|p| Experiment {
            p: Some(p),
            ..judged(PLAIN)
        })
        .into();
    adjust(&mut all);
    assert_eq!(all[0].p, Some(0.06));
    assert!(
        all.iter()
            .all(|e| e.verdict == ExperimentVerdict::Undecided)
    );
}

#[test]
fn what_the_causes_declare_can_be_tried() {
    let conditions = |list: &[&str]| {
        for text in list {
            text.parse::<whyslow_conditions::Condition>().unwrap();
        }
    };
    for cause in CAUSES {
        for plant in cause.plants {
            conditions(plant.a);
            conditions(plant.b);
        }
        let Some(switch) = cause.switch else { continue };
        let layout = Layout::of(switch, 1, Some(1 << 20)).unwrap();
        for arm in &layout.plan().arms {
            let list: Vec<&str> = arm.iter().map(String::as_str).collect();
            conditions(&list);
        }
        assert!(
            !switch.moves.is_empty() && !switch.what.is_empty(),
            "{}",
            cause.id
        );
        for list in [switch.reference_points, switch.off_points] {
            assert!(
                list.is_empty() || list.len() == switch.moves.len(),
                "{}",
                cause.id
            );
        }
    }
}

#[test]
fn a_check_that_saw_nothing_does_not_pass() {
    let root = HostRoot::at("a folder that is not there", Live::nothing());
    let nowhere = std::path::Path::new("/");
    let blind = Sensed {
        state: root.state(nowhere, nowhere),
        tried: Default::default(),
    };
    for cause in CAUSES {
        let Some(switch) = cause.switch else { continue };
        let said = (switch.took)(&blind, &blind);
        assert!(
            said.is_err(),
            "the check `took` of the cause '{}' passes on a host that shows nothing: {said:?}; it must compare what \
             `off` and `on` saw, and fail where they saw nothing",
            cause.id
        );
        assert_ne!(
            said,
            (crate::switch::Switch::INHERITED.took)(&blind, &blind),
            "the switch of the cause '{}' has no check; declare `took`, which says by what processes saw that the \
             switch took",
            cause.id
        );
    }
}

#[test]
fn points_of_switches_and_plants_can_be_measured() {
    for cause in CAUSES {
        let Some(switch) = cause.switch else { continue };
        let lists = [
            switch.moves,
            switch.spares,
            switch.reference_points,
            switch.off_points,
        ];
        for text in lists.concat() {
            let text = text.replace(crate::switch::SECOND_LEVEL, "1MiB");
            let point: whyslow_model::Point = text.parse().unwrap();
            let probe = whyslow_probes::probe(&point.probe);
            let probe = probe.unwrap_or_else(|| {
                panic!("the switch of the cause '{}' names {point}, and no probe is called that; see `whyslow list`", cause.id)
            });
            for (name, _) in &point.params {
                assert!(
                    probe.params.iter().any(|(declared, _)| declared == name),
                    "the switch of the cause '{}' names {point}, and {} has no parameter '{name}'",
                    cause.id,
                    probe.id
                );
            }
        }
    }
}
