//! The way of packets: queues, filters and namespaces of the network, the loopback interface included.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::{Case, Moved};
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;
use whyslow_model::text::words;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "network",
    title: "the way of packets (queues, filters, namespaces)",
    said: include_str!("network.txt"),
    reaches: &[
        Role::LocalLatency,
        Role::LocalBandwidth,
        Role::SwitchSameCpu,
        Role::SwitchAnyCpu,
        Role::RealTime,
        Role::Application,
    ],
    what: "A message over TCP or UDP passes queueing disciplines and filters, also between two processes of one host; a pipe or a UNIX socket does not.",
    advice: &[
        "Look at `tc qdisc show`, at the filters (`nft list ruleset`) and at the MTU of the interface, also of lo.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Messages that are packets have to move this much further than the same exchange without them, as a logarithm.
const FURTHER: f64 = 0.25;

/// Weight of what the rows tell by themselves: no other cause parts packets from UNIX sockets.
const WEIGHT: f64 = 0.6;

/// Is it an exchange of packets, or one of the same kind without any? Nothing where it is neither.
fn is_packets(point: &Moved<'_>) -> Option<bool> {
    let id = point.point.point.probe.as_str();
    match point.point.point.get("over") {
        Some("tcp" | "udp") => Some(true),
        Some("unix") => Some(false),
        _ => (id == "ipc.pipe").then_some(false),
    }
}

/// Streams and round trips of other tools, which do not say what else lies between the two ends.
const STREAMS: Signature = Signature {
    must: &[Role::LocalBandwidth],
    may: &[Role::LocalLatency, Role::RealTime, Role::Application],
    spares: &[
        Role::Compute,
        Role::SystemCall,
        Role::MemoryBandwidth,
        Role::FileDevice,
    ],
    facts: &[],
    shown: false,
};

const ROUND_TRIPS: Signature = Signature {
    must: &[Role::LocalLatency],
    may: &[Role::LocalBandwidth, Role::RealTime, Role::Application],
    ..STREAMS
};

/// Does a row of another tool go over a network, as far as its name says?
fn goes_over(point: &Moved<'_>) -> bool {
    const WITHIN: [&str; 8] = [
        "pipe", "pipes", "unix", "shm", "sm", "self", "intra", "vader",
    ];
    let role = matches!(point.role, Role::LocalBandwidth | Role::LocalLatency);
    let id = point.point.point.probe.as_str();
    let own = id.starts_with("ipc.") || id.starts_with("net.") || id.starts_with("mpi.");
    let named = words(&point.name.replace(['_', '-'], " "));
    role && !own && !named.iter().any(|word| WITHIN.contains(&word.as_str()))
}

/// By the rows of other tools alone: where streams or round trips moved, and what has no packets did not.
fn by_rows(case: &Case<'_>) -> Option<Judgement> {
    let moved = case.points.iter().filter(|p| p.moved && goes_over(p));
    let streams = moved.clone().any(|p| p.role == Role::LocalBandwidth);
    moved.clone().next()?;
    let signature = if streams { &STREAMS } else { &ROUND_TRIPS };
    Some(signature.judge(case))
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    if case.points.iter().all(|p| is_packets(p).is_none()) {
        return by_rows(case);
    }
    let of = |packets: bool| {
        let points = case.points.iter();
        points.filter(move |p| is_packets(p) == Some(packets))
    };
    let mean = |packets: bool| {
        let count = of(packets).count();
        (count > 0).then(|| of(packets).map(|p| p.worse).sum::<f64>() / count as f64)
    };
    let (with, without) = (mean(true)?, mean(false)?);
    let moved = of(true).filter(|p| p.moved).count();
    if moved == 0 || with.abs() < without.abs() + FURTHER {
        return None;
    }
    let line = |point: &Moved<'_>| format!("{} is {}", point.name, point.said());
    let mut judgement = Judgement::new(CauseVerdict::Consistent, WEIGHT);
    for point in of(true).filter(|p| p.moved) {
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, line(point));
    }
    for point in of(false) {
        let speaks = if point.moved {
            Speaks::Neither
        } else {
            Speaks::For
        };
        let text = format!("{}, and passes no packets", line(point));
        judgement = judgement.with(speaks, EvidenceKind::Signature, text);
    }
    let mut roles: Vec<Role> = of(true).filter(|p| p.moved).map(|p| p.role).collect();
    roles.sort_unstable();
    roles.dedup();
    judgement.covers = roles.into_iter().map(|role| (role, Some(with))).collect();
    judgement.fits = true;
    Some(judgement.then(
        "whether all packets of this host are slow; on both hosts",
        "whyslow run --only 'net.*'",
    ))
}
