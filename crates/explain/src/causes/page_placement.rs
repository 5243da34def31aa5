//! Where pages lie in a physically indexed cache.

use whyslow_model::comparison::SpreadLevel;
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::curve::{Cache, Fit, Placement, missing};
use crate::signature::told;
use crate::simulated;
use crate::switch::{Switch, seen, tried};
use crate::words;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "page-placement",
    title: "page placement (arbitrary against even)",
    said: "page color; page coloring; page colouring; coloring; colouring; colored pages; page placement; \
        page allocation order; page allocation random; page reporting order; random pages; contiguous pages; \
        physically contiguous; cma memory; page_alloc.shuffle; page_alloc shuffle; frame order; \
        memory fragmentation; fragmented memory; freshly booted; fresh boot; bin hopping; page randomization; \
        aged memory; physical layout; physical address; page allocation policy; contiguous memory; cma; \
        alias in cache; cache alias; cache-colored; compact_memory; free list shuffling; freelist shuffling; \
        shuffle freelist; colored allocator; color slabs; by physical page; malloc offset; 4k aliasing; \
        4k alias; 64k aliasing; lucky boot; unlucky boot; falign-loops; link order; same boot; buffer offset; \
        shuffle free page; thp boundary; thp-aligned mmap; vipt; color aligned; va_align; \
        align functions; function alignment; debug_force_function_align; stagger buffers",
    reaches: &[],
    what: "Which pages of memory a program gets decides which sets of a physically indexed cache it uses. Spread evenly, the latency curve is a step; left to chance, pages collide before the cache is full and the step becomes a soft shoulder. The fewer ways, the earlier.",
    advice: &[
        "Use huge pages for large data, or `whyslow color run -- PROGRAM` to put a program on evenly spread pages.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[],
};

const SWITCH: Switch = Switch {
    what: "even page colors in place of those that chance gives",
    needs: "a private second-level cache, and a kernel that moves pages",
    moves: &["mem.latency{size={L2},order=random,pages=colored}"],
    // Of processes that found colors too, which are those on a quiet core.
    reference_points: &["mem.latency{size={L2},order=random,pages=unmoved}"],
    // Moved alike, to no purpose.
    off_points: &["mem.latency{size={L2},order=random,pages=moved}"],
    spares: &[
        "mem.latency{size=16KiB,order=random,pages=4k}",
        "cpu.arith{type=double}",
    ],
    on: &["nothing"],
    in_points: true,
    // One draw of 256 pages differs from the next by 5 %.
    draws: 8,
    took: |off, on| {
        let [off, on] = tried(off, on, "page colors", |t| t.crowded)?.map(|x| x * 100.0);
        // Chance crowds a tenth of 256 pages on 16 colors.
        seen(
            off >= 2.0 && on == 0.0,
            format!(
                "{off:.0} % of the pages are beyond an even part for their color off, {on:.0} % on"
            ),
        )
    },
    ..Switch::INHERITED
};

/// A rise is seen to begin where this share of lines misses.
const SEEN: f64 = 0.05;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, 0.0);
    let mut shown = by_curve(case, &mut judgement);
    shown |= by_statement(case, &mut judgement);
    shown |= by_files(case, &mut judgement);
    shown |= by_spread(case, &mut judgement);
    if judgement.evidence.is_empty() {
        return None;
    }
    // How far the mechanism reaches on these caches says nothing of what happened: it speaks for neither.
    if let Some(text) = simulated::line(case) {
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Simulation, text);
    }
    judgement.evidence.sort_by_key(|e| e.speaks != Speaks::For);
    let against = judgement
        .evidence
        .iter()
        .any(|e| e.speaks == Speaks::Against);
    if shown {
        judgement.verdict = CauseVerdict::Consistent;
        judgement.fits = true;
        judgement
            .covers
            .retain(|(r, _)| case.group(&[*r]).is_some_and(|g| g.moved > 0));
        let share = case.share(&judgement.covers).map_or(0.0, |s| s.value);
        judgement.weight = 0.6 + 0.3 * share;
    } else if against {
        judgement.verdict = CauseVerdict::Contradicted;
    }
    Some(
        judgement
            .then(
                "what even placement gives on this machine",
                "whyslow color bench",
            )
            .then(
                "whether placement is it, switched on and off",
                "whyslow explain {records} --experiment page-placement",
            ),
    )
}

