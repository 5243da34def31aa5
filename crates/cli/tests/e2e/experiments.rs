//! Experiments on this very host: conditions that take, experiments that end well or are killed, and what
//! is put back.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use whyslow_model::experiment::{ExperimentVerdict, Sensed};
use whyslow_model::explanation::Explanation;
use whyslow_model::planted::CausesCheck;

use crate::confined::kill;
use crate::env::{Said, TestEnv, wait_for};

/// What a process under `conditions` sees.
fn sensed(env: &TestEnv, conditions: &str) -> Result<Sensed, String> {
    let own = env!("CARGO_BIN_EXE_whyslow");
    let said = env.run(&format!("__under {conditions} -- {own} __sense"));
    serde_json::from_str(&said.out).map_err(|_| said.err)
}

/// Can a control group with a quota be made here? Nothing that could be installed gives one, so that
/// a machine without is passed over everywhere.
pub(crate) fn groups(env: &TestEnv) -> bool {
    let quota = sensed(env, "quota=50");
    if let Err(why) = &quota {
        assert!(why.contains("it requires root"), "{why}");
        eprintln!("skipped: needs a control group that may be written: {why}");
    }
    quota.is_ok()
}

#[test]
fn conditions_that_need_no_rights_take() {
    let env = TestEnv::new();
    let plain = sensed(&env, "nothing").unwrap();
    let filters = |s: &Sensed| s.state.security.seccomp_filters.value().copied().unwrap();
    let filtered = sensed(&env, "seccomp=200").unwrap();
    assert_eq!(filters(&filtered), filters(&plain) + 1);
    let traced = sensed(&env, "trace").unwrap();
    assert!(
        traced
            .state
            .security
            .tracer_pid
            .value()
            .is_some_and(|&pid| pid != 0)
    );
    let first = sensed(&env, "cpus=first").unwrap();
    assert_eq!(first.state.cpus.usable.value().unwrap().as_slice().len(), 1);
    let large = sensed(&env, "environment=1000000").unwrap();
    assert!(large.state.environment.bytes >= plain.state.environment.bytes + 1_000_000);
    let files = sensed(&env, "open-files=300").unwrap();
    assert!(files.tried.open_files.unwrap() >= plain.tried.open_files.unwrap() + 300.0);
    let late = sensed(&env, "timer-slack=2000000").unwrap();
    assert_eq!(late.tried.slack_ns.unwrap(), 2e6);
    let denied = sensed(&env, "thp=off").unwrap();
    assert_eq!(denied.tried.huge_bytes.unwrap(), 0.0);
}

#[test]
fn a_neighbor_takes_turns_and_goes_with_the_program() {
    let env = TestEnv::new();
    let beside = sensed(&env, "cpus=first neighbor=2").unwrap();
    assert!(beside.tried.cpu_share.unwrap() < 0.6, "{:?}", beside.tried);
    let mut parent = env
        .whyslow("__under neighbor=1 -- sleep 100")
        .spawn()
        .unwrap();
    let children = wait_for("the neighbors", || {
        children(parent.id()).filter(|pids| pids.len() >= 2)
    });
    kill(parent.id() as i32, libc::SIGKILL);
    parent.wait().unwrap();
    for child in children {
        wait_for("a neighbor to go", || ended(child).then_some(()));
    }
}

/// The children of a process.
pub(crate) fn children(pid: u32) -> Option<Vec<i32>> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let pids = list.split_whitespace();
    Some(pids.map(|pid| pid.parse().unwrap()).collect())
}

