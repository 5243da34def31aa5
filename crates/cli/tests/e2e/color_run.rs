//! `color run`: programs behave as they do without it, whatever the system refuses.
//!
//! Whether colors are found depends on the machine and on who else uses it. That programs go on, and
//! that the report says why, does not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use whyslow_model::color::{ColorRun, ProgramEnd, RunPages};
use whyslow_model::host::Known;

use crate::confined::{kill, root};
use crate::env::{NOBODY, TestEnv, copy_program, need, wait_for};

/// The program of many parts, built once; None where there is no compiler.
pub(crate) fn behave() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| compile("behave", &["-pthread"]));
    need(built.is_some(), "a C compiler (cc)").then_some(())?;
    built.as_deref()
}

/// Builds `color/NAME.c`; None where there is no compiler.
fn compile(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/e2e/color/{name}.c"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("color");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join(flags.iter().fold(name.to_owned(), |name, flag| name + flag));
    let built = Command::new("cc")
        .args(["-O1", "-o"])
        .args([&program, &source])
        .args(flags)
        .stderr(Stdio::null())
        .status();
    built
        .is_ok_and(|status| status.success())
        .then_some(program)
}

/// `color run OPTIONS -- PROGRAM`, with the report in the file `report`.
pub(crate) fn command(env: &TestEnv, options: &str, program: &[&str]) -> Command {
    let mut command = env.copied(&format!("color run --format json -o report {options} --"));
    command.args(program);
    command
}