/// The last rises of both curves: the same cache, another shape.
fn by_curve(case: &Case<'_>, judgement: &mut Judgement) -> bool {
    let mut shown = false;
    for rise in &case.rises {
        let [Ok(a), Ok(b)] = &rise.fits[..] else {
            continue;
        };
        if a.placement == Placement::Irrelevant || b.placement == Placement::Irrelevant {
            continue;
        }
        let apart = a.evenly_range[1] < b.evenly_range[0] || b.evenly_range[1] < a.evenly_range[0];
        let text = format!(
            "level {}: {} in A, {} in B",
            rise.level,
            shape(a, rise.from_to.first()),
            shape(b, rise.from_to.get(1))
        );
        let speaks = match (apart, a.placement, b.placement) {
            (true, ..) => Speaks::For,
            (false, Placement::Unclear, _) | (false, _, Placement::Unclear) => Speaks::Neither,
            _ => Speaks::Against,
        };
        *judgement = judgement.clone().with(speaks, EvidenceKind::Curve, text);
        if apart {
            shown = true;
            judgement
                .covers
                .extend([(Role::L2, None), (Role::Llc, None)]);
        }
        let of_both = [a, b].map(|f| format!("{:.0} ns", f.latency_ns[1]));
        let beyond = (b.latency_ns[1] / a.latency_ns[1]).ln().abs();
        if apart && beyond < SEEN {
            let text = format!(
                "beyond it both have the same latency: {} in A, {} in B",
                of_both[0], of_both[1]
            );
            *judgement = judgement
                .clone()
                .with(Speaks::For, EvidenceKind::Curve, text);
        }
    }
    shown
}

/// `a soft shoulder from 128 KiB: a cache of 2 MiB, 1-way, with its pages where chance put them`.
pub(crate) fn shape(fit: &Fit, from_to: Option<&[f64; 2]>) -> String {
    let cache = format!("{}, {}-way", words::bytes(fit.bytes), fit.ways);
    let from = from_to.map_or_else(String::new, |[from, _]| {
        format!(" from {}", words::bytes(*from))
    });
    match fit.placement {
        Placement::Even => format!(
            "a step at {} (pages spread evenly)",
            words::bytes(fit.bytes)
        ),
        Placement::Arbitrary => format!(
            "a soft shoulder{from} (arbitrary placement over {:.0} colors of a cache of {cache})",
            fit.colors
        ),
        Placement::Partly => format!(
            "a shoulder{from} ({:.0} % of the pages spread evenly over a cache of {cache})",
            fit.evenly * 100.0
        ),
        Placement::Unclear => format!("a rise{from} that fits more than one placement ({cache})"),
        Placement::Irrelevant => format!("a step at {} (one color)", words::bytes(fit.bytes)),
    }
}

/// What a source states of the rise: where it begins, as a share of where it should.
fn by_statement(case: &Case<'_>, judgement: &mut Judgement) -> bool {
    let mut shown = false;
    for point in case.of(Role::MemoryRise).filter(|p| p.moved) {
        let [a, b] = [&point.point.a, &point.point.b].map(|s| s.value.value);
        let share = (a / b).min(b / a);
        let Some(ways) = ways_by_start(share) else {
            let text = format!(
                "the rise begins at 1/{:.0} of the other, earlier than any cache would by chance",
                1.0 / share
            );
            *judgement = judgement
                .clone()
                .with(Speaks::Against, EvidenceKind::Curve, text);
            continue;
        };
        let unit = point.point.symbol.as_deref().unwrap_or_default();
        let text = format!(
            "the rise to memory begins at {} in A and {} in B: 1/{:.0} of it, where pages at random begin to collide in a cache of low associativity ({})",
            words::value(a, unit),
            words::value(b, unit),
            1.0 / share,
            if ways == 1 {
                "direct-mapped".to_owned()
            } else {
                format!("{ways}-way")
            },
        );
        *judgement = judgement
            .clone()
            .with(Speaks::For, EvidenceKind::Curve, text);
        judgement.covers.push((Role::MemoryRise, None));
        shown = true;
    }
    shown
}

