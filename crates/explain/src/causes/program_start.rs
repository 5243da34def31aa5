//! Starting a program: loader, preloaded libraries, security modules, file system, environment.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "program-start",
    title: "what a program start passes (loader, preloaded libraries, security modules, its file system, the environment)",
    said: include_str!("program_start.txt"),
    reaches: Role::STARTS,
    what: "Starting a program maps it and its libraries, runs the loader and what is preloaded, asks the security modules, reads the file system and copies the environment.",
    advice: &[
        "Look at LD_PRELOAD and LD_LIBRARY_PATH, the size of the environment, security modules, and the file system that programs lie on.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "50 folders to look for libraries in",
        a: &[],
        b: &["library-path=50"],
    }],
};

const SWITCH: Switch = Switch {
    what: "50 folders without libraries in LD_LIBRARY_PATH",
    moves: &["proc.exec{image=dynamic}"],
    spares: &["proc.exec{image=static}"],
    doses: &[&["library-path=10"]],
    on: &["library-path=50"],
    took: |off, on| {
        let path = |s: &whyslow_model::experiment::Sensed| {
            let path = s.state.environment.steering.get("LD_LIBRARY_PATH");
            path.map_or(0, |p| p.split(':').count())
        };
        let (off, on) = (path(off), path(on));
        seen(
            on == 50 && off == 0,
            format!("LD_LIBRARY_PATH has {off} folders off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    facts: &[
        "environment.steering.LD_LIBRARY_PATH",
        "environment.steering.LD_BIND_NOW",
        "environment.steering.LD_AUDIT",
        "libc.loader",
        "libc.version",
        "security.lsm",
        "security.label",
        "mounts",
    ],
    shown: false,
    ..Signature::PROGRAM_START
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(
        SIGNATURE
            .judge(case)
            .then(
                "whether loader, preload or environment is it: static against dynamic programs; on both hosts",
                "whyslow run --only 'proc.*'",
            )
            .then(
                "the same, switched on and off",
                "whyslow explain {records} --experiment program-start",
            ),
    )
}
