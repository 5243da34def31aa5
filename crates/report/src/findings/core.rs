//! Whether the cores were ours alone, as each worker found them.

use whyslow_stats::record::Slots;

use super::{Finding, Rank};
use crate::numbers::{self, counted, number, percent};
use crate::view::View;

/// Shared beside fewer batches than this, it touches no median.
const WORTH: f64 = 0.1;

/// The other hardware thread of a core was busy.
pub(super) fn shared(view: &View<'_>) -> Option<Finding> {
    let slots = Slots::of(view.record).filter(|slots| slots.shared >= WORTH)?;
    let then = slots.when_shared?;
    // What was done about it in this record, by count: with few processes nothing is left out.
    let gone: u32 = view.summary.points.iter().map(|p| p.beside).sum();
    let points = view.summary.points.iter().filter(|p| p.beside > 0).count();
    let done = match gone {
        0 => "None of these batches is left out: no point had three processes with their core to themselves."
            .to_owned(),
        _ => format!(
            "{} such {} left out of {}.",
            numbers::count(gone.into()),
            if gone == 1 { "batch is" } else { "batches are" },
            counted(points as u64, "point", "points")
        ),
    };
    Finding::new(
        Rank::Moved,
        format!(
            "Another hardware thread was busy on the cores beside {} of the batches: they handed out \
             {} instructions a cycle then, and alone {}. Where the kernel shows one thread a core, that is \
             another guest, or two CPUs of this one on one core. {done}",
            percent(slots.shared),
            number(then),
            number(slots.best),
        ),
    )
}
