//! What is kept of a run: one point for each figure.

use whyslow_model::id;
use whyslow_model::record::{Draw, Estimator, Planned, Series, ValueRule};
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};
use whyslow_probes::child::Ended;

/// One figure of a run.
pub(super) struct Metric {
    /// The probe id of its points.
    pub(super) probe: &'static str,
    role: Role,
    unit: Unit,
    better: Better,
    of: fn(&Ended) -> f64,
}

const fn lower(probe: &'static str, role: Role, unit: Unit, of: fn(&Ended) -> f64) -> Metric {
    Metric {
        probe,
        role,
        unit,
        better: Better::Lower,
        of,
    }
}

/// All figures, in the order in which they are told. The first stands for the run.
pub(super) const METRICS: [Metric; 9] = [
    lower(id::LOAD_REAL, Role::RealTime, Unit::Ns, |e| e.real_ns),
    lower(id::LOAD_USER, Role::UserTime, Unit::Ns, |e| e.usage.user_ns),
    lower(id::LOAD_SYSTEM, Role::SystemTime, Unit::Ns, |e| {
        e.usage.system_ns
    }),
    Metric {
        probe: id::LOAD_CPU,
        role: Role::Count,
        unit: Unit::Count,
        // More CPUs at once for the same work is what a load level is for.
        better: Better::Higher,
        of: |e| (e.usage.user_ns + e.usage.system_ns) / e.real_ns,
    },
    lower(id::LOAD_MAX_RSS, Role::Count, Unit::Bytes, |e| {
        e.usage.max_rss_bytes
    }),
    lower(id::LOAD_MINOR_FAULTS, Role::Count, Unit::Count, |e| {
        e.usage.minor_faults
    }),
    lower(id::LOAD_MAJOR_FAULTS, Role::Count, Unit::Count, |e| {
        e.usage.major_faults
    }),
    lower(id::LOAD_VOLUNTARY_SWITCHES, Role::Count, Unit::Count, |e| {
        e.usage.voluntary
    }),
    lower(
        id::LOAD_INVOLUNTARY_SWITCHES,
        Role::Count,
        Unit::Count,
        |e| e.usage.involuntary,
    ),
];

/// The start of the shell alone.
pub(super) const SHELL: Metric = lower(id::LOAD_SHELL, Role::ProgramStart, Unit::Ns, |e| e.real_ns);

/// What the points of a load are about.
pub fn roles(probe: &str) -> Option<Roles> {
    let mut metrics = METRICS.iter().chain([&SHELL]);
    let metric = metrics.find(|metric| metric.probe == probe)?;
    Some(Roles::All(metric.role))
}

impl Metric {
    /// The point of this figure with the parameters of `params`.
    pub(super) fn point(&self, params: &[(String, String)]) -> Point {
        Point {
            probe: self.probe.to_owned(),
            params: params.to_vec(),
        }
    }

    /// What the record needs to read the point.
    pub(super) fn planned(&self, params: &[(String, String)], title: &str) -> Planned {
        Planned {
            estimator: Estimator::Middle,
            between_runs: 0.0,
            point: self.point(params),
            unit: self.unit,
            better: self.better,
            value: ValueRule::Single,
            size_bytes: None,
            usual_marks: Vec::new(),
            title: Some(title.to_owned()),
            symbol: None,
        }
    }

    /// The figure of one run.
    pub(super) fn draw(&self, ended: &Ended) -> Draw {
        Draw {
            frames: None,
            series: vec![Series {
                name: String::new(),
                work: 1.0,
                ns: vec![(self.of)(ended)],
                marks: Vec::new(),
                handover_ns: Vec::new(),
                slots: Vec::new(),
            }],
        }
    }
}
