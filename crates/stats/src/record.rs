//! What a record says: values with intervals, levels of the latency curve, topology classes.

mod amounts;
mod levels;
mod point;
mod slots;
mod topology;
mod values;
mod walks;

use whyslow_model::record::Record;
use whyslow_model::summary::Summary;

pub use levels::{Cut, levels};
pub use slots::{Slots, slots_of};
pub use topology::Classes;
pub use values::{Part, PointValues, ProcessValue, draw_middle, values};

/// Sums up every planned point of a record, finished or not.
pub fn summarise(record: &Record) -> Summary {
    let classes = Classes::of(record);
    let cut = levels(record, false);
    let mut summary = Summary {
        points: record
            .plan
            .points
            .iter()
            .map(|planned| point::summarise(record, planned, &classes))
            .collect(),
        levels: cut.levels,
        topology_moves: classes.moves(),
        notes: cut.notes,
    };
    if let Some(note) = classes.trouble() {
        summary.notes.push(note);
    }
    summary
}
