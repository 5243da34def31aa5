//! Records made up for the tests: published tables, and runs with noise from a seed.
#![allow(dead_code, reason = "each test file uses a part of it")]

use whyslow_compare::Named;
use whyslow_model::comparison::{Comparison, PointComparison};
use whyslow_model::host::Host;
use whyslow_model::record::{
    Build, Draw, Header, Origin, Outcome, Planned, Process, Randomization, Record, SCHEMA, Series,
    StateAt, ValueRule,
};
use whyslow_model::{Better, Unit};

/// A record that says nothing yet.
pub(crate) fn empty() -> Record {
    Record::new(Header {
        schema: SCHEMA,
        version: "0.1.0".into(),
        build: Build {
            arch: "x86_64".into(),
            libc: "gnu dynamic".into(),
            profile: "release".into(),
            kernels: "assembly".into(),
        },
        seed: 1,
        intensity: "standard".into(),
        rounds: 10,
        fill: false,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: "2026-01-01T00:00:00Z".into(),
    })
}

/// `record` on the host and in the state of the report's tests, under another id.
pub(crate) fn on(mut record: Record, id: &str) -> Record {
    let text = include_str!("../../../report/tests/common/host.json");
    let mut host: Host = serde_json::from_str(text).unwrap();
    host.id.id = id.into();
    record.host = Some(Box::new(host));
    let state = include_str!("../../../report/tests/common/state.json");
    record.states = vec![StateAt {
        when: "start".into(),
        state: serde_json::from_str(state).unwrap(),
    }];
    record
}

/// A published record of `system` as an importer makes it.
pub(crate) fn published(format: &str, system: &str, unit: &str) -> Record {
    let mut record = empty();
    record.origin = Some(Origin {
        format: format.into(),
        file: "table.txt".into(),
        system: system.into(),
        unit_of_repetition: unit.into(),
        stated: Default::default(),
    });
    record
}

/// Adds a point with its values, one a process, as they are.
pub(crate) fn add(
    record: &mut Record,
    point: &str,
    unit: Unit,
    better: Better,
    title: Option<&str>,
    values: &[f64],
) {
    let point: whyslow_model::Point = point.parse().unwrap();
    record.plan.points.push(Planned {
        estimator: Default::default(),
        between_runs: 0.0,
        point: point.clone(),
        unit,
        better,
        value: ValueRule::Single,
        size_bytes: point.get("size").and_then(whyslow_model::size::parse),
        usual_marks: Vec::new(),
        title: title.map(str::to_owned),
        symbol: title.map(|_| "us".to_owned()),
    });
    for (i, value) in values.iter().enumerate() {
        let ns = if unit.is_rate() { 1.0 / value } else { *value };
        process(record, &point, i, vec![vec![ns]], &[]);
    }
}

/// Adds one process with draws of samples.
pub(crate) fn process(
    record: &mut Record,
    point: &whyslow_model::Point,
    round: usize,
    draws: Vec<Vec<f64>>,
    handover: &[f64],
) {
    let draws = draws.into_iter().map(|ns| Draw {
        series: vec![Series {
            name: String::new(),
            work: 1.0,
            handover_ns: handover
                .iter()
                .flat_map(|h| vec![[*h, *h]; ns.len()])
                .collect(),
            ns,
            marks: Vec::new(),
            slots: Vec::new(),
        }],
        ..Draw::default()
    });
    record.processes.push(Process {
        round: round as u32 + 1,
        order: 0,
        point: point.clone(),
        at_ms: 0.0,
        wall_ms: 1.0,
        randomization: Randomization::default(),
        ghz: None,
        slots: None,
        outcome: Outcome::Draws(draws.collect()),
    });
}

/// The point of a comparison by its text.
pub(crate) fn find<'a>(comparison: &'a Comparison, point: &str) -> &'a PointComparison {
    let found = comparison
        .points
        .iter()
        .find(|p| p.point.to_string() == point);
    found.unwrap_or_else(|| panic!("no {point}"))
}

pub(crate) fn named<'a>(name: &'a str, record: &'a Record) -> Named<'a> {
    Named { name, record }
}

/// Normal noise from a seed, without a crate for it.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn uniform(&mut self) -> f64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A run: every point with `processes` processes of `draws` draws of `samples` samples; a process adds
/// 1 %, a draw `draw_sd`, a sample 1 %; `value` gives the true value of point `i`.
pub(crate) struct Run {
    pub(crate) points: usize,
    pub(crate) processes: usize,
    pub(crate) draws: usize,
    pub(crate) samples: usize,
    pub(crate) draw_sd: f64,
    pub(crate) seed: u64,
}

impl Run {
    pub(crate) fn record(&self, value: impl Fn(usize) -> f64) -> Record {
        let mut dice = Dice::new(self.seed);
        let mut record = empty();
        for i in 0..self.points {
            let point = whyslow_model::Point::new("os.call").with("n", i);
            record.plan.points.push(Planned {
                estimator: Default::default(),
                between_runs: 0.0,
                point: point.clone(),
                unit: Unit::Ns,
                better: Better::Lower,
                value: ValueRule::Single,
                size_bytes: None,
                usual_marks: Vec::new(),
                title: None,
                symbol: None,
            });
            for round in 0..self.processes {
                let own = value(i) * (0.01 * dice.normal()).exp();
                let draws = (0..self.draws).map(|_| {
                    let placed = own * (self.draw_sd * dice.normal()).exp();
                    let samples = (0..self.samples).map(|_| placed * (0.01 * dice.normal()).exp());
                    samples.collect()
                });
                let draws = draws.collect();
                process(&mut record, &point, round, draws, &[]);
            }
        }
        record
    }
}
