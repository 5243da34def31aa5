//! The last step of a latency curve may be due to page walks: comparison with huge pages shows it.

use crate::levels::{Level, SizePoint};
use crate::quantile::median;

/// A boundary seen on small pages and not on huge ones is not a cache's. Removes it from `levels`, so
/// that the previous level becomes the last, and adds a note; `huge` is the curve on huge pages.
pub(super) fn taken_out(levels: &mut Vec<Level>, huge: &[SizePoint]) -> Option<String> {
    let settled = match levels.as_slice() {
        // The step to the level ends at twice the effective size of the one before.
        [.., third, _, _] => third.boundary.as_ref().map(|b| 2.0 * b.capacity),
        _ => None,
    };
    let [.., before, last] = levels.as_mut_slice() else {
        return None;
    };
    let boundary = before.boundary.as_ref()?;
    let rises_from = boundary.rises_from?;
    // On the level itself where sizes lie there. Else still before it rises: on a curve without a flat part, that may be
    // the step to it.
    let on_it =
        settled.and_then(|from| middle(huge, |size| size >= from && size <= boundary.capacity));
    let near = on_it.or_else(|| {
        middle(huge, |size| {
            size <= rises_from as f64 && size >= rises_from as f64 / 4.0
        })
    })?;
    // The step ends at twice the effective size of the level.
    let far = middle(huge, |size| size >= 2.0 * boundary.capacity)?;
    let step = (last.latency / before.latency).ln();
    if (far - near) > step / 2.0 {
        return None;
    }
    let note = format!(
        "beyond {}, latency rises to {:.0} ns on 4 KiB pages, and to {:.0} ns on huge ones: TLB misses cause that step, not a cache, so it is not a level",
        whyslow_model::size::format(rises_from),
        last.latency,
        far.exp(),
    );
    before.boundary = None;
    levels.pop();
    Some(note)
}

/// The median logarithm over the sizes selected by `wanted`.
fn middle(curve: &[SizePoint], wanted: impl Fn(f64) -> bool) -> Option<f64> {
    let sizes = curve.iter().filter(|s| wanted(s.size as f64));
    let middles: Vec<f64> = sizes.filter_map(|s| median(&s.log_latency)).collect();
    median(&middles)
}
