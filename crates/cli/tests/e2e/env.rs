//! What the tests share: a folder of one's own, a run in it, and what came of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use whyslow_model::Record;
use whyslow_model::document::Document;
use whyslow_model::record::{FailureKind, Outcome};

/// The user and group `nobody` on every Linux.
pub(crate) const NOBODY: u32 = 65534;

/// Longest that a test waits for something that takes a second at most on an idle machine.
const LONGEST: Duration = Duration::from_secs(60);

/// Is the need met? If not, says why the test is skipped, or fails where nothing may be skipped.
pub(crate) fn need(met: bool, what: &str) -> bool {
    if !met {
        let required = std::env::var_os("WHYSLOW_REQUIRE_E2E").is_some_and(|v| v == "1");
        assert!(
            !required,
            "WHYSLOW_REQUIRE_E2E is set, and this needs {what}"
        );
        eprintln!("skipped: needs {what}");
    }
    met
}

/// Says something in the output of the tests.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// Whether this process may make a mount namespace of its own; a root in a container may not.
pub(crate) fn may_mount() -> bool {
    Command::new("unshare")
        .args(["--mount", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Waits until `done` gives something.
pub(crate) fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = done() {
            return found;
        }
        assert!(begun.elapsed() < LONGEST, "waited in vain for {what}");
        sleep(Duration::from_millis(2));
    }
}

/// Copies a program that is to be run. Another process does it: had this one the copy open for
/// writing, a child that another test forks just then would have it too, until it becomes its own
/// program, and until then the kernel runs no file that is open for writing ("Text file busy").
pub(crate) fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success(), "{} was not copied", from.display());
}

/// A folder of the test's own, with a temporary folder in it, open to everybody.
pub(crate) struct TestEnv {
    folder: tempfile::TempDir,
}

impl TestEnv {
    pub(crate) fn new() -> TestEnv {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let env = TestEnv { folder };
        for at in [env.folder.path().to_owned(), env.path("tmp")] {
            fs::set_permissions(at, fs::Permissions::from_mode(0o777)).unwrap();
        }
        env
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with `args`, split at spaces, in this folder.
    pub(crate) fn whyslow(&self, args: &str) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_whyslow")), args)
    }

    /// As [`whyslow`](Self::whyslow), from a copy that every user may run.
    pub(crate) fn copied(&self, args: &str) -> Command {
        let copy = self.path("whyslow");
        if !copy.exists() {
            copy_program(Path::new(env!("CARGO_BIN_EXE_whyslow")), &copy);
        }
        self.program(&copy, args)
    }

    fn program(&self, program: &Path, args: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(args.split_whitespace())
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            // What an experiment of the user left behind is none of a test's business.
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &str) -> Said {
        Said::of(self.whyslow(args).output().unwrap())
    }

    /// What `show` makes of the record `name`.
    pub(crate) fn shown(&self, name: &str) -> Document {
        self.run(&format!("show {name} --format json")).document()
    }
}

/// What a run of the program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(output: Output) -> Said {
        Said {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The document on standard output of a run that ended well.
    pub(crate) fn document(&self) -> Document {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.json()
    }

    /// The document on standard output, however the run ended.
    pub(crate) fn json(&self) -> Document {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Holds that it was bad input: code 2, one line, with all of `words` in it. What a run says of a busy host before
    /// it is a line of its own.
    pub(crate) fn refuses(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        let of_host =
            |line: &&str| line.ends_with("`whyslow doctor` shows what else runs on this host");
        let lines = self.err.lines().filter(|line| !of_host(line));
        assert_eq!(lines.count(), 1, "{self:?}");
        assert!(self.err.starts_with("whyslow: "), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "no '{word}' in {self:?}");
        }
        assert!(!self.err.contains("panicked"), "{self:?}");
    }
}

/// The rounds in which `point` was measured, ascending.
pub(crate) fn rounds_of(record: &Record, point: &str) -> Vec<u32> {
    let mut rounds: Vec<u32> = record
        .processes
        .iter()
        .filter(|p| p.point.to_string() == point && p.round > 0)
        .map(|p| p.round)
        .collect();
    rounds.sort_unstable();
    rounds
}

/// Holds that the record has every planned point exactly once in each of its rounds.
pub(crate) fn assert_complete(record: &Record) {
    assert!(!record.plan.points.is_empty());
    let all: Vec<u32> = (1..=record.header.rounds).collect();
    for planned in &record.plan.points {
        let point = planned.point.to_string();
        assert_eq!(rounds_of(record, &point), all, "{point}");
    }
}

/// The reasons of the failures of `kind`.
pub(crate) fn failures(record: &Record, kind: FailureKind) -> Vec<String> {
    let reasons = record.processes.iter().filter_map(|p| match &p.outcome {
        Outcome::Failed(failure) if failure.how == kind => {
            Some(format!("{}: {}", p.point, failure.why))
        }
        _ => None,
    });
    reasons.collect()
}

/// Whether a note about `about` says `text`.
pub(crate) fn noted(record: &Record, about: &str, text: &str) -> bool {
    let mut notes = record.notes.iter();
    notes.any(|n| n.about.contains(about) && n.text.contains(text))
}

/// The processes that count for the value of `point`.
pub(crate) fn measured(record: &Record, point: &str) -> usize {
    record.measured(&point.parse().unwrap()).count()
}
