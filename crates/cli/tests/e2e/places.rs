//! Folders that are full, closed or gone, and readers that went away: what was measured is kept
//! somewhere, and the user is told where.

use std::ffi::CString;
use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use whyslow_model::Record;
use whyslow_model::record::{End, FailureKind};
use whyslow_model::store;

use crate::confined::{
    before_exec, c_path, own_mounts, remove_folder, restrict_all_mounts, root, tmpfs, unmount,
};
use crate::env::{
    NOBODY, Said, TestEnv, assert_complete, failures, may_mount, measured, need, noted,
};

const ROOT: &str = "root in a mount namespace";

/// A small file system of the test's own.
struct Disk(CString);

impl Disk {
    /// One at `at` with `kib` KiB left in it.
    fn with_left(at: PathBuf, kib: usize) -> Disk {
        fs::create_dir(&at).unwrap();
        let disk = Disk(c_path(&at));
        tmpfs(&disk.0, 0, c"size=256k,mode=777").unwrap();
        fs::write(at.join("filler"), vec![1; (256 - kib) << 10]).unwrap();
        disk
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Best effort: a test that failed may have left it in use.
        let _ = unmount(&self.0);
    }
}

fn end(record: &Record) -> Option<End> {
    record.footer.as_ref().map(|f| f.end)
}

#[test]
fn a_full_disk_moves_the_record_elsewhere() {
    if !need(root() && may_mount(), ROOT) {
        return;
    }
    // Full at once, after the first lines, and in the middle.
    for kib in [0, 4, 8] {
        let env = TestEnv::new();
        let _disk = Disk::with_left(env.path("disk"), kib);
        let said = env.run("run --only os.* --rounds 4 --json -o disk/r");
        let record = said.document().record;
        assert_complete(&record);
        assert_eq!(end(&record), Some(End::Complete));
        assert!(said.err.contains("No space left on device"), "{said:?}");
        assert!(said.err.contains("measuring goes on"), "{said:?}");
        let kept = env.path("tmp").join("r");
        let says = format!("record: {}", kept.display());
        assert!(said.err.contains(&says), "{says}: {said:?}");
        assert_eq!(store::read(&kept).unwrap(), record);
    }
}

#[test]
fn where_no_place_is_left_the_numbers_are_printed_and_the_loss_is_said() {
    if !need(root() && may_mount(), ROOT) {
        return;
    }
    let env = TestEnv::new();
    let _disk = Disk::with_left(env.path("disk"), 4);
    let mut command = env.whyslow("run --only os.null_call,os.read --rounds 4 --json -o disk/r");
    command.env("TMPDIR", env.path("disk"));
    before_exec(&mut command, || {
        own_mounts()?;
        tmpfs(c"/dev/shm", libc::MS_RDONLY, c"size=4k")
    });
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("could not be kept"), "{said:?}");
    assert!(said.err.contains("No space left on device"), "{said:?}");
    assert_eq!(measured(&said.json().record, "os.null_call"), 4);
}

