//! Readers survive whatever lies in the files.

// A test that cannot go on should stop where it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Recorded, guest_cpuid};
use whyslow_host::{BatchCounters, CpuUse, HostRoot, Live};
use whyslow_model::host::{CpuSet, Known};

/// Reads all there is, and that it can be written and read again.
fn read_all(root: &HostRoot) {
    let host = root.facts();
    let state = root.state(Path::new("/home"), Path::new("/tmp"));
    let look = CpuUse::take(root);
    let neighbours = CpuUse::take(root).since(&look);
    let _ = BatchCounters::open(root).0.read();
    let text = serde_json::to_string(&(&host, &state, &neighbours)).unwrap();
    assert_eq!(
        serde_json::from_str::<(_, _, _)>(&text).unwrap(),
        (host, state, neighbours)
    );
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_file_damaged_in_every_way() {
    let long = vec![b'9'; 1 << 16];
    let damages: [&[u8]; 6] = [
        b"",
        b"\0\xff\xfe\x80 \0\n\0",
        b"-1\n",
        b"18446744073709551616\n",
        b"[]: () - :: /\n\n:\n0-\n,,,",
        &long,
    ];
    for tree in ["guest", "intel", "arm", "container"] {
        for damage in damages {
            let recorded =
                Recorded::new(&[tree]).with(|live| live.cpuid = Known::Is(guest_cpuid()));
            let mut all = vec![];
            files(recorded.folder.path(), &mut all);
            for path in all {
                // Enough of the long ones is enough: they cost time.
                if damage.len() < 1000 || path.components().any(|part| part.as_os_str() == "proc") {
                    fs::write(path, damage).unwrap();
                }
            }
            read_all(&recorded.root());
        }
    }
}

#[test]
fn every_file_cut_short() {
    for tree in ["guest", "intel", "arm", "container"] {
        for keep in [1, 7, 40] {
            let recorded = Recorded::new(&[tree]);
            let mut all = vec![];
            files(recorded.folder.path(), &mut all);
            for path in all {
                let content = fs::read(&path).unwrap();
                fs::write(&path, &content[..content.len().min(keep)]).unwrap();
            }
            read_all(&recorded.root());
        }
    }
}

#[test]
fn nothing_at_all_is_all_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let root = HostRoot::at(folder.path(), Live::nothing());
    read_all(&root);
    let host = root.facts();
    assert!(host.caches.why().is_some());
    assert_eq!(host.id.basis, [] as [String; 0]);
    let state = root.state(Path::new("/"), Path::new("/tmp"));
    assert!(state.cpus.usable.why().is_some());
    assert!(state.now.memory_budget_bytes.why().is_some());
    let (mut counters, reasons) = BatchCounters::open(&root);
    assert_eq!(reasons.len(), 3);
    assert_eq!(counters.read(), whyslow_host::Counters::default());
}

#[test]
fn folders_and_pipes_in_the_place_of_files() {
    let recorded = Recorded::new(&["guest"]);
    let place = recorded.folder.path().join("proc/meminfo");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    let place = recorded.folder.path().join("proc/cpuinfo");
    fs::remove_file(&place).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&place).status();
    assert!(made.unwrap().success());
    read_all(&recorded.root());
    let host = recorded.root().facts();
    assert_eq!(
        host.memory.total_bytes.why(),
        Some("not a plain file: /proc/meminfo")
    );
    assert_eq!(
        host.cpu.kinds.why(),
        Some("not a plain file: /proc/cpuinfo")
    );
}

#[test]
fn a_file_without_end_is_read_in_part() {
    let recorded = Recorded::new(&["guest"]);
    for path in ["proc/meminfo", "proc/cpuinfo", "proc/self/mountinfo"] {
        // A terabyte of zeros, which takes no room on the disk.
        let place = recorded.folder.path().join(path);
        let file = fs::File::options().write(true).open(place).unwrap();
        file.set_len(1 << 40).unwrap();
    }
    read_all(&recorded.root());
}

#[test]
fn without_files_the_calls_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut live = Live::nothing();
    let affinity: CpuSet = [1, 3].into_iter().collect();
    live.affinity = Known::Is(affinity.clone());
    live.no_new_privs = Known::Is(true);
    live.capabilities = Known::Is(1 << 12);
    live.cpuid = Known::Is(guest_cpuid());
    live.sysinfo = Known::Is(whyslow_host::Sysinfo {
        total_bytes: 8 << 30,
        free_bytes: 4 << 30,
        swap_used_bytes: 7,
        load: [1.0, 2.0, 3.0],
        uptime_s: 60.0,
    });
    let root = HostRoot::at(folder.path(), live);
    let host = root.facts();
    assert_eq!(host.memory.total_bytes, Known::Is(8 << 30));
    assert_eq!(host.cpu.kinds.value().unwrap()[0].family, Known::Is(26));
    let state = root.state(Path::new("/"), Path::new("/"));
    assert_eq!(state.cpus.usable, Known::Is(affinity));
    assert_eq!(state.now.memory_budget_bytes, Known::Is(1 << 30));
    assert_eq!(state.now.load, Known::Is([1.0, 2.0, 3.0]));
    assert_eq!(
        state.security.capabilities,
        Known::Is(vec!["net_admin".into()])
    );
    assert_eq!(state.security.no_new_privs, Known::Is(true));
}
