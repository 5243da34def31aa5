//! What killed runs leave behind, and what only looks as if they had: the one goes with the next run, the
//! other stays.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use crate::confined::{kill, root};
use crate::env::{NOBODY, Said, TestEnv, need, wait_for};

/// A short run that needs a folder for files.
const RUN: &str = "run --only os.null_call --rounds 1 --seed 1 -o";

/// What lies in the temporary folder of the test.
fn temporary(env: &TestEnv) -> Vec<PathBuf> {
    let entries = fs::read_dir(env.path("tmp")).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    found.sort();
    found
}

/// The end of a process that must not block.
pub(crate) fn ends(mut child: Child) -> Said {
    wait_for("the end", || child.try_wait().unwrap());
    Said::of(child.wait_with_output().unwrap())
}

fn make_old(folder: &Path) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    File::open(folder).unwrap().set_modified(hour_ago).unwrap();
}

#[test]
fn a_folder_of_the_user_stays_whatever_it_is_called() {
    let env = TestEnv::new();
    let names = [
        "whyslow-20261124",
        "whyslow-0",
        "whyslow-run-1-0123456789abcdef",
        "whyslow-color-1-0123456789abcdef",
    ];
    for name in names {
        let folder = env.path("tmp").join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("notes"), "mine").unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        make_old(&folder);
    }
    let elsewhere = env.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("notes"), "mine").unwrap();
    symlink(&elsewhere, env.path("tmp/whyslow-run-2-0123456789abcdef")).unwrap();
    let before = temporary(&env);
    let said = env.run(&format!("{RUN} r"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(temporary(&env), before);
    for name in names {
        let notes = env.path("tmp").join(name).join("notes");
        assert_eq!(fs::read_to_string(notes).unwrap(), "mine", "{name}");
    }
    assert!(elsewhere.join("notes").exists());
}

/// Folders of `kind` in `place` that the process `pid` made.
fn folders_of(place: &Path, kind: &str, pid: u32) -> Vec<PathBuf> {
    let begins = format!("whyslow-{kind}-{pid}-");
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries
        .filter(|e| e.file_name().to_string_lossy().starts_with(&begins))
        .map(|e| e.path())
        .collect()
}

#[test]
fn the_next_run_removes_what_a_killed_run_left_and_the_doctor_names_it() {
    let env = TestEnv::new();
    let mut runner = env
        .whyslow("run --only os.* --rounds 30 -o r")
        .spawn()
        .unwrap();
    wait_for("the folder", || (!temporary(&env).is_empty()).then_some(()));
    wait_for("the record", || {
        whyslow_model::store::read(&env.path("r"))
            .is_ok_and(|r| r.processes.len() > 2)
            .then_some(())
    });
    kill(runner.id() as i32, libc::SIGKILL);
    runner.wait().unwrap();
    let left = temporary(&env);
    assert_eq!(left.len(), 1, "{left:?}");

    let doctor = env.run("doctor --format json");
    let named = left[0].to_str().unwrap();
    assert!(doctor.out.contains(named), "{named}: {}", doctor.out);
    assert!(left[0].exists(), "the doctor only looks");

    let said = env.run(&format!("{RUN} s"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(temporary(&env), Vec::<PathBuf>::new());
    assert!(!env.run("doctor --format json").out.contains(named));
}

#[test]
fn the_folder_of_a_run_that_goes_on_stays() {
    let env = TestEnv::new();
    let mut runner = env
        .whyslow("run --only os.* --rounds 1000 -o r")
        .spawn()
        .unwrap();
    let live = wait_for("the folder", || temporary(&env).pop());
    let said = env.run(&format!("{RUN} s"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(live.exists());
    let restored = env.run("restore");
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert!(live.exists());
    kill(runner.id() as i32, libc::SIGKILL);
    runner.wait().unwrap();
    // Its workers die with it, within moments.
    wait_for("the folder to go", || {
        env.run("restore");
        (!live.exists()).then_some(())
    });
}

#[test]
fn shared_memory_of_a_killed_launcher_goes_once_its_program_has_ended() {
    let env = TestEnv::new();
    let script = "echo $$ > pid; exec sleep 1000";
    let mut launcher = env
        .copied("color run -- /bin/sh -c")
        .arg(script)
        .spawn()
        .unwrap();
    let program: i32 = wait_for("the program", || {
        fs::read_to_string(env.path("pid"))
            .ok()?
            .trim()
            .parse()
            .ok()
    });
    wait_for("the sleeper", || {
        let name = fs::read_to_string(format!("/proc/{program}/comm")).ok()?;
        (name.trim() == "sleep").then_some(())
    });
    let pid = launcher.id();
    kill(pid as i32, libc::SIGKILL);
    launcher.wait().unwrap();
    let left = || folders_of(Path::new("/dev/shm"), "color", pid);
    let before = left();
    assert_eq!(before.len(), 1);
    let said = env.run(&format!("{RUN} r"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(left(), before, "a program still uses it");
    kill(program, libc::SIGKILL);
    wait_for("the program to go", || {
        (!Path::new(&format!("/proc/{program}/maps")).exists()
            || fs::read(format!("/proc/{program}/maps")).is_ok_and(|m| m.is_empty()))
        .then_some(())
    });
    let said = Said::of(env.copied("color run -- /bin/true").output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(left().is_empty(), "{:?}", left());
}

/// A file that an attacker wants overwritten, and a journal that says so, owned by `owner`.
fn forge(env: &TestEnv, state: &Path, owner: u32) -> PathBuf {
    let target = env.path("passwd");
    fs::write(&target, "root:x:0:0\n").unwrap();
    fs::create_dir_all(state).unwrap();
    let journal = state.join("1-0.changes");
    let line = format!("setting\t{}\tevil::0:0\troot:x:0:0\n", target.display());
    fs::write(&journal, line).unwrap();
    fs::set_permissions(state, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o600)).unwrap();
    for path in [state, &journal] {
        std::os::unix::fs::chown(path, Some(owner), Some(owner)).unwrap();
    }
    target
}

/// Restores, and experiments, in both of which the forged change must stay undone.
fn holds(env: &TestEnv, target: &Path, mut with: impl FnMut(&mut Command)) -> Said {
    let mut restore = env.whyslow("restore");
    with(&mut restore);
    let restored = ends(restore.spawn().unwrap());
    assert_eq!(fs::read_to_string(target).unwrap(), "root:x:0:0\n");
    let mut experiment = env.whyslow("explain --experiment timer-slack --blocks 3");
    with(&mut experiment);
    let tried = Said::of(experiment.output().unwrap());
    assert_eq!(tried.code, Some(0), "{tried:?}");
    assert_eq!(fs::read_to_string(target).unwrap(), "root:x:0:0\n");
    restored
}

#[test]
fn a_journal_of_another_user_is_refused() {
    if !need(root(), "root, to make a file of another user") {
        return;
    }
    let env = TestEnv::new();
    let target = forge(&env, &env.path("state/whyslow"), NOBODY);
    let said = holds(&env, &target, |_| ());
    said.refuses(&["state/whyslow", "another user"]);
    assert!(env.path("state/whyslow/1-0.changes").exists());

    // The folder is the own one, the file is not.
    std::os::unix::fs::chown(env.path("state/whyslow"), Some(0), Some(0)).unwrap();
    let said = holds(&env, &target, |_| ());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("another user"), "{said:?}");
    assert!(env.path("state/whyslow/1-0.changes").exists());
}

#[test]
fn without_a_home_root_keeps_its_state_where_only_root_can_make_it() {
    if !need(root(), "root") {
        return;
    }
    let env = TestEnv::new();
    let public = Path::new("/var/tmp/whyslow-0");
    if !need(!public.exists(), "a /var/tmp without whyslow-0") {
        return;
    }
    let target = forge(&env, public, NOBODY);
    let without = |command: &mut Command| {
        command.env_remove("HOME").env_remove("XDG_STATE_HOME");
    };
    let said = holds(&env, &target, without);
    assert!(!said.out.contains("passwd"), "{said:?}");
    fs::remove_file(public.join("1-0.changes")).unwrap();
    fs::remove_dir(public).unwrap();
}

#[test]
fn with_the_home_of_another_user_root_makes_nothing_there() {
    if !need(root(), "root") {
        return;
    }
    let env = TestEnv::new();
    let home = env.path("home");
    fs::create_dir(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
    let target = forge(&env, &home.join(".local/state/whyslow"), NOBODY);
    let said = holds(&env, &target, |command| {
        command.env_remove("XDG_STATE_HOME").env("HOME", &home);
    });
    assert!(!said.out.contains("passwd"), "{said:?}");
    let tried = {
        let mut command = env.whyslow("__under quota=none -- true");
        command.env_remove("XDG_STATE_HOME").env("HOME", &home);
        command.output().unwrap()
    };
    let _ = Said::of(tried);
    let inside: Vec<_> = fs::read_dir(home.join(".local/state/whyslow"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(inside, ["1-0.changes"]);
}

#[test]
fn a_user_without_a_home_whose_place_another_user_made_first_changes_nothing() {
    let public = PathBuf::from(format!("/var/tmp/whyslow-{NOBODY}"));
    let session = PathBuf::from(format!("/run/user/{NOBODY}"));
    let free = root() && !public.exists() && !session.exists();
    if !need(free, "root, and a machine that user nobody never used") {
        return;
    }
    let env = TestEnv::new();
    let as_nobody = |args: &str| {
        let mut command = env.copied(args);
        for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
            command.env_remove(name);
        }
        command.uid(NOBODY).gid(NOBODY);
        Said::of(command.output().unwrap())
    };
    let fine = as_nobody("restore");
    fs::create_dir(&public).unwrap();
    let refused = as_nobody("restore");
    let changed = as_nobody("__under clocksource=same -- true");
    let measured = as_nobody("run --only os.null_call --rounds 1 -o r");
    let inside = fs::read_dir(&public).unwrap().count();
    fs::remove_dir(&public).unwrap();
    assert_eq!(fine.code, Some(0), "{fine:?}");
    let place = public.to_str().unwrap();
    refused.refuses(&[place, "another user"]);
    if Path::new("/sys/devices/system/clocksource/clocksource0/current_clocksource").exists() {
        changed.refuses(&[place, "another user"]);
    }
    assert_eq!(measured.code, Some(0), "{measured:?}");
    assert_eq!(inside, 0);
}

#[test]
fn a_line_that_no_knob_writes_is_refused_and_shown_without_its_escapes() {
    if !need(root(), "root, which could write anywhere") {
        return;
    }
    let env = TestEnv::new();
    let target = forge(&env, &env.path("state/whyslow"), 0);
    let journal = env.path("state/whyslow/1-0.changes");
    let more =
        "setting\t/sys/../etc/motd\tx\ty\ngroup\t/sys/fs/cgroup/cpu/system\nmoon\t\u{1b}[31mfull\n";
    let text = fs::read_to_string(&journal).unwrap() + more;
    fs::write(&journal, &text).unwrap();
    let said = holds(&env, &target, |_| ());
    assert_eq!(said.code, Some(1), "{said:?}");
    // What tests beside this one have left and killed is removed by the way.
    let own = || said.out.lines().filter(|l| !l.starts_with("removed: "));
    assert_eq!(own().count(), 4, "{said:?}");
    assert!(own().all(|l| l.starts_with("not put back: ")), "{said:?}");
    let plain = |c: char| c == '\n' || !c.is_control();
    assert!(said.out.chars().all(plain), "{said:?}");
    assert_eq!(fs::read_to_string(&journal).unwrap(), text);
}

#[test]
fn a_pipe_a_link_or_a_large_file_in_place_of_a_journal_neither_blocks_nor_is_read() {
    let env = TestEnv::new();
    let state = env.path("state/whyslow");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    let pipe = state.join("1-0.changes");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    symlink("/etc/hostname", state.join("2-0.changes")).unwrap();
    let large = File::create(state.join("3-0.changes")).unwrap();
    large.set_len(1 << 40).unwrap();
    large
        .set_permissions(fs::Permissions::from_mode(0o600))
        .unwrap();
    let said = ends(env.whyslow("restore").spawn().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.out.matches("not put back: ").count(), 3, "{said:?}");
    assert_eq!(fs::read_dir(&state).unwrap().count(), 3);
    let said = ends(env.whyslow(&format!("{RUN} r")).spawn().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// All files of unfinished records below `folder`, links followed.
fn unfinished(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match fs::metadata(entry.path()) {
            Ok(known) if known.is_dir() => unfinished(&entry.path()),
            _ => usize::from(entry.path().extension().is_some_and(|e| e == "unfinished")),
        })
        .sum()
}

#[test]
fn a_planted_link_does_not_lead_the_check_of_causes_elsewhere() {
    let env = TestEnv::new();
    let target = env.path("target");
    fs::create_dir(&target).unwrap();
    let plain = env.whyslow("selfcheck --causes --plant timer-slack --aa 0");
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            "ln -s \"$PWD/target\" \"$TMPDIR/whyslow-causes-$$\"; exec \"$@\"",
            "sh",
        ])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(env.path("."))
        .env("TMPDIR", env.path("tmp"))
        .env("XDG_STATE_HOME", env.path("state"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for("a record", || {
        (unfinished(&env.path("tmp")) > 0).then_some(())
    });
    kill(child.id() as i32, libc::SIGHUP);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    let left: Vec<PathBuf> = temporary(&env)
        .into_iter()
        .filter(|p| !p.is_symlink())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
