//! Memory itself: latency, bandwidth, the bus.

use whyslow_model::change::Quantity;
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::{Signature, told};
use crate::words;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "dram",
    title: "memory itself (latency, bandwidth, the memory bus)",
    said: include_str!("dram.txt"),
    reaches: Role::MEMORY,
    what: "Slower or narrower memory slows what misses every cache, by as much as it waits for memory, and nothing that the caches serve.",
    advice: &["Look at channels, ranks and clock of the memory, and at what else uses it."],
    judge,
    switch: None,
    plants: &[],
};

const SIGNATURE: Signature = Signature {
    must: &[Role::MemoryLatency, Role::MemoryBandwidth],
    may: &[
        // Sizes between a cache's end and where nearly all misses.
        Role::Llc,
        Role::MemoryRoutines,
        Role::ScalingMemory,
        Role::FileCached,
        Role::Numa,
    ],
    spares: &[Role::Compute, Role::L1, Role::L2, Role::SystemCall],
    facts: &["machine.product"],
    shown: false,
};

/// Weight where both sides have the same memory: below all who may use it.
const SAME_MEMORY: f64 = 0.05;

/// Machines whose statements agree to within this are alike in it.
const ALIKE: f64 = 0.1;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    if let Some(judgement) = by_statement(case) {
        return Some(judgement);
    }
    // One of the two is enough: a narrow bus can be quick, a slow one wide.
    let moved = |role| case.group(&[role]).is_some_and(|g| g.moved > 0);
    let one = Signature {
        must: match (moved(Role::MemoryLatency), moved(Role::MemoryBandwidth)) {
            (true, false) => &[Role::MemoryLatency],
            (false, true) => &[Role::MemoryBandwidth],
            _ => SIGNATURE.must,
        },
        ..SIGNATURE
    };
    let mut judgement = one.judge(case);
    if case.one_boot() && judgement.fits {
        let text = "both sides are of one boot of one host: its memory is the same, who else uses it may not be";
        judgement = judgement.with(Speaks::Against, EvidenceKind::Fact, text.to_owned());
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = SAME_MEMORY;
        judgement.covers.clear();
        judgement.fits = false;
    }
    // What is left of a move of memory once a shoulder of the last cache is told apart.
    if let Some([Ok(a), Ok(b)]) = case.rises.last().map(|r| &r.fits[..]) {
        let ln = (b.latency_ns[1] / a.latency_ns[1]).ln();
        let same = ln.abs() < ALIKE;
        let text = format!(
            "memory latency by the curve is {}: {:.0} ns in A, {:.0} ns in B",
            if same {
                "the same".to_owned()
            } else {
                Quantity::Time.said(ln)
            },
            a.latency_ns[1],
            b.latency_ns[1]
        );
        let speaks = if same { Speaks::Against } else { Speaks::For };
        judgement = judgement.with(speaks, EvidenceKind::Curve, text);
        if same && !moved(Role::MemoryBandwidth) {
            judgement.verdict = CauseVerdict::Contradicted;
            judgement.covers.clear();
            judgement.weight = 0.0;
            judgement.fits = false;
        }
    }
    Some(judgement.then(
        "latency and bandwidth of memory alone; on both hosts",
        "whyslow run --only 'mem.latency{*},mem.stream{*},mem.loaded*'",
    ))
}

/// A change that saved time on both machines, and what a source states of their memory.
fn by_statement(case: &Case<'_>) -> Option<Judgement> {
    let saving = case.of(Role::Saving).next()?;
    let buses: Vec<_> = case.of(Role::StatedBus).collect();
    let bus = buses.first()?;
    let say = |p: &crate::case::Moved<'_>| {
        let unit = p.point.symbol.as_deref().unwrap_or_default();
        let [a, b] = [&p.point.a, &p.point.b].map(|s| words::value(s.value.value, unit));
        format!("{}: {a} in A, {b} in B", p.name)
    };
    // More is saved where the bus carries less.
    let narrower = bus.worse * saving.worse < 0.0;
    let mut judgement = Judgement::new(
        if narrower {
            CauseVerdict::Consistent
        } else {
            CauseVerdict::Contradicted
        },
        if narrower { 0.8 } else { 0.0 },
    );
    let speaks = if narrower {
        Speaks::For
    } else {
        Speaks::Against
    };
    judgement = judgement.with(speaks, EvidenceKind::Signature, say(saving));
    for bus in &buses {
        judgement = judgement.with(speaks, EvidenceKind::Fact, say(bus));
    }
    for role in [Role::StatedClock, Role::StatedCache] {
        for other in case.of(role) {
            let alike = other.worse.abs() <= ALIKE;
            let text = format!("{}{}", say(other), if alike { ", alike" } else { "" });
            judgement = judgement.with(Speaks::Neither, EvidenceKind::Fact, text);
        }
    }
    if narrower {
        judgement.fits = true;
        // Two machines tell a direction; how much of it the bus is they do not.
        let text =
            "two machines tell which way it goes with the bus, not how much of it the bus is";
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, text.to_owned());
    }
    if let Some(group) = case.group(&[Role::SystemTime]) {
        let told = told(Role::SystemTime, &group);
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, told);
    }
    Some(judgement.then(
        "what each memory really carries; on both hosts",
        "whyslow run --only 'mem.stream{*},mem.bandwidth{*level=DRAM*}'",
    ))
}