/// The ways of a cache whose rise is seen from this share of its size on when pages lie by chance.
fn ways_by_start(share: f64) -> Option<u32> {
    // A cache of many colors; their number hardly matters.
    let bytes = f64::from(2 << 20);
    [1, 2, 4, 8, 16].into_iter().find(|&ways| {
        let cache = Cache {
            bytes,
            ways,
            page_bytes: 4096.0,
        };
        let at = |part: f64| missing(&cache, part * bytes, 0.0);
        // Half and twice the share: a graph is read off to a factor of two at best.
        at(share * 2.0) >= SEEN && at(share / 2.0) <= SEEN
    })
}

/// The page cache: files reread by calls moved, and neither memory nor mapped files did.
fn by_files(case: &Case<'_>, judgement: &mut Judgement) -> bool {
    let Some(files) = case.group(&[Role::FileCached]).filter(|g| g.moved > 0) else {
        return false;
    };
    // A call that moved as much itself has no copy to explain.
    let calls = case.group(&[Role::SystemCall]).filter(|g| g.moved > 0);
    if calls.is_some_and(|calls| calls.worse * files.worse > 0.0) {
        return false;
    }
    let still = [
        Role::MemoryBandwidth,
        Role::FileMapped,
        Role::MemoryRoutines,
    ];
    let controls: Vec<_> = still
        .into_iter()
        .filter_map(|role| Some((role, case.group(&[role])?)))
        .collect();
    let fits = !controls.is_empty() && controls.iter().all(|(_, g)| g.moved == 0);
    if !fits {
        return false;
    }
    let text = format!(
        "{}, which go through the page cache and the buffer of the caller",
        told(Role::FileCached, &files)
    );
    *judgement = judgement
        .clone()
        .with(Speaks::For, EvidenceKind::Signature, text);
    for (role, group) in &controls {
        let text = format!(
            "{}, so neither memory nor the copy itself",
            told(*role, group)
        );
        *judgement = judgement
            .clone()
            .with(Speaks::For, EvidenceKind::Signature, text);
    }
    judgement.covers.push((Role::FileCached, None));
    if let Some(group) = case.group(&[Role::SwitchWithData]) {
        let text = format!(
            "{}; placement would move these with the data of the processes",
            told(Role::SwitchWithData, &group)
        );
        *judgement = judgement
            .clone()
            .with(Speaks::Neither, EvidenceKind::Signature, text);
    }
    true
}

/// Values that differ from one allocation to the next more on one side.
fn by_spread(case: &Case<'_>, judgement: &mut Judgement) -> bool {
    let memory = [Role::L2, Role::Llc];
    let of_memory = case.points.iter().filter(|p| memory.contains(&p.role));
    let mut spreads: Vec<_> = of_memory
        .flat_map(|p| p.point.spread.iter().map(move |s| (p, s)))
        .filter(|(_, s)| s.level == SpreadLevel::Draw)
        .collect();
    spreads.sort_by(|(_, x), (_, y)| x.p_adjusted.total_cmp(&y.p_adjusted));
    let Some((point, spread)) = spreads.first() else {
        return false;
    };
    let text = format!(
        "{}: from one allocation to the next values spread by {:.1} % in A and {:.1} % in B ({} of these points)",
        point.name,
        spread.a * 100.0,
        spread.b * 100.0,
        spreads.len()
    );
    *judgement = judgement
        .clone()
        .with(Speaks::For, EvidenceKind::Spread, text);
    let moved = point.moved;
    judgement.covers.extend(memory.map(|role| (role, None)));
    moved
}

#[cfg(test)]
mod tests {
    use super::ways_by_start;

    #[test]
    fn an_early_rise_means_few_ways() {
        assert_eq!(ways_by_start(1.0 / 16.0), Some(1));
        assert!(ways_by_start(0.75).is_some_and(|ways| ways > 1));
        assert_eq!(ways_by_start(1.0 / 500.0), None);
    }
}
