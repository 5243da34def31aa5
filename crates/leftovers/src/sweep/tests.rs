//! Every single thing that must hold of a leftover, broken by itself: then it stays.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;
use crate::mark::Mark;
use crate::process::Owner;
use crate::{Kind, OwnFolder};

/// The number of a process that has ended.
fn dead() -> Owner {
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id();
    child.wait().unwrap();
    Owner {
        pid,
        started: Some(1),
        ..Owner::own()
    }
}

/// A leftover of a dead process in `place`, with `change` made to its mark before it is written.
fn leave(place: &Path, kind: Kind, change: impl FnOnce(&mut Mark)) -> PathBuf {
    let process = dead();
    let name = format!("whyslow-{}-{}-0123456789abcdef", kind.name(), process.pid);
    let folder = place.join(&name);
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(kind.mode())).unwrap();
    let mut mark = Mark {
        kind,
        name,
        uid: geteuid().as_raw(),
        process,
        locked: true,
    };
    change(&mut mark);
    let open = File::open(&folder).unwrap();
    mark.write(&mark::create(open.as_fd()).unwrap()).unwrap();
    fs::create_dir(folder.join("inner")).unwrap();
    fs::write(folder.join("inner/file"), "text").unwrap();
    folder.canonicalize().unwrap()
}

/// Holds that the folder is neither named nor removed.
fn stays(place: &Path, folder: &Path, why: &str) {
    assert_eq!(left_behind(place), Vec::<PathBuf>::new(), "{why}");
    assert_eq!(sweep(place), Swept::default(), "{why}");
    assert!(folder.join("inner/file").exists(), "{why}");
}

/// Does it come to hold within some seconds? A process that another test starts shares the locks of this
/// one until its program begins, and keeps a leftover so long.
fn soon(holds: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        if holds() {
            return true;
        }
        sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn what_a_dead_process_left_is_named_and_goes() {
    for kind in Kind::ALL {
        let place = tempfile::tempdir().unwrap();
        let outside = place.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "mine").unwrap();
        let folder = leave(place.path(), kind, |_| ());
        symlink(&outside, folder.join("link")).unwrap();
        let one = |found: &Vec<PathBuf>| found.as_slice() == std::slice::from_ref(&folder);
        assert!(soon(|| one(&left_behind(place.path()))));
        assert!(folder.exists());
        assert!(soon(|| one(&sweep(place.path()).removed)));
        assert!(!folder.exists());
        assert!(outside.join("file").exists(), "a link was followed");
    }
}

#[test]
fn a_live_process_or_a_lock_keeps_it() {
    let place = tempfile::tempdir().unwrap();
    let own = OwnFolder::make(place.path(), Kind::Run).unwrap();
    fs::create_dir(own.path().join("inner")).unwrap();
    fs::write(own.path().join("inner/file"), "text").unwrap();
    stays(place.path(), own.path(), "this process lives");
    drop(own);

    let folder = leave(place.path(), Kind::Run, |_| ());
    let file = File::open(folder.join(mark::FILE)).unwrap();
    flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
    stays(place.path(), &folder, "a process holds the lock");
}

#[test]
fn a_process_of_another_container_is_told_by_its_lock() {
    for (locked, goes) in [(true, true), (false, false)] {
        let place = tempfile::tempdir().unwrap();
        let folder = leave(place.path(), Kind::Run, |mark| {
            mark.process.space = Some("pid:[1]".into());
            mark.locked = locked;
        });
        let gone = || {
            sweep(place.path());
            !folder.exists()
        };
        assert_eq!(
            if goes { soon(gone) } else { gone() },
            goes,
            "locked: {locked}"
        );
    }
}

