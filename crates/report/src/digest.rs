//! What a record says in a few lines: what a card and a short answer have in common.

use whyslow_model::id;
use whyslow_model::summary::{Interval, PointSummary};
use whyslow_model::{Point, Unit};

use crate::findings;
use crate::numbers::{self, Scale, counted};
use crate::summary::{cpu, guest, placed, sure};
use crate::text::TIE;
use crate::view::{View, has};

/// A record in short. Texts have intervals where there are any.
#[derive(Debug)]
pub(crate) struct Digest<'a> {
    /// Name of the CPU, or of the system of another tool's results.
    pub(crate) name: String,
    /// `2 CPUs, 9.7 GiB memory, KVM guest`; empty if not in the record.
    pub(crate) machine: String,
    /// `quick, 2026-11-24 23:44 UTC`.
    pub(crate) when: String,
    /// Levels of the latency curve.
    pub(crate) levels: Vec<Level>,
    /// Figures that stand for all others.
    pub(crate) figures: Vec<Figure<'a>>,
    /// What stands out, most important first.
    pub(crate) findings: Vec<String>,
    /// Processes a point, and how wide intervals are.
    pub(crate) sure: String,
}

/// A level in words.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) latency: Interval,
    /// Effective size; none for memory.
    pub(crate) size: Option<Interval>,
}

/// A figure with its point.
#[derive(Debug)]
pub(crate) struct Figure<'a> {
    pub(crate) name: &'static str,
    pub(crate) point: &'a Point,
    pub(crate) unit: Unit,
    pub(crate) value: Interval,
}

impl<'a> Digest<'a> {
    pub(crate) fn of(view: &View<'a>) -> Digest<'a> {
        let header = &view.record.header;
        let minute = header.started.get(..16).unwrap_or(&header.started);
        let (name, when) = match &view.record.origin {
            Some(origin) => (
                origin.system.clone(),
                "as another tool printed it".to_owned(),
            ),
            None => (
                cpu(view),
                format!("{}, {} UTC", header.intensity, minute.replace('T', " ")),
            ),
        };
        let levels = view.summary.levels.iter();
        Digest {
            name,
            machine: machine(view),
            when,
            levels: levels
                .map(|level| Level {
                    name: level.name.clone(),
                    latency: level.latency_ns,
                    // What holds some of the next level is the size of neither.
                    size: level.capacity_bytes.filter(|_| !level.holds_more()),
                })
                .collect(),
            figures: figures(view),
            findings: match view.record.origin {
                Some(_) => Vec::new(),
                None => findings::texts(view),
            },
            sure: sure(view),
        }
    }
}

impl Level {
    /// `0.940 ns`.
    pub(crate) fn latency(&self) -> String {
        numbers::short(Unit::Ns, &self.latency).replace(TIE, " ")
    }

    /// `664 KiB`.
    pub(crate) fn size(&self) -> Option<String> {
        let bytes = self.size.as_ref()?;
        let scale = Scale::bytes(bytes.value);
        Some(format!("{} {}", numbers::parts(bytes, scale).0, scale.name))
    }
}

impl Figure<'_> {
    /// `46.6 GB/s`.
    pub(crate) fn short(&self) -> String {
        numbers::short(self.unit, &self.value).replace(TIE, " ")
    }
}

fn machine(view: &View<'_>) -> String {
    let mut parts = Vec::new();
    parts.extend(view.cpus().map(|n| counted(n as u64, "CPU", "CPUs")));
    if let Some(host) = view.host() {
        let bytes = host.memory.total_bytes.value();
        parts.extend(bytes.map(|&b| format!("{} memory", numbers::size(b)).replace(TIE, " ")));
        parts.push(guest(host));
    }
    parts.join(", ")
}

/// DRAM bandwidth of one CPU and a context switch, each if it has one value.
fn figures<'a>(view: &View<'a>) -> Vec<Figure<'a>> {
    let read = [("op", "read"), ("level", "DRAM"), ("cpus", "1")];
    let bandwidth = view.probe(id::MEM_BANDWIDTH).find(|p| has(p, &read));
    // Processes on one CPU switch each time; on several, the transfer between cores is part of it.
    let switch = placed(view, id::CTX_RING, "same-cpu");
    let named = [("DRAM read, 1 CPU", bandwidth), ("context switch", switch)];
    let figure = |(name, point): (&'static str, Option<&'a PointSummary>)| {
        let point = point?;
        Some(Figure {
            name,
            point: &point.point,
            unit: point.unit,
            value: point.value?,
        })
    };
    named.into_iter().filter_map(figure).collect()
}
