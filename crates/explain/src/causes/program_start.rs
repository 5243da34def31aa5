//! Starting a program: loader, preloaded libraries, security modules, file system, environment.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "program-start",
    title: "what a program start passes (loader, preloaded libraries, security modules, its file system, the environment)",
    what: "Starting a program maps it and its libraries, runs the loader and what is preloaded, asks the security modules, reads the file system and copies the environment.",
    advice: &[
        "Look at LD_PRELOAD and LD_LIBRARY_PATH, the size of the environment, security modules, and the file system that programs lie on.",
    ],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::ProgramStart],
    may: &[Role::Programs, Role::Application],
    spares: &[
        Role::Compute,
        Role::SystemCall,
        Role::SwitchSameCpu,
        Role::MemoryBandwidth,
    ],
    facts: &[
        "environment",
        "libc",
        "security.lsm",
        "security.label",
        "mounts",
    ],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(
        SIGNATURE
            .judge(case)
            .then(
                "whether loader, preload or environment is it: static against dynamic programs",
                "whyslow run --only 'proc.*' on both",
            )
            .then(
                "the same, switched on and off",
                "whyslow explain A --experiment program-start",
            ),
    )
}
