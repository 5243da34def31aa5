//! Topology classes over a whole record: one host, one set of classes.

use std::collections::HashMap;

use whyslow_model::record::{Outcome, Record};

use crate::topology::{Around, DEFAULT_RATIO, Label, Labels, label};

/// Position of a sample in a record: process, draw, series, sample.
pub(crate) type Place = (usize, usize, usize, usize);

/// The class of every labeled sample of a record.
#[derive(Debug, Default)]
pub struct Classes {
    labels: HashMap<Place, Label>,
    centers: Vec<f64>,
    moves: u32,
    trouble: Option<String>,
}

impl Classes {
    /// Labels all samples of all points together, because the classes belong to the host.
    pub fn of(record: &Record) -> Classes {
        let mut places = Vec::new();
        let mut around = Vec::new();
        for (p, process) in record.processes.iter().enumerate() {
            let Outcome::Draws(draws) = &process.outcome else {
                continue;
            };
            for (d, draw) in draws.iter().enumerate() {
                for (s, series) in draw.series.iter().enumerate() {
                    for (i, &[before, after]) in series.handover_ns.iter().enumerate() {
                        places.push((p, d, s, i));
                        around.push(Around { before, after });
                    }
                }
            }
        }
        if places.is_empty() {
            return Classes::default();
        }
        match label(&around, DEFAULT_RATIO) {
            Ok(Labels { labels, clusters }) => Classes {
                moves: moves(record, &places, &labels),
                labels: places.into_iter().zip(labels).collect(),
                centers: clusters.classes.iter().map(|c| c.center).collect(),
                trouble: None,
            },
            Err(error) => Classes {
                trouble: Some(format!(
                    "the samples on several CPUs could not be labeled: {error}"
                )),
                ..Classes::default()
            },
        }
    }

    /// The class of a sample, if labeled.
    pub(crate) fn get(&self, place: Place) -> Option<Label> {
        self.labels.get(&place).copied()
    }

    /// Name of a class: by distance, as the kernel's own names may be wrong in a guest.
    pub(crate) fn name(&self, label: Label) -> String {
        match label {
            Label::Moved => "moved".to_owned(),
            Label::Class(0) => "near".to_owned(),
            Label::Class(1) if self.centers.len() == 2 => "far".to_owned(),
            Label::Class(k) => format!("far {k}"),
        }
    }

    /// Name of the class of a sample, if labeled, by its process, draw, series and index.
    pub fn name_at(&self, place: (usize, usize, usize, usize)) -> Option<String> {
        self.get(place).map(|label| self.name(label))
    }

    /// Typical core-to-core latency of a class, ns; 0 for `moved`, which has none.
    pub(crate) fn handover_ns(&self, label: Label) -> f64 {
        match label {
            Label::Class(k) => self.centers.get(k).copied().unwrap_or(0.0),
            Label::Moved => 0.0,
        }
    }

    /// How often the class changed between consecutive samples in time.
    pub(crate) fn moves(&self) -> u32 {
        self.moves
    }

    /// Why there are no labels although there are latencies.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.clone()
    }
}

/// Class changes in time order, among processes on the same CPUs: a different pair of CPUs is not a
/// move.
fn moves(record: &Record, places: &[Place], labels: &[Label]) -> u32 {
    let mut last: HashMap<Vec<u32>, Label> = HashMap::new();
    let mut timed: Vec<(&Place, &Label)> = places.iter().zip(labels).collect();
    // Within a process the variants' samples alternate: by sample, then series.
    timed.sort_by(|((p, d, s, i), _), ((q, e, t, j), _)| {
        let (a, b) = (&record.processes[*p], &record.processes[*q]);
        a.at_ms.total_cmp(&b.at_ms).then((d, i, s).cmp(&(e, j, t)))
    });
    let mut moves = 0;
    for ((p, ..), label) in timed {
        let mut cpus = record.processes[*p].randomization.cpus.clone();
        cpus.sort_unstable();
        if *label != Label::Moved && last.insert(cpus, *label).is_some_and(|l| l != *label) {
            moves += 1;
        }
    }
    moves
}
