//! Settings of the whole machine under `whyslow tune`: named one by one, in force only around the runs of their arm, and as
//! before whatever is killed.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use crate::confined::{kill, root};
use crate::env::{NOBODY, Said, TestEnv, need, note, wait_for};
use crate::experiments::{children, ended};

/// Kills of one setting at random moments.
const KILLS: u32 = 20;

/// What one test sets no other may set at the same time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A condition and the file that it sets.
const SET: [(&str, &str); 5] = [
    ("swappiness=10", SWAPPINESS),
    ("compaction=0", "/proc/sys/vm/compaction_proactiveness"),
    (
        "thp-enabled=always",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ),
    (
        "thp-defrag=never",
        "/sys/kernel/mm/transparent_hugepage/defrag",
    ),
    (
        "guest-halt-poll=200000",
        "/sys/module/haltpoll/parameters/guest_halt_poll_ns",
    ),
];

/// The file of the setting that most tests try.
const SWAPPINESS: &str = "/proc/sys/vm/swappiness";

/// A file of the kernel, which is as before after the test, also where the test fails.
struct Before {
    path: PathBuf,
    text: String,
    _alone: MutexGuard<'static, ()>,
}

impl Before {
    /// None where a test may not write there, with the reason.
    fn of(path: &str) -> Option<Before> {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        if !need(root(), "root, to change a setting of the machine") {
            return None;
        }
        let path = PathBuf::from(path);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let value = value(&text);
        // What is written is what it says: nothing changes. Nothing that could be installed makes one writable.
        if value.is_empty() || fs::write(&path, &value).is_err() {
            note(&format!("skipped: needs a writable {}", path.display()));
            return None;
        }
        Some(Before {
            path,
            text,
            _alone: alone,
        })
    }

    fn now(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }

    fn is_changed(&self) -> bool {
        self.now() != self.text
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        let _ = fs::write(&self.path, value(&self.text));
    }
}

/// The word in brackets, or all of it.
fn value(text: &str) -> String {
    let inside = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(word, _)| word).trim().to_owned()
}

/// Files of journals that are there.
fn journals(env: &TestEnv) -> usize {
    fs::read_dir(env.path("state/whyslow")).map_or(0, Iterator::count)
}

fn swappiness(env: &TestEnv, args: &str, command: &[&str]) -> Command {
    let mut whyslow = env.whyslow(&format!("tune --setting swappiness-low {args} --"));
    whyslow.args(command);
    whyslow
}

#[test]
fn a_user_without_rights_is_told_in_a_line_and_the_list_shows_such_settings_apart() {
    let env = TestEnv::new();
    let mut command = env.copied("tune --setting swappiness-low -- touch ran");
    if root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let said = Said::of(command.output().unwrap());
    said.refuses(&["--setting swappiness-low", "needs root"]);
    assert!(!env.path("ran").exists());
    let said = env.run("tune --setting nosuch -- true");
    said.refuses(&["needs root, only when named: ", "settings are arenas-1"]);
    let (free, named) = said.err.split_once("only when named: ").unwrap();
    for name in ["swappiness-low", "thp-always", "governor-performance"] {
        assert!(
            named.contains(name) && !free.contains(name),
            "{name}: {said:?}"
        );
    }
}

