//! The C library's memory routines: which variant is chosen.

use std::collections::BTreeMap;

use whyslow_model::experiment::Sensed;

use crate::case::Case;
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, unseen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-routines",
    title: "the memory routines of the C library",
    said: include_str!("memory_routines.txt"),
    reaches: &[
        Role::MemoryRoutines,
        Role::FileCached,
        Role::LocalBandwidth,
        Role::MemoryBandwidth,
        Role::SystemTime,
        Role::RealTime,
        Role::Application,
    ],
    what: "The C library picks its copy and fill by processor and tunables; loops of our own on the same memory do not follow.",
    advice: &[
        "Compare GLIBC_TUNABLES and the library's version; ld.so --list-diagnostics shows the thresholds in force, also where a tunable was ignored.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[
        Plant {
            name: "copies without wide vectors",
            a: &[],
            b: &[
                "tunables=glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-ERMS,-AVX512F,-AVX512VL,-AVX2",
            ],
        },
        Plant {
            name: "copies past the caches from 16 KiB on",
            // Without string instructions, which take blocks of usual sizes before the threshold is asked.
            a: &["tunables=glibc.cpu.x86_rep_movsb_threshold=1073741824"],
            b: &[
                "tunables=glibc.cpu.x86_rep_movsb_threshold=1073741824:glibc.cpu.x86_non_temporal_threshold=0x4041",
            ],
        },
        // Both sides say it, as what a library does by itself differs by CPU and version.
        Plant {
            name: "copies by string instructions",
            a: &["tunables=glibc.cpu.x86_rep_movsb_threshold=1073741824"],
            b: &["tunables=glibc.cpu.x86_rep_movsb_threshold=2112"],
        },
    ],
};

const SWITCH: Switch = Switch {
    what: "the library's copies without wide vectors (glibc.cpu.hwcaps)",
    needs: "a GNU C library for x86",
    moves: &[
        // In a nearest cache the routine decides, and not what lies behind it.
        "mem.libc{op=memcpy,size=32KiB,distance=8}",
        "mem.libc{op=memcpy,size=16MiB}",
    ],
    spares: &["mem.bandwidth{op=copy,size=8MiB,cpus=1}"],
    on: &["tunables=glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-ERMS,-AVX512F,-AVX512VL,-AVX2"],
    took: |off_state, on_state| {
        let name = "glibc.cpu.hwcaps";
        // The loader lists a tunable that is not set without a value.
        let of = |s: &Sensed| {
            let all = s.state.libc.tunables.value();
            all.and_then(|all| all.get(name).cloned())
        };
        let (before, Some(after)) = (of(off_state), of(on_state)) else {
            return Err(unseen(format!("the loader lists no tunable {name}")));
        };
        let before = before.unwrap_or_else(|| "unset".to_owned());
        let effect = effective(in_force(off_state, on_state));
        let what = format!("{name}: {before} off, {after} on{effect}");
        seen(before != after, what)
    },
    ..Switch::INHERITED
};

/// What the library goes by, off and on.
fn in_force<'s>(off: &'s Sensed, on: &'s Sensed) -> Option<[&'s BTreeMap<String, u64>; 2]> {
    let of = |s: &'s Sensed| s.state.libc.routines.as_ref()?.value();
    Some([of(off)?, of(on)?])
}

/// `; usable.ERMS: 1 off, 0 on`: what the library goes by may be the same, as settings out of range are ignored without
/// a word.
fn effective(routines: Option<[&BTreeMap<String, u64>; 2]>) -> String {
    let Some([off, on]) = routines else {
        return String::new();
    };
    let changed = off.iter().filter_map(|(name, before)| {
        let after = on.get(name).filter(|after| *after != before)?;
        Some(format!("; {name}: {before} off, {after} on"))
    });
    let changed: Vec<String> = changed.collect();
    match changed.is_empty() {
        true => "; the thresholds in force are the same".to_owned(),
        false => changed.concat(),
    }
}

const SIGNATURE: Signature = Signature {
    must: &[Role::MemoryRoutines],
    may: &[Role::FileCached, Role::LocalBandwidth],
    spares: &[Role::MemoryBandwidth, Role::Compute, Role::L1],
    facts: &[
        "environment.steering.GLIBC_TUNABLES",
        "environment.steering",
        "libc.routines",
        "libc",
    ],
    shown: false,
};

/// Thresholds hand blocks of some sizes to another way of copying, by which some gain and others lose.
const THRESHOLDS: &[&str] = &["libc.routines.", "libc.tunables.glibc.cpu."];

fn judge(case: &Case<'_>) -> Option<Judgement> {
    if is_the_same(case) {
        let text = "the same library, thresholds, tunables and kernel on both sides";
        let judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
        return Some(judgement.with(Speaks::Against, EvidenceKind::Fact, text.to_owned()));
    }
    Some(SIGNATURE.judge_both_ways(case, THRESHOLDS).then(
        "whether tunables are it",
        "whyslow explain {records} --experiment memory-routines",
    ))
}

/// What decides between routines on one host: the library, what is put in front of it, and the kernel for copies of its own.
const DECIDES: &[&str] = &["libc", "environment.", "kernel", "patch"];

/// Both records are of one host and say by what thresholds their library goes, and nothing that decides differs.
fn is_the_same(case: &Case<'_>) -> bool {
    case.one_host() && case.knows_routines() && case.changes(DECIDES).next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_force_is_read_back() {
        let of = |movsb: u64| BTreeMap::from([("rep_movsb_threshold".to_owned(), movsb)]);
        let said = |a: u64, b: u64| effective(Some([&of(a), &of(b)]));
        assert_eq!(said(2112, 4096), "; rep_movsb_threshold: 2112 off, 4096 on");
        assert_eq!(said(2112, 2112), "; the thresholds in force are the same");
        assert_eq!(effective(None), "");
    }
}