/// Is the process gone, or only a zombie that its new parent has not reaped?
pub(crate) fn ended(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

#[test]
fn the_end_of_the_program_is_handed_on() {
    let env = TestEnv::new();
    for conditions in ["nothing", "trace", "trace=off"] {
        let said = env.run(&format!("__under {conditions} -- true"));
        assert_eq!(said.code, Some(0), "{conditions}: {said:?}");
        let said = env.run(&format!("__under {conditions} -- false"));
        assert_eq!(said.code, Some(1), "{conditions}: {said:?}");
    }
}

#[test]
fn what_is_no_condition_or_no_cause_is_refused() {
    let env = TestEnv::new();
    env.run("__under warp=9 -- true")
        .refuses(&["'warp' is not a condition", "seccomp"]);
    env.run("__under seccomp=many -- true")
        .refuses(&["seccomp=many", "number"]);
    env.run("explain --experiment warp")
        .refuses(&["'warp' is no cause", "seccomp"]);
    env.run("explain --experiment numa")
        .refuses(&["'numa' cannot be switched"]);
}

/// Explains by an experiment of few blocks.
fn experiment(env: &TestEnv, cause: &str, blocks: u32) -> Explanation {
    let said = env.run(&format!(
        "explain --experiment {cause} --blocks {blocks} --seed 3 --format json"
    ));
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

#[test]
fn a_filter_is_switched_checked_and_found() {
    let env = TestEnv::new();
    let answer = experiment(&env, "seccomp", 4);
    let [found] = &answer.experiments[..] else {
        panic!("{answer:?}");
    };
    assert!(found.manipulation.passed, "{found:?}");
    let effect = &found.effects[0];
    // 200 rules take longer than a call that does nothing, on any machine.
    assert!(effect.effect.value > 0.3, "{effect:?}");
    assert!(
        effect.share.is_some() && effect.reversal.is_some(),
        "{effect:?}"
    );
    assert_ne!(found.verdict, ExperimentVerdict::Excluded);
    assert_eq!(answer.causes[0].cause, "seccomp");
}

#[test]
fn an_experiment_that_cannot_be_had_says_why() {
    let env = TestEnv::new();
    let mut command = env.whyslow("explain --experiment memory-neighbor --blocks 3");
    let one_cpu = env.run("__under cpus=first -- true");
    assert_eq!(one_cpu.code, Some(0));
    let own = env!("CARGO_BIN_EXE_whyslow");
    command = {
        let mut under = env.whyslow("__under cpus=first --");
        under.arg(own).args(command.get_args());
        under
    };
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("NOT TRIED") && said.out.contains("second"),
        "{said:?}"
    );
}

#[test]
fn records_of_planted_causes_are_kept_and_explained_again() {
    let env = TestEnv::new();
    let planted = || -> CausesCheck {
        let said = env.run(
            "selfcheck --causes --plant timer-slack --aa 0 --seed 5 --keep kept --format json",
        );
        assert_eq!(said.code, Some(0), "{said:?}");
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
    };
    let kept = || -> Vec<(PathBuf, Vec<u8>)> {
        let files = fs::read_dir(env.path("kept")).unwrap();
        let mut files: Vec<_> = files.map(|f| f.unwrap().path()).collect();
        files.sort();
        let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
        files.into_iter().map(read).collect()
    };
    let first = planted();
    let records = kept();
    assert_eq!(records.len(), 2, "{first:?}");
    // Which cause is named is no matter here: the tests beside this one are neighbors that come and go.
    assert!(!first.trials[0].answer.is_empty(), "{first:?}");
    let again = planted();
    assert_eq!(again.trials[0].answer, first.trials[0].answer);
    assert!(kept() == records, "measured again");
}

/// The groups that stand in the journals of this test.
pub(crate) fn journaled(env: &TestEnv) -> Vec<PathBuf> {
    let journals = fs::read_dir(env.path("state/whyslow"))
        .into_iter()
        .flatten();
    let texts = journals.filter_map(|j| fs::read_to_string(j.ok()?.path()).ok());
    let lines: Vec<String> = texts
        .flat_map(|t| t.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let groups = lines.iter().filter_map(|l| l.strip_prefix("group\t"));
    groups.map(PathBuf::from).collect()
}

/// Kills a process with all of its group, as a user's `kill -9` of a job does.
fn kill_all(mut child: Child) {
    kill(-(child.id() as i32), libc::SIGKILL);
    child.wait().unwrap();
}

/// A quota experiment killed as soon as `step` is seen: a process that outlives it puts everything back.
fn killed_at(step: impl Fn(&TestEnv) -> Option<()>) {
    use std::os::unix::process::CommandExt;
    let env = TestEnv::new();
    if !groups(&env) {
        return;
    }
    let mut command = env.whyslow("explain --experiment cpu-quota --blocks 3");
    let child = command.process_group(0).spawn().unwrap();
    wait_for("the step", || step(&env));
    kill(child.id() as i32, libc::SIGKILL);
    kill_all(child);
    let left = journaled(&env);
    wait_for("everything to be put back", || {
        journaled(&env).is_empty().then_some(())
    });
    for group in left {
        assert!(!group.exists(), "{}", group.display());
    }
    let restored = env.run("restore");
    assert_eq!(restored.code, Some(0), "{restored:?}");
    let again = env.run("restore");
    assert!(again.out.contains("nothing was left behind"), "{again:?}");
}

#[test]
fn killed_when_the_journal_is_written() {
    killed_at(|env| (!journaled(env).is_empty()).then_some(()));
}

#[test]
fn killed_when_the_group_is_made() {
    killed_at(|env| journaled(env).iter().any(|g| g.exists()).then_some(()));
}

#[test]
fn killed_when_somebody_is_in_the_group() {
    killed_at(|env| {
        let inside = |g: &PathBuf| {
            fs::read_to_string(g.join("cgroup.procs")).is_ok_and(|p| !p.trim().is_empty())
        };
        journaled(env).iter().any(inside).then_some(())
    });
}

/// An experiment that Ctrl-C stops once `step` is seen of its process: what it says.
fn stopped_at(env: &TestEnv, cause: &str, signal: i32, step: impl Fn(u32) -> bool) -> Explanation {
    let mut command = env.whyslow(&format!(
        "explain --experiment {cause} --blocks 1000 --format json"
    ));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for("the step", || step(child.id()).then_some(()));
    kill(child.id() as i32, signal);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

#[test]
fn stopped_early_an_experiment_puts_back_its_group_and_says_that_it_was_stopped() {
    let env = TestEnv::new();
    if !groups(&env) {
        return;
    }
    let inside = |_| journaled(&env).iter().any(|g| g.exists());
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let answer = stopped_at(&env, "cpu-quota", signal, inside);
        // On a busy machine a quota may not show in the first look, which then says so.
        if answer.experiments.iter().all(|e| e.manipulation.passed) {
            assert!(answer.experiments.is_empty(), "{answer:?}");
            assert!(answer.not_tried[0].why.contains("stopped"), "{answer:?}");
        }
        assert!(journaled(&env).is_empty());
        assert!(env.run("restore").out.contains("nothing was left behind"));
    }
}

#[test]
fn stopped_late_an_experiment_tells_what_its_whole_blocks_have_shown() {
    let env = TestEnv::new();
    let seen = RefCell::new(BTreeSet::new());
    let answer = stopped_at(&env, "seccomp", libc::SIGINT, |pid| {
        let mut seen = seen.borrow_mut();
        seen.extend(children(pid).unwrap_or_default());
        // A block is three points under five conditions at most, there and back.
        seen.len() >= 150
    });
    let [found] = &answer.experiments[..] else {
        panic!("{answer:?}");
    };
    assert!((3..1000).contains(&found.blocks), "{found:?}");
    let said = format!("stopped after {} of 1000 blocks", found.blocks);
    assert!(found.notes.contains(&said), "{found:?}");
    assert!(found.effects[0].share.is_some(), "{found:?}");
}

#[test]
fn an_experiment_that_ends_well_leaves_nothing() {
    let env = TestEnv::new();
    if !groups(&env) {
        return;
    }
    let answer = experiment(&env, "cpu-quota", 3);
    // On a busy machine the quota may not be reached, and the check says so; nothing is left either way.
    assert_eq!(answer.experiments.len(), 1, "{answer:?}");
    assert!(journaled(&env).is_empty());
    assert!(env.run("restore").out.contains("nothing was left behind"));
}