pub(crate) fn report(env: &TestEnv) -> ColorRun {
    let text = fs::read_to_string(env.path("report")).unwrap();
    crate::schema::valid_color(&serde_json::from_str(&text).unwrap());
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `parts` of the program with and without colors; both must say the same, and all must be right.
pub(crate) fn same(
    env: &TestEnv,
    parts: &[&str],
    confine: impl Fn(&mut Command),
) -> Option<ColorRun> {
    let program = behave()?;
    let copy = env.path("behave");
    copy_program(program, &copy);
    let mut plain = Command::new(&copy);
    plain.args(parts);
    confine(&mut plain);
    let plain = plain.output().unwrap();
    let mut words = vec![copy.to_str().unwrap()];
    words.extend(parts);
    let mut colored = command(env, "", &words);
    confine(&mut colored);
    let colored = colored.output().unwrap();
    assert_eq!(
        text(&colored.stdout),
        text(&plain.stdout),
        "{}",
        text(&colored.stderr)
    );
    assert_eq!(text(&colored.stderr), text(&plain.stderr));
    assert_eq!(colored.status.code(), Some(0));
    assert!(
        !text(&colored.stdout).contains("WRONG"),
        "{}",
        text(&colored.stdout)
    );
    Some(report(env))
}

/// Every page that was to be colored is accounted for, in all and in each table.
pub(crate) fn assert_accounted(report: &ColorRun) {
    assert_eq!(report.ended, ProgramEnd::Code(0));
    assert_eq!(report.hits + report.fallbacks, report.colored);
    let asked: u64 =
        report.colored + report.present + report.ordinary.iter().map(|o| o.pages).sum::<u64>();
    assert!(asked > 200, "{report:?}");
    if let Known::Is(colors) = &report.colors {
        assert_eq!(report.by_color.len(), colors.colors as usize);
        assert_eq!(report.by_color.iter().sum::<u64>(), report.colored);
    } else {
        assert_eq!(report.colored, 0);
    }
    for (parts, others) in [
        (
            pages(&report.by_process, |p| &p.pages),
            &report.other_process_pages,
        ),
        (
            pages(&report.by_object, |o| &o.pages),
            &report.other_object_pages,
        ),
    ] {
        let sum =
            |one: fn(&RunPages) -> u64| parts.iter().copied().chain([others]).map(one).sum::<u64>();
        assert_eq!(sum(|p| p.hits), report.hits, "{report:?}");
        assert_eq!(sum(|p| p.fallbacks), report.fallbacks, "{report:?}");
        assert_eq!(sum(|p| p.present), report.present, "{report:?}");
        assert_eq!(sum(|p| p.colored_blocks), report.blocks, "{report:?}");
        assert_eq!(sum(|p| p.pages), asked, "{report:?}");
    }
}

fn pages<T>(lines: &[T], of: fn(&T) -> &RunPages) -> Vec<&RunPages> {
    lines.iter().map(of).collect()
}

#[test]
fn memory_threads_forks_and_signals_are_as_without() {
    for part in [
        "block", "grow", "maps", "threads", "forks", "signals", "many",
    ] {
        let env = TestEnv::new();
        let Some(report) = same(&env, &[part], |_| {}) else {
            return;
        };
        assert_accounted(&report);
    }
}

#[test]
fn each_process_and_each_kind_of_block_has_a_line() {
    let env = TestEnv::new();
    let Some(report) = same(&env, &["many", "forks"], |_| {}) else {
        return;
    };
    assert_accounted(&report);
    // The parent, and twelve children with a block each.
    let lines = &report.by_process;
    assert_eq!(lines.len(), 13, "{lines:?}");
    assert!(lines.iter().all(|line| line.name == "behave"), "{lines:?}");
    let mut pids: Vec<u64> = lines.iter().map(|line| line.pid).collect();
    pids.dedup();
    assert_eq!(pids.len(), 13);
    let children = lines.iter().filter(|line| line.pages.blocks == 1);
    assert_eq!(children.count(), 12, "{lines:?}");
    let kind = |call: &str, bytes: u64| {
        let mut kinds = report.by_object.iter();
        let kind =
            kinds.find(|k| k.call == call && (k.least_bytes..=k.most_bytes).contains(&bytes));
        kind.unwrap_or_else(|| panic!("no {call} of {bytes}: {report:?}"))
            .clone()
    };
    // A thread has blocks of about this size, too: they are of this kind.
    assert!(kind("malloc", 1 << 19).pages.blocks >= 64);
    let calloc = kind("calloc", 1 << 20);
    assert_eq!((calloc.least_bytes, calloc.pages.blocks), (1 << 20, 12));
    assert_eq!(calloc.name, "behave");
}

#[test]
fn a_program_that_locks_itself_in_is_not_broken_out_of() {
    let env = TestEnv::new();
    let Some(report) = same(&env, &["sandbox"], |_| {}) else {
        return;
    };
    assert_accounted(&report);
    // Four children have two mebibytes each after the filter.
    let why = "system-call filter";
    let left: u64 = report
        .ordinary
        .iter()
        .filter(|o| o.why.contains(why))
        .map(|o| o.pages)
        .sum();
    let page = report.page_bytes;
    assert!(
        left * page > 7 << 20 || !matches!(report.colors, Known::Is(_)),
        "{report:?}"
    );
}

/// The first run searches and keeps what it found; later ones check that, in a part of the time. What does not fit is
/// not believed.
#[test]
fn colors_are_learned_once() {
    let env = TestEnv::new();
    let Some(program) = behave() else { return };
    let map = env.path("cache/whyslow/color-map");
    let run = |without_home: bool| {
        let mut command = command(&env, "", &[program.to_str().unwrap(), "block"]);
        if without_home {
            command.env_remove("HOME");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = report(&env);
        assert_accounted(&report);
        match report.colors {
            Known::Is(colors) => Some(colors),
            Known::Unknown(_) => None,
        }
    };
    if let Some(colors) = run(true) {
        assert!(!colors.kept && !map.exists());
    }
    // In noise colors may not be found, and kept ones may seem not to fit: as many runs as it takes.
    let mut runs = Vec::new();
    for _ in 0..30 {
        runs.extend(run(false));
        if runs.iter().filter(|colors| colors.kept).count() >= 3 {
            break;
        }
    }
    if !need(!runs.is_empty(), "a machine whose colors can be found") {
        return;
    }
    assert!(!runs[0].kept && map.exists());
    let mode = fs::metadata(&map).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept: Vec<_> = runs.iter().filter(|colors| colors.kept).collect();
    assert!(kept.len() >= 3, "{runs:?}");
    // Each is what a search before it found; in noise that of the last may not have been kept.
    for (at, own) in runs.iter().enumerate().filter(|(_, colors)| colors.kept) {
        let mut before = runs[..at].iter().filter(|colors| !colors.kept);
        let same = before.any(|found| (found.colors, found.ways) == (own.colors, own.ways));
        assert!(same, "{runs:?}");
    }
    let least = |kept: bool| {
        let took = runs.iter().filter(|colors| colors.kept == kept);
        took.map(|colors| colors.took_ms)
            .fold(f64::INFINITY, f64::min)
    };
    assert!(2.0 * least(true) < least(false), "{runs:?}");
    // Sets that are of no color: pages in another order.
    let damaged = |from: &str, to: &str| {
        let bytes = fs::read(&map).unwrap();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap();
        let header = text(&bytes[..end]).replacen(from, to, 1);
        assert!(header.len() <= end, "{from} -> {to}");
        let mut header = header.into_bytes();
        header.resize(end, 0);
        // In place: the pages stay in memory.
        std::os::unix::fs::FileExt::write_all_at(
            &fs::OpenOptions::new().write(true).open(&map).unwrap(),
            &header,
            0,
        )
        .unwrap();
        if let Some(colors) = run(false) {
            assert!(!colors.kept, "{from} -> {to}");
        }
    };
    damaged("boot ", "toob ");
    damaged("\nset ", "\nend\n");
    // Another user's folder, or one that others can write, is left alone.
    fs::remove_file(&map).unwrap();
    fs::set_permissions(env.path("cache/whyslow"), fs::Permissions::from_mode(0o777)).unwrap();
    run(false);
    assert!(!map.exists());
}

#[test]
fn a_part_of_the_colors_is_all_that_is_used() {
    let env = TestEnv::new();
    let Some(program) = behave() else { return };
    let run = |options: &str| -> Output {
        command(&env, options, &[program.to_str().unwrap(), "block"])
            .output()
            .unwrap()
    };
    let output = run("--colors 0-1");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let part = report(&env);
    assert_accounted(&part);
    let others: u64 = part.by_color.iter().skip(2).sum();
    // The nearest color serves where there are too few of these: the allowed ones first.
    assert!(
        others <= part.fallbacks && 2 * others < part.colored.max(1),
        "{part:?}"
    );
    // Colors that there are none of are no reason not to run.
    let output = run("--colors 4000");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let none = report(&env);
    assert!(
        none.colored == 0 && matches!(none.colors, Known::Unknown(_)),
        "{none:?}"
    );
}

#[test]
fn small_memory_costs_nothing() {
    let env = TestEnv::new();
    let output = command(&env, "", &["/bin/sh", "-c", "echo small"])
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout), "small\n");
    let report = report(&env);
    let Known::Unknown(why) = &report.colors else {
        panic!("colors were looked for: {report:?}");
    };
    assert!(
        why.unknown.contains("no block of memory was worth it"),
        "{report:?}"
    );
    assert_eq!((report.tested, report.cost.waiting_ms), (0, 0.0));
    assert_eq!(report.programs, 1);
}