#[test]
fn a_folder_that_cannot_be_written_sends_the_record_to_the_temporary_one() {
    let env = TestEnv::new();
    let closed = env.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
    let command = |args: &str| {
        let mut command = env.copied(args);
        command.current_dir(&closed);
        if root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let said = Said::of(
        command("run --only os.* --rounds 2 --json")
            .output()
            .unwrap(),
    );
    let record = said.document().record;
    assert_complete(&record);
    assert_eq!(failures(&record, FailureKind::Unavailable), [""; 0]);
    let mut kept: Vec<_> = fs::read_dir(env.path("tmp"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    let kept = kept.pop().unwrap();
    assert!(
        said.err.contains(&format!("record: {}", kept.display())),
        "{said:?}"
    );
    assert_eq!(store::read(&kept).unwrap(), record);
    // A place that was asked for by name is not replaced by another.
    Said::of(command("run --only os.null_call -o r").output().unwrap())
        .refuses(&["r: Permission denied"]);
}

#[test]
fn a_folder_that_was_removed() {
    let env = TestEnv::new();
    let folder = env.path("removed");
    fs::create_dir(&folder).unwrap();
    let mut command = env.whyslow("run --only os.null_call --rounds 1 --json");
    command.current_dir(&folder);
    let inside = c_path(&folder);
    before_exec(&mut command, move || remove_folder(&inside));
    let said = Said::of(command.output().unwrap());
    assert_eq!(measured(&said.document().record, "os.null_call"), 1);
    assert!(
        said.err
            .contains(&format!("record: {}", env.path("tmp").display())),
        "{said:?}"
    );
}

#[test]
fn a_machine_that_can_be_read_only() {
    if !need(root() && may_mount(), ROOT) {
        return;
    }
    let env = TestEnv::new();
    let mut command = env.whyslow("run --only os.*,proc.fork --rounds 2 --json");
    before_exec(&mut command, || {
        own_mounts()?;
        restrict_all_mounts(libc::MOUNT_ATTR_RDONLY)
    });
    let said = Said::of(command.output().unwrap());
    // Nothing could be kept, which is said; all that needs no file was measured and printed.
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("could not be kept"), "{said:?}");
    assert!(said.err.contains("Read-only file system"), "{said:?}");
    let record = said.json().record;
    assert!(
        noted(&record, "temporary folder", "Read-only file system"),
        "{:?}",
        record.notes
    );
    for point in ["os.null_call", "os.read", "os.write"] {
        assert_eq!(measured(&record, point), 2, "{point}");
    }
    for point in ["os.stat", "os.fstat", "os.open_close", "proc.fork"] {
        assert!(noted(&record, point, "no temporary directory"), "{point}");
    }
}

#[test]
fn a_temporary_folder_that_runs_no_programs() {
    if !need(root() && may_mount(), ROOT) {
        return;
    }
    let env = TestEnv::new();
    let setup = |command: &mut Command, everywhere: bool| {
        let tmp = c_path(&env.path("tmp"));
        before_exec(command, move || {
            own_mounts()?;
            if everywhere {
                restrict_all_mounts(libc::MOUNT_ATTR_RDONLY)?;
            }
            tmpfs(&tmp, libc::MS_NOEXEC, c"size=4m")
        });
    };
    let args = "run --only os.stat,proc.exec --rounds 1 --json -o tmp/r";
    // Another folder is found.
    let mut command = env.whyslow(args);
    setup(&mut command, false);
    let record = Said::of(command.output().unwrap()).document().record;
    assert_eq!(failures(&record, FailureKind::Unavailable), [""; 0]);
    assert_complete(&record);
    // None is: what runs no program is measured all the same.
    let mut command = env.whyslow(args);
    setup(&mut command, true);
    let record = Said::of(command.output().unwrap()).document().record;
    assert_eq!(measured(&record, "os.stat"), 1);
    assert_eq!(measured(&record, "proc.exec{image=static}"), 0);
    assert!(
        noted(&record, "proc.exec{image=static}", "Permission denied"),
        "{:?}",
        record.notes
    );
}

#[test]
fn nothing_stays_in_the_temporary_folder() {
    let env = TestEnv::new();
    assert_eq!(
        env.run("run --only os.stat,proc.exec --rounds 1 -o r").code,
        Some(0)
    );
    assert_eq!(fs::read_dir(env.path("tmp")).unwrap().count(), 0);
}

#[test]
fn a_reader_that_goes_away() {
    let env = TestEnv::new();
    for (i, args) in ["", "--json"].into_iter().enumerate() {
        let command = format!("run --only os.* --rounds 2 -o r{i} {args}");
        let mut runner = env.whyslow(&command).spawn().unwrap();
        drop(runner.stdout.take());
        let said = Said::of(runner.wait_with_output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(!said.err.contains("panicked"), "{said:?}");
        assert!(said.err.contains(&format!("record: r{i}")), "{said:?}");
        assert_complete(&store::read(&env.path(&format!("r{i}"))).unwrap());
    }
    for command in [
        "list",
        "host",
        "host --format json",
        "show r0",
        "show r0 --format json",
        "--help",
    ] {
        let mut child = env.whyslow(command).spawn().unwrap();
        // As head -1 does: some of it, then no more.
        let mut some = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        let said = Said::of(child.wait_with_output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{command}");
    }
}

#[test]
fn an_output_that_is_full() {
    let env = TestEnv::new();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = env.whyslow("run --only os.null_call --rounds 1 -o r");
    let said = Said::of(command.stdout(full()).output().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("No space left on device") && said.err.contains("record: r"),
        "{said:?}"
    );
    assert_eq!(
        end(&store::read(&env.path("r")).unwrap()),
        Some(End::Complete)
    );
    // Errors that cannot be shown are no crash.
    let status = env.whyslow("show missing").stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
