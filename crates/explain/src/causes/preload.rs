//! Libraries that the loader puts in front of every program.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, tried};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "preload",
    title: "libraries put in front of every program (LD_PRELOAD)",
    said: "environment.preload_file; ld_preload; preload; preloaded; environment.steering.LD_PRELOAD; \
        ld.so.preload; injecting; injected library; gameoverlayrenderer; mangohud; dyld_insert; fakeroot; \
        libfakechroot; libfaketime; faketime; libeatmydata preload; ld_audit; interposer; interposition; \
        lib injected; hooking library; nvtx; gamemode; libtcmalloc_minimal.so; libjemalloc.so; proxychains; \
        gamemodeauto; tsocks; torsocks",
    reaches: Role::STARTS,
    what: "The loader opens, maps and relocates every preloaded library before a dynamic program begins; static programs do not follow.",
    advice: &["Look at LD_PRELOAD and /etc/ld.so.preload, and take out what is not needed."],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "10 libraries preloaded",
        a: &[],
        b: &["preload=10"],
    }],
};

const SWITCH: Switch = Switch {
    what: "10 of the system's libraries in LD_PRELOAD",
    moves: &["proc.exec{image=dynamic}"],
    spares: &["proc.exec{image=static}"],
    doses: &[&["preload=3"]],
    on: &["preload=10"],
    took: |off, on| {
        let [off, on] = tried(off, on, "libraries of a dynamic program", |t| t.libraries)?;
        seen(
            on >= off + 10.0,
            format!("a dynamic program has {off} libraries mapped off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    facts: &[
        "environment.steering.LD_PRELOAD",
        "environment.steering.LD_AUDIT",
        "environment.preload_file",
    ],
    shown: true,
    ..Signature::PROGRAM_START
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether preloading does that, switched on and off",
        "whyslow explain {records} --experiment preload",
    ))
}
