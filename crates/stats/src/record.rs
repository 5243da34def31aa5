//! Summary of a record: values with intervals, levels of the latency curve, topology classes.

mod alone;
mod contenders;
mod estimate;
mod levels;
mod point;
mod slots;
mod sums;
mod topology;
mod values;
mod walks;

use whyslow_model::record::{Planned, Record};
use whyslow_model::summary::Summary;

pub use alone::Alone;
pub use contenders::contenders;
pub use estimate::estimate;
pub use levels::{Cut, levels, scouted};
pub use slots::{Cores, Slots};
pub use topology::Classes;
pub use values::{
    Part, PointValues, ProcessValue, draw_middle, reasons, values, values_as_measured,
};

/// Summarizes every planned point of a record, finished or not.
pub fn summarise(record: &Record) -> Summary {
    // Excluded samples also show where the CPUs were.
    let moves = Classes::of(record).moves();
    let alone = Alone::of(record);
    let cut = levels::of_rounds(&alone);
    let record = alone.record.as_ref();
    let classes = Classes::of(record);
    let by_point = values::by_point(record);
    let of = |planned: &Planned| {
        let own = by_point.get(&planned.point).map(Vec::as_slice);
        let mut summary = point::summarise(record, planned, own.unwrap_or_default(), &classes);
        if let Some(counts) = alone.left_out.get(&planned.point) {
            summary.samples += counts.batches;
            summary.left_out += counts.batches;
            summary.beside = counts.beside;
        }
        summary
    };
    let mut summary = Summary {
        points: record.plan.points.iter().map(of).collect(),
        levels: cut.levels,
        topology_moves: moves,
        notes: cut.notes,
    };
    if let Some(note) = classes.trouble() {
        summary.notes.push(note);
    }
    summary
}
