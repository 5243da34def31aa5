//! Copying a process: page tables, open files, memory accounting.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::Signature;
use crate::switch::{Switch, seen, tried};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "fork",
    title: "copying a process (page tables, open files, memory accounting)",
    said: "process.open_file_slots; fork; copy_page_range; vfork; posix_spawn; posix spawn; clone3; memory.ksm; \
        cgroup.memory_bytes; cgroup.levels; forkserver; prefork; dup_mm; spawn; cgi; fastcgi; subprocess; \
        popen; process per request; process spawn; zygote fork; pre-fork; bgsave; xargs; child creation; \
        multiprocessing fork; share pte tables; page tables on fork; wipe-on-fork; create processes; fork_usec; \
        copy_present_ptes; duplicating mm; dup mm; basename; subshell; page tables on demand; \
        share page tables; on clone; child processes; close_fds; gb rss; small rss; large rss; \
        copied page table; shared page table; bgrewriteaof",
    reaches: Role::STARTS,
    what: "fork copies page tables and the table of open files and charges memory: more mapped memory, smaller pages, more open files and a memory cgroup make it slower.",
    advice: &[
        "Prefer vfork, posix_spawn or huge pages in large processes; close what children do not need; look at the memory cgroup's limits.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "5,000 open files",
        a: &[],
        b: &["open-files=5000"],
    }],
};

const SWITCH: Switch = Switch {
    what: "5,000 open files that every copy is given",
    moves: &["proc.fork{image=static}"],
    spares: &["os.null_call", "cpu.arith{type=double}"],
    doses: &[&["open-files=1000"]],
    off: &["open-files=0"],
    on: &["open-files=5000"],
    took: |off, on| {
        let [off, on] = tried(off, on, "open files", |t| t.open_files)?;
        seen(
            on >= off + 5_000.0,
            format!("open files: {off} off, {on} on"),
        )
    },
    ..Switch::INHERITED
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Fork],
    may: &[Role::Fault, Role::ProgramStart, Role::Programs],
    spares: &[Role::Compute, Role::SystemCall, Role::MemoryBandwidth],
    facts: &[
        "memory.thp",
        "memory.ksm",
        "cgroup.memory_bytes",
        "cgroup.levels",
        "process.open_file_slots",
    ],
    shown: false,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "what many open files do to it, switched on and off",
        "whyslow explain {records} --experiment fork",
    ))
}
