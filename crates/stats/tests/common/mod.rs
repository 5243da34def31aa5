//! Shared by several tests.

use whyslow_model::record::{
    Build, Draw, Header, Outcome, Process, Randomization, Record, SCHEMA, Series,
};

/// An empty record.
pub(crate) fn empty() -> Record {
    Record::new(Header {
        schema: SCHEMA,
        version: "0".into(),
        build: Build {
            arch: "x86_64".into(),
            libc: "gnu dynamic".into(),
            profile: "release".into(),
            kernels: "assembly".into(),
        },
        seed: 1,
        intensity: "quick".into(),
        rounds: 5,
        fill: false,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: "2026-01-01T00:00:00Z".into(),
    })
}

/// Batches of that much work, which took these ns.
pub(crate) fn series(name: &str, work: f64, ns: &[f64]) -> Series {
    Series {
        name: name.into(),
        work,
        ns: ns.to_vec(),
        marks: Vec::new(),
        handover_ns: Vec::new(),
        slots: Vec::new(),
    }
}

/// A process of one draw.
pub(crate) fn process(round: u32, point: &str, series: Vec<Series>) -> Process {
    Process {
        round,
        order: 0,
        point: point.parse().unwrap(),
        at_ms: f64::from(round) * 100.0,
        wall_ms: 10.0,
        randomization: Randomization {
            cpus: vec![0, 1],
            ..Randomization::default()
        },
        ghz: None,
        slots: None,
        outcome: Outcome::Draws(vec![Draw {
            frames: None,
            series,
        }]),
    }
}