#[test]
fn a_setting_holds_while_its_own_arm_runs_and_never_else() {
    let Some(before) = Before::of(SWAPPINESS) else {
        return;
    };
    let env = TestEnv::new();
    let log = format!("cat {SWAPPINESS} >> log; sleep 0.02");
    let args = "--budget 5 --setting env:WHYSLOW_NOTHING=1 --format json";
    let said = Said::of(
        swappiness(&env, args, &["sh", "-c", &log])
            .output()
            .unwrap(),
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(before.now(), before.text);
    assert_eq!(journals(&env), 0);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    let tried = json["tried"].as_array().unwrap();
    if before.text.trim() == "10" {
        assert!(said.out.contains("it is so already (10)"), "{said:?}");
        return;
    }
    let own = tried
        .iter()
        .find(|t| t["name"] == "swappiness-low")
        .unwrap();
    assert_eq!(own["conditions"][0], "kernel=swappiness=10", "{said:?}");
    // A third of the runs is under it.
    let log = fs::read_to_string(env.path("log")).unwrap();
    let under = log.lines().filter(|line| *line == "10").count();
    let rounds = own["rounds"].as_u64().unwrap() as usize;
    assert!(
        under >= rounds && log.lines().count() >= 3 * rounds,
        "{log}"
    );
    let else_ = log
        .lines()
        .filter(|line| *line == before.text.trim())
        .count();
    assert_eq!(under + else_, log.lines().count(), "{log}");
    assert!(else_ >= 2 * rounds, "{log}");
}

#[test]
fn a_command_that_does_nothing_gains_nothing() {
    let Some(_before) = Before::of(SWAPPINESS) else {
        return;
    };
    let env = TestEnv::new();
    // One in a hundred such commands is accused by chance alone, at the level of the intervals: never three times in a row.
    let recommends = |_| {
        let args = "--budget 12 --format json";
        let said = Said::of(swappiness(&env, args, &["sleep", "0.05"]).output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        let json: Value = serde_json::from_str(&said.out).unwrap();
        json["tried"][0]["verdict"] == "gains"
    };
    assert!(!(0..3).all(recommends));
}

/// Every process that `pid` started, and that these started.
fn descendants(pid: u32) -> Vec<i32> {
    let own = children(pid).unwrap_or_default();
    let theirs = own.iter().flat_map(|&child| descendants(child as u32));
    theirs.chain(own.iter().copied()).collect()
}

/// Waits until all of `pids` are gone, and with them what they would still put back.
fn gone(pids: &[i32]) {
    for &pid in pids {
        wait_for("a process to go", || ended(pid).then_some(()));
    }
}

#[test]
fn every_setting_is_put_back_after_its_process_was_killed() {
    for (condition, path) in SET {
        let Some(before) = Before::of(path) else {
            continue;
        };
        if value(&before.text) == condition.split_once('=').unwrap().1 {
            note(&format!("skipped: {path} is so already"));
            continue;
        }
        let env = TestEnv::new();
        let mut parent = env
            .whyslow(&format!("__under kernel={condition} -- sleep 100"))
            .spawn()
            .unwrap();
        wait_for("the change", || before.is_changed().then_some(()));
        let refused = env.run(&format!("__under kernel={condition} -- true"));
        assert!(refused.err.contains("another whyslow"), "{refused:?}");
        let all = descendants(parent.id());
        kill(parent.id() as i32, libc::SIGKILL);
        parent.wait().unwrap();
        gone(&all);
        assert!(
            before.is_changed(),
            "{path}: nothing but restore puts it back"
        );
        let refused = env.run(&format!("__under kernel={condition} -- true"));
        assert!(refused.err.contains("whyslow restore"), "{refused:?}");
        let restored = env.run("restore");
        assert_eq!(restored.code, Some(0), "{restored:?}");
        assert_eq!(before.now(), before.text, "{path}: {restored:?}");
        assert_eq!(journals(&env), 0, "{path}");
    }
}

/// Ends of a run of `tune`.
#[derive(Debug, Clone, Copy)]
enum End {
    /// `kill -9` of whyslow.
    Whyslow,
    /// `kill -9` of a process that it started.
    Worker,
    /// Ctrl-C, which a terminal sends to the group.
    Interrupt,
}

fn end(env: &TestEnv, how: End, child: Child) {
    let pid = child.id();
    let all = descendants(pid);
    match how {
        End::Whyslow => kill(pid as i32, libc::SIGKILL),
        End::Interrupt => kill(-(pid as i32), libc::SIGINT),
        End::Worker => {
            if let Some(worker) = children(pid).and_then(|all| all.first().copied()) {
                kill(worker, libc::SIGKILL);
            }
            // It may have been one before the first round, after which tune goes on.
            sleep(Duration::from_millis(100));
            kill(pid as i32, libc::SIGTERM);
        }
    }
    let said = Said::of(child.wait_with_output().unwrap());
    gone(&all);
    if let End::Whyslow = how {
        let restored = env.run("restore");
        assert_eq!(restored.code, Some(0), "{restored:?}");
    } else {
        assert!(!said.err.contains("not put back"), "{said:?}");
    }
}

#[test]
fn killed_at_random_moments_a_setting_is_as_before() {
    let Some(before) = Before::of(SWAPPINESS) else {
        return;
    };
    if before.text.trim() == "10" {
        note("skipped: needs a machine whose swappiness is not 10 already");
        return;
    }
    let seed = std::env::var("WHYSLOW_KILLS_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let clock = || std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    let seed = seed.unwrap_or_else(clock);
    note(&format!("WHYSLOW_KILLS_SEED={seed}"));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut changed = 0;
    for turn in 0..KILLS {
        let env = TestEnv::new();
        let mut command = swappiness(&env, "--budget 20", &["sleep", "0.03"]);
        let child = command.process_group(0).spawn().unwrap();
        // Half of the time not before something was changed.
        if turn % 2 == 0 {
            let seen = |changed: bool| {
                wait_for("a change, or the end", || {
                    (before.is_changed() == changed || ended(child.id() as i32)).then_some(())
                });
            };
            // Under the check, the warm-up and rounds.
            for _ in 0..rng.next_u64() % 6 {
                seen(true);
                seen(false);
            }
            seen(true);
            sleep(Duration::from_micros(rng.next_u64() % 10_000));
        } else {
            sleep(Duration::from_micros(rng.next_u64() % 1_500_000));
        }
        changed += u32::from(before.is_changed());
        let how = [End::Whyslow, End::Worker, End::Interrupt][rng.next_u64() as usize % 3];
        end(&env, how, child);
        assert_eq!(before.now(), before.text, "{how:?} in turn {turn}");
        assert_eq!(journals(&env), 0, "{how:?} in turn {turn}");
    }
    note(&format!("{changed} of {KILLS} ends while it was changed"));
    assert!(changed > 0);
}
