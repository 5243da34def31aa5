//! Shared by several tests.

use whyslow_model::record::{Build, Header, Record, SCHEMA};

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
