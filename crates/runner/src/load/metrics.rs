//! What is kept of a run: one point for each figure.

use whyslow_model::record::{Draw, Planned, Series, ValueRule};
use whyslow_model::{Better, Point, Unit};
use whyslow_probes::child::Ended;

/// One figure of a run.
pub(super) struct Metric {
    /// The probe id of its points.
    pub(super) probe: &'static str,
    unit: Unit,
    better: Better,
    of: fn(&Ended) -> f64,
}

const fn lower(probe: &'static str, unit: Unit, of: fn(&Ended) -> f64) -> Metric {
    Metric {
        probe,
        unit,
        better: Better::Lower,
        of,
    }
}

/// All figures, in the order in which they are told. The first stands for the run.
pub(super) const METRICS: [Metric; 9] = [
    lower("load.real", Unit::Ns, |e| e.real_ns),
    lower("load.user", Unit::Ns, |e| e.usage.user_ns),
    lower("load.system", Unit::Ns, |e| e.usage.system_ns),
    Metric {
        probe: "load.cpu",
        unit: Unit::Count,
        // More CPUs at once for the same work is what a load level is for.
        better: Better::Higher,
        of: |e| (e.usage.user_ns + e.usage.system_ns) / e.real_ns,
    },
    lower("load.max_rss", Unit::Bytes, |e| e.usage.max_rss_bytes),
    lower("load.minor_faults", Unit::Count, |e| e.usage.minor_faults),
    lower("load.major_faults", Unit::Count, |e| e.usage.major_faults),
    lower("load.voluntary_switches", Unit::Count, |e| {
        e.usage.voluntary
    }),
    lower("load.involuntary_switches", Unit::Count, |e| {
        e.usage.involuntary
    }),
];

/// The start of the shell alone.
pub(super) const SHELL: Metric = lower("load.shell", Unit::Ns, |e| e.real_ns);

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
