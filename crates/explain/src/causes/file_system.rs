//! The file system and the device below it.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::{Signature, told};
use crate::switch::{Switch, seen};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "file-system",
    title: "the file system or the device below it",
    said: include_str!("file_system.txt"),
    reaches: Role::FILES,
    what: "Creating and writing files costs what the file system and its device do; data that memory holds, and work without files, do not follow.",
    advice: &["Put scratch data on tmpfs or a faster device; compare mount options."],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "files on a disk's file system",
        a: &["scratch=/dev/shm"],
        b: &["scratch=/var/tmp"],
    }],
};

const SWITCH: Switch = Switch {
    what: "files in /var/tmp, against a file system in memory",
    moves: &["fs.create{size=10KiB,after=fresh}"],
    spares: &["os.null_call", "cpu.arith{type=double}"],
    reference: &["scratch=/dev/shm"],
    off: &["scratch=/dev/shm", "nothing"],
    on: &["scratch=/var/tmp"],
    took: |off, on| {
        let kind = |s: &whyslow_model::experiment::Sensed| {
            let mount = s.state.mounts.temporary.value();
            mount.map(|m| m.fs.clone()).unwrap_or_default()
        };
        let (off, on) = (kind(off), kind(on));
        seen(
            off == "tmpfs" && on != off && !on.is_empty(),
            format!("temporary files on {off} off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const DEVICE: Signature = Signature {
    must: &[Role::FileDevice],
    may: &[Role::FileCreate],
    spares: &[
        Role::FileCached,
        Role::Compute,
        Role::SystemCall,
        Role::MemoryBandwidth,
    ],
    facts: &["mounts"],
    shown: false,
};

const NAMES: Signature = Signature {
    must: &[Role::FileCreate],
    may: &[Role::FileMetadata, Role::FileDevice],
    spares: &[Role::Compute, Role::SystemCall, Role::MemoryBandwidth],
    facts: &["mounts"],
    shown: false,
};

/// A device whose stated rate differs by the factor of the rows, to within this, accounts for them: what
/// is written also passes caches and is copied.
const ACCOUNTS: f64 = 0.2;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let writes = case.group(&[Role::FileDevice]);
    let mut judgement = if writes.is_some_and(|g| g.moved > 0) {
        DEVICE.judge(case)
    } else {
        NAMES.judge(case)
    };
    let disk = case.group(&[Role::StatedDisk]);
    if let Some((disk, files)) = disk.zip(writes.filter(|g| g.moved > 0)) {
        let accounts = (disk.worse - files.worse).abs() <= ACCOUNTS;
        let text = format!(
            "the disk as stated is {}, and {}{}",
            disk.said(),
            told(Role::FileDevice, &files),
            if accounts {
                ": it accounts for these rows"
            } else {
                ""
            }
        );
        let speaks = if accounts {
            Speaks::For
        } else {
            Speaks::Neither
        };
        judgement = judgement.with(speaks, EvidenceKind::Fact, text);
        if accounts {
            judgement.verdict = CauseVerdict::Consistent;
            judgement.weight = 0.75;
            judgement.fits = true;
            judgement.covers = vec![(Role::FileDevice, None)];
        }
        let others = [Role::SwitchAnyCpu, Role::SwitchSameCpu, Role::ProgramStart];
        if let Some(group) = case.group(&others).filter(|g| g.moved > 0) {
            let text = format!(
                "switching and program start are {}: no disk takes part in a context switch",
                group.span_said()
            );
            judgement = judgement.with(Speaks::Against, EvidenceKind::Signature, text);
        }
        judgement.evidence.sort_by_key(|e| match e.speaks {
            Speaks::For => 0,
            Speaks::Against => 1,
            Speaks::Neither => 2,
        });
    }
    Some(
        judgement
            .then(
                "whether device or kernel is it: the same on tmpfs; on both hosts",
                "TMPDIR=/dev/shm whyslow run --only 'fs.*,file.*'",
            )
            .then(
                "the same, switched on and off",
                "whyslow explain {records} --experiment file-system",
            ),
    )
}
