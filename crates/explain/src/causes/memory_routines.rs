//! The C library's memory routines: which variant is chosen.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, unseen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-routines",
    title: "the memory routines of the C library",
    said: &[
        "memcpy",
        "memset",
        "memmove",
        "erms",
        "fsrm",
        "rep movs",
        "x86_rep",
        "copy_user",
        "copy_from_user",
        "usercopy",
        "clear_page",
        "clear page",
        "clear_huge",
        "copy_page",
        "folio_copy",
        "folio copy",
        "bcopy",
        "string routines",
        "environment.steering",
        "libc",
    ],
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
        "Compare GLIBC_TUNABLES and the library's version; ld.so --list-tunables shows what is in force.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "copies without wide vectors",
        a: &[],
        b: &["tunables=glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-ERMS,-AVX512F,-AVX512VL,-AVX2"],
    }],
};

const SWITCH: Switch = Switch {
    what: "the library's copies without wide vectors (glibc.cpu.hwcaps)",
    needs: "a GNU C library for x86",
    moves: &["mem.libc{op=memcpy,size=16MiB}"],
    spares: &["mem.bandwidth{op=copy,size=8MiB,cpus=1}"],
    on: &["tunables=glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-ERMS,-AVX512F,-AVX512VL,-AVX2"],
    took: |off, on| {
        let name = "glibc.cpu.hwcaps";
        let of = |s: &whyslow_model::experiment::Sensed| {
            s.state
                .libc
                .tunables
                .value()
                .and_then(|all| all.get(name).cloned())
        };
        let (Some(off), Some(on)) = (of(off), of(on)) else {
            return Err(unseen(format!("the loader lists no tunable {name}")));
        };
        seen(off != on, format!("{name}: {off} off, {on} on"))
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::MemoryRoutines],
    may: &[Role::FileCached, Role::LocalBandwidth],
    spares: &[Role::MemoryBandwidth, Role::Compute, Role::L1],
    facts: &["environment.steering", "libc"],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether tunables are it",
        "whyslow explain {records} --experiment memory-routines",
    ))
}