#[test]
fn another_mark_keeps_it() {
    type Change = fn(&mut Mark);
    let changes: [(&str, Change); 4] = [
        ("name", |m| m.name = m.name.replace("abcdef", "fedcba")),
        ("user", |m| m.uid += 1),
        ("kind", |m| m.kind = Kind::Check),
        ("process", |m| m.process.pid += 1),
    ];
    for (what, change) in changes {
        let place = tempfile::tempdir().unwrap();
        let folder = leave(place.path(), Kind::Run, change);
        stays(place.path(), &folder, what);
    }
}

#[test]
fn a_folder_that_is_not_as_it_was_made_stays() {
    let place = tempfile::tempdir().unwrap();
    let folder = leave(place.path(), Kind::Run, |_| ());
    let mark = folder.join(mark::FILE);
    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&folder, 0o755);
    stays(place.path(), &folder, "others may look in");
    mode(&folder, 0o700);
    mode(&mark, 0o644);
    stays(place.path(), &folder, "the mark's mode");
    mode(&mark, 0o600);
    fs::hard_link(&mark, place.path().join("second")).unwrap();
    stays(place.path(), &folder, "a second name of the mark");
    fs::remove_file(place.path().join("second")).unwrap();
    let text = fs::read(&mark).unwrap();
    fs::write(&mark, "mine").unwrap();
    stays(place.path(), &folder, "another content");
    fs::remove_file(&mark).unwrap();
    stays(place.path(), &folder, "no mark");
    let elsewhere = place.path().join("elsewhere");
    fs::write(&elsewhere, &text).unwrap();
    mode(&elsewhere, 0o600);
    symlink(&elsewhere, &mark).unwrap();
    stays(place.path(), &folder, "a link for a mark");
    fs::remove_file(&mark).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        &mark,
        rustix::fs::Mode::from_raw_mode(0o600),
    )
    .unwrap();
    stays(place.path(), &folder, "a pipe for a mark");
    fs::remove_file(&mark).unwrap();
    if geteuid().is_root() {
        fs::write(&mark, &text).unwrap();
        mode(&mark, 0o600);
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        stays(place.path(), &folder, "of another user");
    }
}

#[test]
fn a_link_to_a_leftover_and_a_copy_of_one_stay() {
    let place = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = leave(elsewhere.path(), Kind::Run, |_| ());
    let link = place.path().join(folder.file_name().unwrap());
    symlink(&folder, &link).unwrap();
    stays(place.path(), &folder, "a link");

    let place = tempfile::tempdir().unwrap();
    let folder = leave(place.path(), Kind::Run, |_| ());
    let copy = place.path().join("whyslow-run-1-0123456789abcdef");
    fs::rename(&folder, &copy).unwrap();
    stays(place.path(), &copy, "under another name");
}

#[test]
fn what_was_killed_before_its_mark_goes_when_it_is_empty() {
    let old = std::time::SystemTime::now() - Duration::from_secs(60);
    for mark_file in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let name = format!("whyslow-run-{}-0123456789abcdef", dead().pid);
        let folder = place.path().join(name);
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        if mark_file {
            mark::create(File::open(&folder).unwrap().as_fd()).unwrap();
        }
        sweep(place.path());
        assert!(folder.exists(), "young");
        File::open(&folder).unwrap().set_modified(old).unwrap();
        fs::write(folder.join("notes"), "mine").unwrap();
        File::open(&folder).unwrap().set_modified(old).unwrap();
        sweep(place.path());
        assert!(folder.join("notes").exists());
        fs::remove_file(folder.join("notes")).unwrap();
        File::open(&folder).unwrap().set_modified(old).unwrap();
        sweep(place.path());
        assert!(!folder.exists());
    }
}

#[test]
fn what_is_in_use_stays() {
    let place = tempfile::tempdir().unwrap();
    let folder = leave(place.path(), Kind::Run, |_| ());
    let mut child = Command::new("sleep")
        .arg("100")
        .current_dir(&folder)
        .spawn()
        .unwrap();
    let named = left_behind(place.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(named, Vec::<PathBuf>::new());
    assert!(soon(|| left_behind(place.path()) == [folder.clone()]));
}
