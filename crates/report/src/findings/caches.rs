//! Caches that differ from what the kernel or glibc says of them.

use whyslow_model::host::CacheKind;
use whyslow_model::state::Libc;
use whyslow_model::summary::Level;

use super::{Finding, Rank};
use crate::numbers::{self, times};
use crate::view::View;

/// A level acts small if even the upper end of its interval is below this share of the claim: the
/// last ways of a full cache always fill unevenly, so a little less than the claim is usual.
const SMALL: f64 = 0.75;

/// A belief is worth a line from this ratio on: below, no routine would choose differently.
const WRONG: f64 = 2.0;

/// Below, a ratio is said as a share.
const SHARE: f64 = 0.5;

/// Caches that act much smaller than they are claimed to be.
pub(super) fn act_small(view: &View<'_>) -> Option<Finding> {
    let small: Vec<&Level> = view.summary.levels.iter().filter(|l| is_small(l)).collect();
    if small.is_empty() {
        return None;
    }
    let each: Vec<String> = small
        .iter()
        .filter_map(|l| {
            let acts = numbers::size(l.capacity_bytes.as_ref()?.value.round() as u64);
            Some(format!(
                "{}'s effective size is {acts} of the {} claimed",
                l.name,
                numbers::size(l.claimed_bytes?)
            ))
        })
        .collect();
    let mut candidates = vec!["4 KiB pages that fall unevenly over the sets (page placement)"];
    if small.iter().any(|l| is_shared(view, &l.name)) {
        candidates.push("neighbors that share it");
    }
    if view
        .host()
        .is_some_and(|h| h.hypervisor.guest.value() == Some(&true))
    {
        candidates.push("a hypervisor that claims more than it gives");
    }
    let text = format!(
        "{}. Candidates, none of them shown by this run: {}.",
        each.join(", "),
        candidates.join("; ")
    );
    Finding::new(Rank::Slow, text)
}

fn is_small(level: &Level) -> bool {
    let upper = level.capacity_bytes.and_then(|c| c.range).map(|[_, hi]| hi);
    upper
        .zip(level.claimed_bytes)
        .is_some_and(|(upper, claimed)| upper < SMALL * claimed as f64)
}

/// Do several CPUs share this level, or may they, beyond what a guest is told?
fn is_shared(view: &View<'_>, name: &str) -> bool {
    let caches = view.host().and_then(|h| h.caches.value());
    caches.is_some_and(|caches| {
        caches.iter().any(|c| {
            let many = c
                .shared
                .value()
                .is_some_and(|sets| sets.iter().any(|s| s.len() > 1));
            c.kind != CacheKind::Instruction && format!("L{}", c.level) == name && many
        })
    })
}

/// What the C library assumes of the last-level cache, if that is far from what is claimed or
/// what acts.
pub(super) fn libc_belief(view: &View<'_>) -> Option<Finding> {
    let libc = &view.state()?.libc;
    let believed = believed(libc)?;
    let last = view
        .summary
        .levels
        .iter()
        .rfind(|l| l.claimed_bytes.is_some() || l.capacity_bytes.is_some());
    let claimed = largest_claim(view).or(last.and_then(|l| l.claimed_bytes));
    // Where the curve does not show the last cache apart, its effective size is not known.
    let last = last.filter(|l| l.claimed_bytes == claimed);
    let acts = last.and_then(|l| l.capacity_bytes).map(|c| c.value);
    let real = claimed.map(|c| c as f64).or(acts)?;
    if believed as f64 / real < WRONG && real / (believed as f64) < WRONG {
        return None;
    }
    let mut truth = Vec::new();
    truth.extend(claimed.map(|c| format!("the kernel claims {}", numbers::size(c))));
    truth
        .extend(acts.map(|a| format!("the effective size is {}", numbers::size(a.round() as u64))));
    let mut text = format!(
        "glibc assumes a cache of {} ({} bytes); {}.",
        numbers::size(believed),
        numbers::count(believed),
        truth.join(" and "),
    );
    if let Some(threshold) = tunable(libc, "glibc.cpu.x86_non_temporal_threshold") {
        let against = acts.unwrap_or(real);
        let share = threshold as f64 / against;
        text += &format!(
            " Its memcpy switches to non-temporal stores at {}, {} {}.",
            numbers::size(threshold),
            match share < SHARE {
                true => format!("{} of", numbers::percent(share)),
                false => format!("{} times", times(share)),
            },
            if acts.is_some() {
                "the effective size"
            } else {
                "the claim"
            },
        );
    }
    Finding::new(Rank::Belief, text)
}

/// The last-level cache of the library: by its tunable, which its routines use, or by `getconf`.
fn believed(libc: &Libc) -> Option<u64> {
    let asked = || {
        let caches = libc.caches.value()?;
        let size = |level| caches.get(level).copied().filter(|&bytes| bytes > 0);
        [
            "LEVEL4_CACHE_SIZE",
            "LEVEL3_CACHE_SIZE",
            "LEVEL2_CACHE_SIZE",
        ]
        .into_iter()
        .find_map(size)
    };
    asked()
        .or_else(|| tunable(libc, "glibc.cpu.x86_shared_cache_size"))
        .filter(|&bytes| bytes > 0)
}

/// A tunable that is a size, in bytes.
fn tunable(libc: &Libc, name: &str) -> Option<u64> {
    let text = libc.tunables.value()?.get(name)?;
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn largest_claim(view: &View<'_>) -> Option<u64> {
    let caches = view.host()?.caches.value()?;
    caches
        .iter()
        .filter_map(|c| c.size_bytes.value().copied())
        .max()
}
