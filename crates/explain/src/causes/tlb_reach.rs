//! Reach of the translation buffers: page size.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, tried};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "tlb-reach",
    title: "the reach of address translation (page size, huge pages)",
    said: include_str!("tlb_reach.txt"),
    reaches: &[],
    what: "With larger pages one entry of a translation buffer reaches further, so fewer accesses wait for a page walk.",
    advice: &[
        "Give large data huge pages (madvise or hugetlb); see transparent_hugepage in `whyslow host`.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "no huge pages for the processes",
        a: &[],
        b: &["thp=off"],
    }],
};

const SWITCH: Switch = Switch {
    what: "small pages in place of huge pages (madvise)",
    needs: "transparent huge pages",
    moves: &["mem.latency{size=64MiB,order=random,pages=4k}"],
    reference_points: &["mem.latency{size=64MiB,order=random,pages=thp}"],
    off_points: &["mem.latency{size=64MiB,order=random,pages=thp}"],
    spares: &[
        "mem.latency{size=16KiB,order=random,pages=4k}",
        "cpu.arith{type=double}",
    ],
    off: &["thp=on"],
    on: &["thp=off"],
    took: |off, on| {
        let [off, on] =
            tried(off, on, "huge pages", |t| t.huge_bytes)?.map(|x| x / f64::from(1 << 20));
        seen(
            off > 0.0 && on == 0.0,
            format!("of 8 MiB asked for as huge pages {off} MiB are off, {on} MiB on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Tlb],
    may: &[Role::L2, Role::Llc, Role::MemoryLatency, Role::Fault],
    spares: &[Role::Compute, Role::L1, Role::SystemCall],
    facts: &[
        "memory.thp.enabled",
        "memory.thp",
        "memory.hugetlb",
        "process.huge_pages",
        "pages",
        "tlbs",
    ],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = SIGNATURE.judge(case);
    // Points of huge pages that one side alone has, as the other could not be given any. Without a reason, a run whose
    // time was up did not come to them, or its curve ends at another size.
    let of_pages =
        |m: &whyslow_model::comparison::Missing| !m.unknown && m.point.get("pages") == Some("thp");
    let missing = case.comparison.missing.iter().filter(|m| of_pages(m));
    let reasons = missing.filter_map(|m| Some((m, m.why.as_deref()?)));
    let mut denied = reasons.filter(|(_, why)| why.contains("huge"));
    if let Some((first, why)) = denied.next() {
        let text = format!("{} was measured on one side alone: {why}", first.point);
        judgement = judgement.with(Speaks::For, EvidenceKind::Fact, text);
        judgement.evidence.sort_by_key(|e| e.speaks != Speaks::For);
        judgement.verdict = CauseVerdict::Consistent;
        judgement.weight = judgement.weight.max(0.6);
        judgement.fits = true;
    }
    // Misses that fell where the time rose did not make it rise.
    let counted = ["miss", "walk"]
        .into_iter()
        .find_map(|kind| case.counted_against(&["tlb", kind]));
    if let Some(text) = counted {
        judgement = judgement.with(Speaks::Against, EvidenceKind::Signature, text);
        judgement.verdict = CauseVerdict::Contradicted;
        judgement.fits = false;
        judgement.covers.clear();
    }
    Some(
        judgement
            .then(
                "whether page size is it; on both hosts",
                "whyslow run --only 'mem.latency{*},mem.tlb{*}'",
            )
            .then(
                "the same, switched on and off",
                "whyslow explain {records} --experiment tlb-reach",
            ),
    )
}