#[test]
fn the_end_of_the_program_is_ours() {
    let env = TestEnv::new();
    let end = |script: &str| {
        command(&env, "", &["/bin/sh", "-c", script])
            .output()
            .unwrap()
            .status
    };
    assert_eq!(end("exit 0").code(), Some(0));
    assert_eq!(end("exit 37").code(), Some(37));
    assert_eq!(end("kill -TERM $$").signal(), Some(libc::SIGTERM));
    assert_eq!(report(&env).ended, ProgramEnd::Signal(libc::SIGTERM));
    assert_eq!(end("kill -KILL $$").signal(), Some(libc::SIGKILL));
}

#[test]
fn signals_reach_the_program() {
    let env = TestEnv::new();
    let script =
        "trap 'echo caught; exit 5' TERM; echo ready > ready; while :; do sleep 0.01; done";
    let child = command(&env, "", &["/bin/sh", "-c", script])
        .spawn()
        .unwrap();
    wait_for("the program", || env.path("ready").exists().then_some(()));
    kill(child.id() as i32, libc::SIGTERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(text(&output.stdout), "caught\n");
}

#[test]
fn programs_that_no_library_fits_are_refused() {
    let env = TestEnv::new();
    let refused = |program: &str| {
        let output = command(&env, "", &[program]).output().unwrap();
        crate::env::Said::of(output)
    };
    refused("no-such-program").refuses(&["no-such-program", "No such file"]);
    let set_user = env.path("set-user");
    copy_program(Path::new("/bin/true"), &set_user);
    if need(root(), "root, to make a set-user-id program") {
        std::os::unix::fs::chown(&set_user, Some(NOBODY), None).unwrap();
        fs::set_permissions(&set_user, fs::Permissions::from_mode(0o4755)).unwrap();
        refused(set_user.to_str().unwrap()).refuses(&[
            "set-user",
            "privileges",
            "cannot be colored",
        ]);
    }
    if let Some(program) = compile("behave", &["-pthread", "-static"]) {
        refused(program.to_str().unwrap()).refuses(&["statically linked", "cannot be colored"]);
    } else {
        need(false, "a C compiler with static libraries");
    }
}

/// Nothing stays behind, unless a process of the program goes on: then it says what.
#[test]
fn leaves_no_files_but_for_programs_that_go_on() {
    let env = TestEnv::new();
    // Until the sleeper has the library: before, the files belong to no process.
    let script = "sleep 30 >/dev/null 2>&1 & \
        for i in $(seq 200); do \
            grep -q sleep /proc/$!/comm && grep -q whyslow-color- /proc/$!/maps && break; sleep 0.05; \
        done; \
        sleep 0.2; echo $!";
    let output = command(&env, "", &["/bin/sh", "-c", script])
        .output()
        .unwrap();
    let sleeper: i32 = text(&output.stdout).trim().parse().unwrap();
    let notes = report(&env).notes.join("\n");
    kill(sleeper, libc::SIGKILL);
    let kept = notes
        .split_whitespace()
        .find(|word| word.contains("whyslow-color-"))
        .unwrap_or_else(|| panic!("{notes:?}"));
    assert!(Path::new(kept).exists());
    fs::remove_dir_all(kept).unwrap();
    command(&env, "", &["/bin/true"]).output().unwrap();
    assert_eq!(report(&env).notes, [""; 0]);
}
