//! The whole search on machines whose copies are known.

use std::collections::BTreeMap;

use whyslow_host::HostRoot;
use whyslow_model::experiment::{Sensed, Trial, TrialValue, Tried};
use whyslow_model::host::Known;
use whyslow_model::tune::{LibcTuning, TuneVerdict};
use whyslow_model::{Point, Unit, size};
use whyslow_runner::{RunError, TrialPlan, TrialStep};
use whyslow_tune::libc::{Bench, tune};

/// A library that copies by REP MOVSB in a window of sizes and with non-temporal stores from a limit on.
#[derive(Clone, Copy)]
struct Machine {
    rep_movsb: u64,
    stop: u64,
    non_temporal: u64,
    /// GB/s of REP MOVSB at short distances.
    short: f64,
    /// GB/s of non-temporal stores; vectors move 100 below 8 MiB and 20 from there on.
    stream: f64,
    /// Does it take what it is told?
    takes: bool,
}

impl Machine {
    /// The thresholds under the conditions of an arm.
    fn under(self, conditions: &[String]) -> Machine {
        let mut machine = self;
        let settings = conditions
            .iter()
            .filter_map(|c| c.strip_prefix("tunables="));
        for (name, value) in settings
            .flat_map(|s| s.split(':'))
            .filter_map(|s| s.split_once('='))
        {
            let value: u64 = value.parse().expect("a number");
            match name {
                _ if !self.takes => {}
                "glibc.cpu.x86_rep_movsb_threshold" => machine.rep_movsb = value,
                "glibc.cpu.x86_non_temporal_threshold" => machine.non_temporal = value,
                other => panic!("{other}"),
            }
        }
        machine
    }

    /// GB/s of a point.
    fn rate(self, point: &Point) -> f64 {
        let block = point.get("size").and_then(size::parse).expect("a size") / 2;
        let distance: u64 = point
            .get("distance")
            .and_then(|d| d.parse().ok())
            .expect("a distance");
        let vectors = if block < 8 << 20 { 100.0 } else { 20.0 };
        if block >= self.non_temporal {
            self.stream
        } else if block >= self.rep_movsb && block < self.stop {
            if (1..16).contains(&distance) {
                self.short
            } else {
                vectors
            }
        } else {
            vectors
        }
    }
}

