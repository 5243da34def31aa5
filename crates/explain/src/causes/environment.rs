//! The size of the environment.

use whyslow_model::explanation::{EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement, line};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen};
use crate::words;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "environment",
    title: "a large environment",
    said: "environment variables; environment size; environment.; large environment; empty environment; env -i; \
        mb environment; kb environment; envp; exported variables; argument list; arg_max; env size; \
        padded environment; module variables; login shell env; env vars; environ; environment block; \
        stack alignment; user=; setarch; stack shift; aslr; empty env; kb env; long cwd; enableservicelinks",
    reaches: Role::STARTS,
    what: "Every program that is started is handed a copy of the whole environment, and every copy of a process shares its pages.",
    advice: &["Find the variables (env | wc -c) and unset them where programs are started often."],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "an environment of 1 MiB",
        a: &[],
        b: &["environment=1048576"],
    }],
};

const SWITCH: Switch = Switch {
    what: "an environment of 1 MiB",
    moves: &["proc.exec{image=static}"],
    spares: &["os.null_call", "cpu.arith{type=double}"],
    doses: &[&["environment=262144"]],
    on: &["environment=1048576"],
    took: |off, on| {
        let [off, on] = [off, on].map(|s| s.state.environment.bytes);
        seen(
            on >= off + (1 << 20),
            format!("environment: {off} bytes off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

/// Environments that differ by less than this are alike: copying a page takes a microsecond of the tens
/// to hundreds that starting a program takes.
const ALIKE: u64 = 16 << 10;

const SIGNATURE: Signature = Signature {
    may: &[Role::Fork, Role::Programs, Role::Application],
    facts: &["environment.bytes"],
    shown: true,
    ..Signature::PROGRAM_START
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let bytes = |r: &whyslow_model::Record| Some(r.states.first()?.state.environment.bytes);
    let (a, b) = (bytes(case.a)?, bytes(case.b)?);
    let mut judgement = SIGNATURE.judge(case);
    if a.abs_diff(b) < ALIKE {
        judgement = Judgement::new(whyslow_model::explanation::CauseVerdict::Contradicted, 0.0);
        let [a, b] = [a, b].map(|bytes| words::bytes(bytes as f64));
        judgement.evidence = vec![line(
            Speaks::Against,
            EvidenceKind::Fact,
            format!("the environment has {a} in A and {b} in B: alike"),
        )];
    }
    Some(judgement.then(
        "whether the environment does that, switched on and off",
        "whyslow explain {records} --experiment environment",
    ))
}
