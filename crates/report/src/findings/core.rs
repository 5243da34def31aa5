//! Whether the cores were ours alone, as each worker found them.

use whyslow_stats::record::Slots;

use super::{Finding, Rank};
use crate::numbers::{number, percent};
use crate::view::View;

/// Shared beside fewer batches than this, it touches no median.
const WORTH: f64 = 0.1;

/// The other hardware thread of a core was busy.
pub(super) fn shared(view: &View<'_>) -> Option<Finding> {
    let slots = Slots::of(view.record).filter(|slots| slots.shared >= WORTH)?;
    let then = slots.when_shared?;
    Finding::new(
        Rank::Moved,
        format!(
            "Another hardware thread was busy on the cores beside {} of the batches: they handed out \
             {} instructions a cycle then, and alone {}. Where the kernel shows one thread a core, that is \
             another guest, or two CPUs of this one on one core. Such batches are left out where enough \
             others are.",
            percent(slots.shared),
            number(then),
            number(slots.best),
        ),
    )
}
