//! A static build runs where there is nothing else, and on another distribution.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use whyslow_model::record::FailureKind;

use crate::confined::{
    before_exec, c_path, chroot, mount_proc, own_mounts, root, take_descriptors,
};
use crate::env::{
    Said, TestEnv, assert_complete, copy_program, failures, may_mount, measured, need,
};

/// Debian releases; the test takes the first that this machine is not.
const RELEASES: [&str; 2] = ["trixie", "bookworm"];

/// The static program, built once; None where this test is not to build it.
fn program() -> Option<&'static Path> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if !need(root() && may_mount(), "root in a mount namespace") {
        return None;
    }
    Some(BUILT.get_or_init(build))
}

fn build() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("static");
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version
        .lines()
        .find_map(|l| l.strip_prefix("host: "))
        .unwrap();
    // The target is named so that build scripts and macros, which cannot be static, are not.
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--release",
            "--locked",
            "--offline",
            "--package",
            "whyslow",
        ])
        .args(["--target", host, "--target-dir"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the static build failed");
    folder.join(host).join("release/whyslow")
}

/// Runs the static program with `args` in `env`'s folder `root` as the root of all, with `proc`
/// mounted in it if asked for.
fn inside(env: &TestEnv, root: &str, proc: bool, args: &str) -> Said {
    let path = env.path(root);
    let copy = path.join("whyslow");
    if !copy.exists() {
        copy_program(program().unwrap(), &copy);
    }
    let (at, mount) = (c_path(&path), c_path(&path.join("proc")));
    let mut command = Command::new("/whyslow");
    command.args(args.split_whitespace()).env_clear();
    command.stdin(Stdio::null());
    before_exec(&mut command, move || {
        own_mounts()?;
        if proc {
            mount_proc(&mount)?;
        }
        chroot(&at)
    });
    Said::of(command.output().unwrap())
}

#[test]
fn in_an_empty_folder_with_and_without_proc() {
    if program().is_none() {
        return;
    }
    for proc in [true, false] {
        let env = TestEnv::new();
        fs::create_dir_all(env.path("root/proc")).unwrap();
        let only = "cpu.clock,os.*,proc.*,ctx.ring,mem.latency{size=64KiB,order=random,pages=4k}";
        let said = inside(
            &env,
            "root",
            proc,
            &format!("run --only {only} --rounds 1 --json -o r"),
        );
        let record = said.document().record;
        assert_eq!(record.header.build.libc, "gnu static");
        assert_complete(&record);
        assert_eq!(
            failures(&record, FailureKind::Crashed),
            [""; 0],
            "{:?}",
            record.notes
        );
        for point in [
            "cpu.clock",
            "os.null_call",
            "os.stat",
            "mem.latency{size=64KiB,order=random,pages=4k}",
        ] {
            assert_eq!(
                measured(&record, point),
                1,
                "{point}, proc {proc}: {:?}",
                record.notes
            );
        }
        // There is no /dev here: each such point says so.
        let unavailable = failures(&record, FailureKind::Unavailable).join("\n");
        assert!(
            unavailable.contains("os.read: /dev/zero: No such file"),
            "{unavailable}"
        );
        assert!(unavailable.contains("proc.shell: "), "{unavailable}");
        for args in ["show r", "show r --format json", "list", "host"] {
            let said = inside(&env, "root", proc, args);
            assert_eq!(
                (said.code, said.err.as_str()),
                (Some(0), ""),
                "{args}, proc {proc}"
            );
        }
    }
}

/// The mirror that this machine's own packages come from.
fn mirror() -> Option<String> {
    let mut lists = vec![PathBuf::from("/etc/apt/sources.list")];
    let more = fs::read_dir("/etc/apt/sources.list.d")
        .into_iter()
        .flatten();
    lists.extend(more.filter_map(|e| Some(e.ok()?.path())));
    let text: String = lists
        .iter()
        .filter_map(|list| fs::read_to_string(list).ok())
        .collect();
    let mut words = text
        .lines()
        .filter(|l| !l.trim_start().starts_with('#'))
        .flat_map(str::split_whitespace);
    words
        .find(|w| w.contains("://") && w.trim_end_matches('/').ends_with("/debian"))
        .map(str::to_owned)
}

#[test]
fn on_another_release_of_a_distribution() {
    let wanted = std::env::var_os("WHYSLOW_REQUIRE_E2E").is_some_and(|v| v == "1");
    if !need(
        wanted,
        "WHYSLOW_REQUIRE_E2E=1, because it downloads a distribution",
    ) || program().is_none()
    {
        return;
    }
    let Some(mirror) = mirror() else {
        need(false, "a Debian mirror in /etc/apt");
        return;
    };
    let own = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let release = RELEASES
        .iter()
        .find(|r| !own.contains(&format!("VERSION_CODENAME={r}")))
        .unwrap();
    let env = TestEnv::new();
    let made = Command::new("debootstrap")
        .args(["--variant=minbase", release])
        .arg(env.path("root"))
        .arg(&mirror)
        .output();
    let Ok(made) = made else {
        need(false, "debootstrap");
        return;
    };
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stdout)
    );

    let only =
        "cpu.clock,os.*,proc.*,ctx.ring,ipc.pipe,mem.latency{size=64KiB,order=random,pages=4k}";
    let said = inside(
        &env,
        "root",
        true,
        &format!("run --only {only} --rounds 1 --json -o r"),
    );
    let record = said.document().record;
    assert_complete(&record);
    assert_eq!(failures(&record, FailureKind::Crashed), [""; 0]);
    // A minimal distribution has no compiler, no dc and one locale; nothing else may be missing.
    let missing = failures(&record, FailureKind::Unavailable);
    let other: Vec<&String> = missing
        .iter()
        .filter(|line| !line.contains("is not installed"))
        .collect();
    assert_eq!(other, [""; 0]);
    // Its loader and C library are not ours, and were used.
    assert_eq!(measured(&record, "proc.exec{image=dynamic}"), 1);
    assert_eq!(measured(&record, "proc.shell"), 1);
    let said = inside(&env, "root", true, "show r --format json");
    assert_eq!(said.document().record, record);
}

#[test]
fn where_all_descriptors_are_taken() {
    let Some(program) = program() else { return };
    let env = TestEnv::new();
    let mut command = Command::new(program);
    command
        .args([
            "run",
            "--only",
            "os.null_call",
            "--rounds",
            "1",
            "--json",
            "-o",
        ])
        .arg(env.path("r"))
        .stdin(Stdio::null());
    before_exec(&mut command, || take_descriptors(2_000));
    let said = Said::of(command.output().unwrap());
    assert_eq!(measured(&said.document().record, "os.null_call"), 1);
}