impl Bench for Machine {
    fn measure(
        &self,
        plan: &TrialPlan,
        _: &mut dyn FnMut(TrialStep<'_>),
    ) -> Result<Trial, RunError> {
        let mut trial = Trial {
            blocks: plan.blocks,
            ..Trial::default()
        };
        for block in 0..plan.blocks {
            for point in &plan.points {
                for (arm, conditions) in plan.arms.iter().enumerate() {
                    // Noise of half a percent that no block has in common.
                    let noise = 1.0 + 0.005 * f64::from((block * 7 + arm as u32 * 3) % 5);
                    let value = self.under(conditions).rate(&point.point) * noise;
                    trial.values.push(TrialValue {
                        point: point.point.clone(),
                        block,
                        place: arm as u32,
                        arm,
                        value,
                        unit: Unit::GbPerS,
                        worse: -value.ln(),
                    });
                }
            }
        }
        for arm in &plan.sensed {
            let machine = self.under(&plan.arms[*arm]);
            let here = std::env::temp_dir();
            let mut state = HostRoot::live().state(&here, &here);
            state.libc.routines = Some(Known::Is(BTreeMap::from([
                ("rep_movsb_threshold".to_owned(), machine.rep_movsb),
                ("rep_movsb_stop_threshold".to_owned(), machine.stop),
                ("non_temporal_threshold".to_owned(), machine.non_temporal),
            ])));
            trial.sensed.push((
                *arm,
                Sensed {
                    state,
                    tried: Tried::default(),
                },
            ));
        }
        Ok(trial)
    }
}

const HEALTHY: Machine = Machine {
    rep_movsb: 2112,
    stop: 1 << 20,
    non_temporal: 1 << 28,
    short: 100.0,
    stream: 15.0,
    takes: true,
};

fn tuned(machine: Machine) -> LibcTuning {
    tune(&machine, u64::MAX, 3, &mut |_, _| {}).expect("it measures")
}

#[test]
fn a_cliff_is_mended_and_nothing_else_is_touched() {
    let found = tuned(Machine {
        short: 5.0,
        ..HEALTHY
    });
    assert_eq!(found.verdict, TuneVerdict::Set);
    assert_eq!(
        found.settings,
        ["glibc.cpu.x86_rep_movsb_threshold=1073741824"]
    );
    let most = found
        .gains
        .iter()
        .map(|g| g.times.value)
        .fold(0.0, f64::max);
    assert!((19.0..21.0).contains(&most), "{most}");
}

/// A machine on which one size seems to lose under settings, the first time that it is held against the library as it is.
struct Disturbed {
    machine: Machine,
    /// Seems so again each time.
    always: bool,
    measured: std::cell::Cell<u32>,
}

impl Bench for Disturbed {
    fn measure(
        &self,
        plan: &TrialPlan,
        on: &mut dyn FnMut(TrialStep<'_>),
    ) -> Result<Trial, RunError> {
        let mut trial = self.machine.measure(plan, on)?;
        self.measured.set(self.measured.get() + 1);
        // The first look is the search.
        if self.measured.get() == 2 || self.always && self.measured.get() > 2 {
            let disturbed = |v: &&mut TrialValue| {
                v.arm > 0
                    && v.point.get("size").and_then(size::parse) == Some(512 << 10)
                    && v.point.get("distance") == Some("2048")
            };
            let values = trial.values.iter_mut().filter(disturbed);
            values.for_each(|value| value.value *= 0.8);
        }
        Ok(trial)
    }
}

#[test]
fn what_seems_to_lose_is_measured_again_before_it_counts() {
    let of = |always| {
        let machine = Machine {
            short: 5.0,
            ..HEALTHY
        };
        let disturbed = Disturbed {
            machine,
            always,
            measured: std::cell::Cell::new(0),
        };
        let found = tune(&disturbed, u64::MAX, 3, &mut |_, _| {}).expect("it measures");
        assert_eq!(disturbed.measured.get(), 3);
        found.verdict
    };
    assert_eq!(of(false), TuneVerdict::Set);
    assert_eq!(of(true), TuneVerdict::Mixed);
}

#[test]
fn a_healthy_library_is_left() {
    let found = tuned(HEALTHY);
    assert_eq!(found.verdict, TuneVerdict::Nothing);
    assert!(found.settings.is_empty() && found.gains.is_empty());
}

#[test]
fn a_limit_that_is_far_too_low_is_raised_and_one_that_pays_is_set() {
    let low = Machine {
        non_temporal: 1 << 15,
        ..HEALTHY
    };
    let found = tuned(low);
    assert_eq!(found.verdict, TuneVerdict::Set);
    let last = found.settings.last().expect("settings");
    assert!(
        last.starts_with("glibc.cpu.x86_non_temporal_threshold="),
        "{last}"
    );
    let pays = Machine {
        stream: 30.0,
        ..HEALTHY
    };
    let found = tuned(pays);
    // Alone, as string instructions gain and lose nothing.
    assert_eq!(
        found.settings,
        ["glibc.cpu.x86_non_temporal_threshold=16777216"]
    );
    let both = Machine { short: 5.0, ..pays };
    assert_eq!(
        tuned(both).settings,
        [
            "glibc.cpu.x86_rep_movsb_threshold=1073741824",
            "glibc.cpu.x86_non_temporal_threshold=16777216"
        ]
    );
}

#[test]
fn a_library_that_ignores_settings_is_said_to() {
    let found = tuned(Machine {
        short: 5.0,
        takes: false,
        ..HEALTHY
    });
    assert_eq!(found.verdict, TuneVerdict::NotTaken);
    assert!(found.settings.is_empty());
}
