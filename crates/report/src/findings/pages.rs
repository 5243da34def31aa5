//! What huge pages would gain.

use whyslow_model::id;

use super::{Finding, Rank, apart};
use crate::numbers::{self, percent, short};
use crate::view::{View, has};

/// A gain below this is not worth a program's change.
const WORTH: f64 = 0.05;

/// Random loads in memory are faster with huge pages.
pub(super) fn thp_gain(view: &View<'_>) -> Option<Finding> {
    let random = |pages: &'static str| {
        view.probe(id::MEM_LATENCY)
            .filter(move |p| has(p, &[("order", "random"), ("pages", pages)]) && p.value.is_some())
    };
    // The largest size that both have: the further beyond the caches, the more page walks.
    let huge = random("thp").max_by_key(|p| p.size_bytes)?;
    let small = random("4k").find(|p| p.size_bytes == huge.size_bytes)?;
    let (huge_ns, small_ns) = (huge.value.as_ref()?, small.value.as_ref()?);
    let gain = 1.0 - huge_ns.value / small_ns.value;
    if gain < WORTH || !apart(huge_ns, small_ns) {
        return None;
    }
    let setting = view.state().and_then(|s| s.memory.thp.enabled.value());
    let rest = match setting.map(String::as_str) {
        Some("madvise") => " THP is `madvise` here: programs that do not ask get none.",
        Some("never") => " THP is `never` here: programs get none.",
        _ => "",
    };
    let text = format!(
        "Huge pages take {} off a random load in {}: {} instead of {}.{rest}",
        percent(gain),
        numbers::size(huge.size_bytes?),
        short(huge.unit, huge_ns),
        short(small.unit, small_ns),
    );
    Finding::new(Rank::Slow, text)
}
