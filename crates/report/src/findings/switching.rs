//! What two processes cost by the CPUs that they run on.

use whyslow_model::Unit;
use whyslow_model::id;
use whyslow_model::summary::{Interval, PointSummary};

use super::{Finding, Rank, apart};
use crate::numbers::{short, times};
use crate::summary::placed;
use crate::view::View;

/// From this ratio on two CPUs are said to be slower than one: waking another CPU always costs
/// something, and up to twice is what idle neighbors usually take.
const SLOWER: f64 = 2.0;

/// The switch, or where that was not measured the round trip, on the CPUs so called.
fn value<'a>(view: &View<'a>, cpus: &str) -> Option<&'a Interval> {
    [id::CTX_RING, id::IPC_PIPE].into_iter().find_map(|probe| {
        placed(view, probe, "same-cpu")?.value.as_ref()?;
        placed(view, probe, cpus)?.value.as_ref()
    })
}

/// The slowest way to place two processes on two CPUs.
fn worst<'a>(view: &View<'a>) -> Option<(&'a str, &'a Interval)> {
    let on_two = |p: &&PointSummary| {
        !matches!(p.point.get("cpus"), None | Some("same-cpu" | "free"))
            && p.point.get("via").is_none()
    };
    let probe = if placed(view, id::CTX_RING, "same-cpu").is_some() {
        id::CTX_RING
    } else {
        id::IPC_PIPE
    };
    let ways = view
        .probe(probe)
        .filter(on_two)
        .filter_map(|p| Some((p.point.get("cpus")?, p.value.as_ref()?)));
    ways.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
}

/// Switching between two processes takes much longer on two CPUs than on one.
pub(super) fn across_cpus(view: &View<'_>) -> Option<Finding> {
    let same = value(view, "same-cpu")?;
    let (cpus, cross) = worst(view)?;
    if cross.value < SLOWER * same.value || same.value <= 0.0 || !apart(cross, same) {
        return None;
    }
    let text = format!(
        "Switching between two processes takes {} times as long on two CPUs ({}) as on one: {} against {}. Waking an idle CPU is a candidate.",
        times(cross.value / same.value),
        cpus,
        short(Unit::Ns, cross),
        short(Unit::Ns, same),
    );
    Finding::new(Rank::Slow, text)
}

/// Whether the kernel, left alone, puts two processes on one CPU or on two.
pub(super) fn free_placement(view: &View<'_>) -> Option<Finding> {
    let (same, free) = (value(view, "same-cpu")?, value(view, "free")?);
    let (cpus, cross) = worst(view)?;
    let positive = [same, free, cross].iter().all(|v| v.value > 0.0);
    if !positive || cross.value < SLOWER * same.value || !apart(cross, same) {
        return None;
    }
    // On a log scale, which of the two is nearer, and is it near at all?
    let to = |other: &Interval| (free.value / other.value).ln().abs();
    let (nearest, like) = if to(same) < to(cross) {
        (same, "on one CPU")
    } else {
        (cross, "on two CPUs")
    };
    let rest = match to(nearest) < SLOWER.ln() / 2.0 {
        true => format!("as if pinned {like}"),
        false => format!("between one CPU and two ({cpus})"),
    };
    let slow = if std::ptr::eq(nearest, cross) {
        Rank::Slow
    } else {
        Rank::Unseen
    };
    Finding::new(
        slow,
        format!(
            "Unpinned, switching between two processes takes {}: {rest}.",
            short(Unit::Ns, free)
        ),
    )
}
