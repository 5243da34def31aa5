//! Little of everything: one CPU, little memory, no `/proc`, no `/sys`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use whyslow_model::record::FailureKind;

use crate::confined::{before_exec, join, limit, one_cpu, own_mounts, root, unmount};
use crate::env::{Said, TestEnv, assert_complete, failures, may_mount, measured, need, noted};

const MIB: u64 = 1 << 20;

#[test]
fn one_cpu_is_enough() {
    let env = TestEnv::new();
    let mut command =
        env.whyslow("run --only cpu.*,os.null_call,ctx.*,ipc.* --rounds 1 --json -o r");
    before_exec(&mut command, one_cpu);
    let record = Said::of(command.output().unwrap()).document().record;
    assert_complete(&record);
    assert_eq!(measured(&record, "os.null_call"), 1);
    let skipped = &record.plan.skipped;
    let core_to_core = skipped
        .iter()
        .find(|s| s.what == "cpu.core_to_core")
        .unwrap();
    assert!(core_to_core.why.contains("two CPUs"), "{skipped:?}");
    let rings = record
        .plan
        .points
        .iter()
        .map(|p| &p.point)
        .filter(|p| p.probe == "ctx.ring");
    let cpus: Vec<_> = rings.filter_map(|p| p.get("cpus")).collect();
    assert!(cpus.contains(&"same-cpu"), "{cpus:?}");
    assert!(
        cpus.iter().all(|c| ["same-cpu", "free"].contains(c)),
        "{cpus:?}"
    );
    // Alone it is nothing to measure, with the reason.
    let mut command = env.whyslow("run --only cpu.core_to_core");
    before_exec(&mut command, one_cpu);
    Said::of(command.output().unwrap()).refuses(&["cpu.core_to_core", "two CPUs"]);
}

/// A group that limits memory, for one test.
pub(crate) struct MemoryGroup(PathBuf);

impl MemoryGroup {
    /// One with `bytes`, in whichever version of control groups can be written here; `what` is the
    /// test's own.
    pub(crate) fn new(what: &str, bytes: u64) -> Option<MemoryGroup> {
        let name = format!("whyslow-test-{what}-{}", std::process::id());
        let places = [
            ("/sys/fs/cgroup", "memory.max"),
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        ];
        places.into_iter().find_map(|(parent, file)| {
            let group = MemoryGroup(Path::new(parent).join(&name));
            fs::create_dir(&group.0).ok()?;
            // Without the file the group's `drop` removes the folder again.
            let limit = group.0.join(file);
            (limit.exists() && fs::write(limit, bytes.to_string()).is_ok()).then_some(group)
        })
    }

    /// Has `command` begin in this group.
    pub(crate) fn confine(&self, command: &mut Command) {
        let file = fs::File::options()
            .write(true)
            .open(self.0.join("cgroup.procs"))
            .unwrap();
        before_exec(command, move || join(&file));
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // Processes of a group that was just left may still be on their way out.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

#[test]
fn a_quarter_of_a_gibibyte_for_all() {
    let group = MemoryGroup::new("quarter", 256 * MIB).filter(|_| root());
    let Some(group) = group else {
        need(false, "root and a control group for memory");
        return;
    };
    let env = TestEnv::new();
    let only =
        "mem.latency{size=*MiB,order=random,pages=4k},mem.tlb,mem.line,os.null_call,proc.exec";
    let mut command = env.whyslow(&format!("run --only {only} --rounds 1 --json -o r"));
    group.confine(&mut command);
    let record = Said::of(command.output().unwrap()).document().record;
    assert_complete(&record);
    assert_eq!(
        failures(&record, FailureKind::Crashed),
        [""; 0],
        "{:?}",
        record.notes
    );
    let sizes = record.plan.points.iter().filter_map(|p| p.size_bytes);
    let largest = sizes.max().unwrap();
    assert!((16 * MIB..=64 * MIB).contains(&largest), "{largest}");
    assert_eq!(measured(&record, "os.null_call"), 1);
}

/// A limit that no file tells of: what does not fit is a note, what fits is measured.
#[test]
fn a_limit_on_the_address_space() {
    let env = TestEnv::new();
    let only = "mem.latency{size=*MiB,order=random,pages=4k},os.*,ctx.ring";
    let mut command = env.whyslow(&format!("run --only {only} --rounds 1 --json -o r"));
    before_exec(&mut command, || limit(libc::RLIMIT_AS, 256 * MIB));
    let record = Said::of(command.output().unwrap()).document().record;
    assert_eq!(
        failures(&record, FailureKind::Crashed),
        [""; 0],
        "{:?}",
        record.notes
    );
    assert_eq!(measured(&record, "os.null_call"), 1);
    assert_eq!(
        measured(&record, "mem.latency{size=1MiB,order=random,pages=4k}"),
        1
    );
    let large = record
        .plan
        .points
        .iter()
        .any(|p| p.size_bytes > Some(256 * MIB));
    let noted = noted(&record, "mem.latency", "Cannot allocate memory");
    assert!(noted || !large, "{:?}", record.notes);
}

/// Few files may be open, and what the program writes may not be long.
#[test]
fn limits_on_files() {
    let env = TestEnv::new();
    let mut command = env.whyslow("run --only os.* --rounds 2 --json -o r");
    before_exec(&mut command, || limit(libc::RLIMIT_NOFILE, 16));
    assert_complete(&Said::of(command.output().unwrap()).document().record);
}

/// Runs in a mount namespace where `gone` are not mounted.
fn without(gone: &'static [&'static std::ffi::CStr]) {
    if !need(root() && may_mount(), "root in a mount namespace") {
        return;
    }
    let env = TestEnv::new();
    let args = "run --only os.*,cpu.clock,proc.*,ctx.ring,mem.latency{size=64KiB,order=random,pages=4k} --rounds 1";
    let confined = |args: &str| {
        let mut command = env.whyslow(args);
        before_exec(&mut command, move || {
            own_mounts()?;
            gone.iter().try_for_each(|mount| unmount(mount))
        });
        Said::of(command.output().unwrap())
    };
    let record = confined(&format!("{args} --json -o r")).document().record;
    assert_complete(&record);
    assert_eq!(
        failures(&record, FailureKind::Crashed),
        [""; 0],
        "{:?}",
        record.notes
    );
    for point in [
        "os.null_call",
        "os.stat",
        "cpu.clock",
        "proc.exec{image=static}",
        "proc.shell",
    ] {
        assert_eq!(measured(&record, point), 1, "{point}: {:?}", record.notes);
    }
    // What could not be read is named with its file.
    let host = serde_json::to_string(&(&record.host, &record.states, &record.notes)).unwrap();
    for mount in gone {
        let mount = mount.to_str().unwrap();
        assert!(host.contains(&format!("{mount}/")), "nothing about {mount}");
    }
    // Everything else works there too.
    for command in [
        "host",
        "host --format json",
        "list",
        "show r",
        "show r --format table",
        "show r --format csv",
    ] {
        let said = confined(command);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{command}");
        assert!(!said.out.is_empty(), "{command}");
    }
}

#[test]
fn no_sys() {
    without(&[c"/sys"]);
}

#[test]
fn no_proc() {
    without(&[c"/proc"]);
}

#[test]
fn neither_proc_nor_sys() {
    without(&[c"/sys", c"/proc"]);
}
