//! Page walks in a latency curve: its last step may be theirs, and its loads from memory wait for them. Huge pages show both.

use crate::levels::{Level, SizePoint};
use crate::quantile::median;
use crate::summary::COVERAGE;
use crate::{Interval, student};

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

/// From so many times the effective size of the last cache on, it answers next to nothing of a cyclic chase.
const BEYOND: f64 = 4.0;

/// Gives memory, the last of `levels`, its latency on huge pages; false where they were not measured. On small pages a curve
/// has no flat part beyond the caches: the fit takes now its begin and now its end for memory, so that runs of one host gave
/// 127 to 203 ns where huge pages gave 147 to 161.
pub(super) fn without(levels: &mut [Level], huge: &[SizePoint]) -> bool {
    let [.., before, memory] = levels else {
        return false;
    };
    let Some(boundary) = &before.boundary else {
        return false;
    };
    let sizes = huge
        .iter()
        .filter(|s| s.size as f64 >= BEYOND * boundary.capacity);
    let means: Vec<(f64, student::Mean)> = sizes
        .filter_map(|s| {
            let mean = student::mean_interval(&s.log_latency, COVERAGE)?;
            Some((s.log_latency.len() as f64, mean))
        })
        .collect();
    // Of all sizes together, as each has few processes.
    let free: f64 = means.iter().map(|(n, _)| n - 1.0).sum();
    if free < 1.0 {
        return false;
    }
    let squares = means
        .iter()
        .map(|(n, m)| (n - 1.0) * m.sd.unwrap_or(0.0).powi(2));
    let variance = squares.sum::<f64>() / free;
    let count = means.len() as f64;
    let error = (variance * means.iter().map(|(n, _)| 1.0 / n).sum::<f64>()).sqrt() / count;
    let half = student::quantile(0.5 + 0.5 * COVERAGE, free) * error;
    let center = means.iter().map(|(_, m)| m.mean).sum::<f64>() / count;
    memory.latency = center.exp();
    memory.latency_interval = Interval {
        lo: (center - half).exp(),
        hi: (center + half).exp(),
    };
    true
}

/// The median logarithm over the sizes selected by `wanted`.
fn middle(curve: &[SizePoint], wanted: impl Fn(f64) -> bool) -> Option<f64> {
    let sizes = curve.iter().filter(|s| wanted(s.size as f64));
    let middles: Vec<f64> = sizes.filter_map(|s| median(&s.log_latency)).collect();
    median(&middles)
}
