//! Summary of a record: values with intervals, levels of the latency curve, topology classes.

mod alone;
mod claims;
mod contenders;
mod estimate;
mod levels;
mod parts;
mod point;
mod priors;
mod reach;
mod runs;
mod slots;
mod sums;
mod topology;
mod values;
mod walks;

use whyslow_model::record::{Planned, Record};
use whyslow_model::summary::Summary;

use priors::Priors;
use values::Found;

pub use alone::Alone;
pub use contenders::contenders;
pub use estimate::estimate;
pub use levels::{Cut, levels, scouted};
pub use parts::{Part, PointValues, ProcessValue};
pub use priors::shown as moderation;
pub use reach::is_memory;
pub use runs::{rounds_of_whole_blocks, run_value};
pub use slots::{Cores, Slots};
pub use topology::Classes;
pub use values::{draw_middle, plain_values, reasons, values, values_as_measured};

/// Summarizes every planned point of a record, finished or not.
pub fn summarise(record: &Record) -> Summary {
    // Excluded samples also show where the CPUs were.
    let moves = Classes::of(record).moves();
    let alone = Alone::of(record);
    let cut = levels::of_rounds(&alone);
    let record = alone.record.as_ref();
    let classes = Classes::of(record);
    let by_point = values::by_point(record);
    let own = |planned: &Planned| {
        let own = by_point.get(&planned.point).map(Vec::as_slice);
        own.unwrap_or_default()
    };
    let planned = &record.plan.points;
    let found: Vec<Found<'_>> = planned
        .iter()
        .map(|planned| Found::of(planned, record, own(planned), &classes))
        .collect();
    let settled = found.iter().flat_map(|f| &f.values);
    let priors = Priors::of(record, settled.filter(|part| part.is_settled()));
    let of = |(planned, found): (&Planned, Found<'_>)| {
        let own = own(planned);
        let mut summary = point::summarise(record, planned, own, &classes, found, &priors);
        if let Some(counts) = alone.left_out.get(&planned.point) {
            summary.samples += counts.batches;
            summary.left_out += counts.batches;
            summary.beside = counts.beside;
        }
        summary
    };
    let mut summary = Summary {
        points: planned.iter().zip(found).map(of).collect(),
        levels: cut.levels,
        topology_moves: moves,
        moderated_over: priors.points() as u32,
        notes: cut.notes,
    };
    if let Some(note) = classes.trouble() {
        summary.notes.push(note);
    }
    summary
}
