//! Kills with -9 at random moments: what was measured can be read and gone on with, what was changed is put
//! back, and the next run leaves nothing of it.
//!
//! `WHYSLOW_KILLS=50` kills as many times, `WHYSLOW_KILLS_SEED` repeats the moments of a test that failed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::confined::kill;
use crate::env::{Said, TestEnv, note, wait_for};
use crate::experiments::{children, ended, groups, journaled};

/// Kills where nothing else is said: each kind once, and two more.
const USUAL: u32 = 8;

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Runner,
    Worker,
    Experiment,
    ColorRun,
    Load,
    Fleet,
}

const KINDS: [Kind; 6] = [
    Kind::Runner,
    Kind::Worker,
    Kind::Experiment,
    Kind::ColorRun,
    Kind::Load,
    Kind::Fleet,
];

/// A number of the environment.
fn told(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The test under way.
struct Killer {
    env: TestEnv,
    rng: Xoshiro256PlusPlus,
    /// Processes that were started, and theirs: what is left would be named after them.
    pids: BTreeSet<i32>,
    /// Groups that were seen in journals.
    groups: BTreeSet<PathBuf>,
    turn: u32,
}

impl Killer {
    /// A name of a file that is new.
    fn name(&self, what: &str) -> String {
        format!("{what}-{}", self.turn)
    }

    fn begin(&mut self, mut command: Command) -> Child {
        let child = command.process_group(0).spawn().unwrap();
        self.pids.insert(child.id() as i32);
        child
    }

    /// Waits for a random time of up to `most` ms: any, or, as often, one of any order of magnitude.
    fn wait(&mut self, most: u64) {
        let share = (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let ms = match self.rng.next_u64() & 1 {
            0 => most as f64 * share,
            _ => (most as f64 + 1.0).powf(share) - 1.0,
        };
        sleep(Duration::from_secs_f64(ms / 1e3));
    }

    /// Kills a process, and with it, half of the time, all of its group.
    fn kill(&mut self, mut child: Child) {
        let pid = child.id() as i32;
        let all = descendants(child.id());
        self.pids.extend(&all);
        let group = self.rng.next_u64() & 1 == 0;
        kill(if group { -pid } else { pid }, libc::SIGKILL);
        child.wait().unwrap();
        // The program of `color run` goes on by itself; workers end with their parent.
        kill(-pid, libc::SIGKILL);
        for program in all {
            wait_for("a process to go", || ended(program).then_some(()));
        }
    }

    fn run(&mut self) -> (Child, String) {
        let name = self.name("run");
        let command = self
            .env
            .whyslow(&format!("run --only os.* --rounds 3 --seed 7 -o {name}"));
        (self.begin(command), name)
    }

    fn load(&mut self) -> (Child, String) {
        let name = self.name("load");
        let args = format!("load --repeat 100 -o {name} -- sleep 0.02");
        let command = self.env.whyslow(&args);
        (self.begin(command), name)
    }

    fn color(&mut self) -> Child {
        let command = self.env.copied("color run -o report -- sleep 1000");
        self.begin(command)
    }

    /// Holds that the record `name`, if anything was written, can be shown; gives whether it can.
    fn readable(&self, name: &str) -> bool {
        let written = fs::metadata(self.env.path(name)).is_ok_and(|known| known.len() > 0);
        if written {
            let shown = self.env.run(&format!("show {name}"));
            assert_eq!(shown.code, Some(0), "{name}: {shown:?}");
        }
        written
    }

    /// Holds that the run `name` can be gone on with to its end, unless it was killed before it had read the host: then it has
    /// measured nothing, and says so.
    fn resumes(&self, name: &str) {
        if !self.readable(name) {
            return;
        }
        let record = self.env.shown(name).record;
        if record.footer.is_some() {
            return;
        }
        let resumed = self.env.run(&format!("run --resume {name} --json"));
        if record.host.is_none() {
            assert_eq!(resumed.code, Some(2), "{name}: {resumed:?}");
            assert!(resumed.err.contains("start a new one"), "{resumed:?}");
            return;
        }
        assert_eq!(resumed.code, Some(0), "{name}: {resumed:?}");
        crate::env::assert_complete(&resumed.document().record);
    }

    fn one(&mut self, kind: Kind) {
        match kind {
            Kind::Runner => {
                let (child, name) = self.run();
                self.wait(3_000);
                self.kill(child);
                self.resumes(&name);
            }
            Kind::Worker => {
                let (child, name) = self.run();
                self.wait(1_000);
                let worker = wait_for("a worker, or the end", || {
                    let found = children(child.id()).and_then(|all| all.first().copied());
                    found.or_else(|| ended(child.id() as i32).then_some(0))
                });
                if worker != 0 {
                    self.pids.insert(worker);
                    kill(worker, libc::SIGKILL);
                }
                let said = Said::of(child.wait_with_output().unwrap());
                assert_eq!(said.code, Some(0), "{said:?}");
                assert!(self.readable(&name));
            }
            Kind::Experiment => {
                let command = self
                    .env
                    .whyslow("explain --experiment cpu-quota --blocks 3");
                let child = self.begin(command);
                // Half of the time not before it has changed something.
                if self.rng.next_u64() & 1 == 0 {
                    wait_for("a change, or the end", || {
                        let changed = !journaled(&self.env).is_empty();
                        (changed || ended(child.id() as i32)).then_some(())
                    });
                    self.wait(300);
                } else {
                    self.wait(5_000);
                }
                self.groups.extend(journaled(&self.env));
                self.kill(child);
                self.groups.extend(journaled(&self.env));
                let restored = self.env.run("restore");
                assert_eq!(restored.code, Some(0), "{restored:?}");
            }
            Kind::ColorRun => {
                let child = self.color();
                self.wait(1_000);
                self.kill(child);
            }
            Kind::Load => {
                let (child, name) = self.load();
                self.wait(2_000);
                self.kill(child);
                self.readable(&name);
            }
            Kind::Fleet => {
                let (run, run_name) = self.run();
                let (load, load_name) = self.load();
                let color = self.color();
                self.wait(2_000);
                for child in [run, load, color] {
                    self.kill(child);
                }
                self.resumes(&run_name);
                self.readable(&load_name);
            }
        }
    }

    /// Runs once more, and holds that nothing is left of what was killed.
    fn next_run(&self) {
        let name = self.name("next");
        let said = self
            .env
            .run(&format!("run --only os.null_call --rounds 1 -o {name}"));
        assert_eq!(said.code, Some(0), "{said:?}");
        if !self.left().is_empty() {
            // Killed before it had written its mark, a folder stays for some seconds: the run after that.
            sleep(Duration::from_secs(3));
            let said = self.env.run("load --repeat 1 -o again -- true");
            assert_eq!(said.code, Some(0), "{said:?}");
            fs::remove_file(self.env.path("again")).unwrap();
        }
        assert_eq!(self.left(), Vec::<PathBuf>::new());
    }

    /// Everything that is left of the processes so far.
    fn left(&self) -> Vec<PathBuf> {
        let mut left: Vec<PathBuf> = inside(&self.env.path("tmp")).collect();
        left.extend(inside(&self.env.path("state/whyslow")));
        for place in ["/tmp", "/var/tmp", "/dev/shm"] {
            left.extend(inside(Path::new(place)).filter(|path| self.is_ours(path)));
        }
        let mut tree = Vec::new();
        all_groups(Path::new("/sys/fs/cgroup"), 0, &mut tree);
        left.extend(tree.into_iter().filter(|path| self.is_ours(path)));
        left.extend(self.groups.iter().filter(|group| group.exists()).cloned());
        left
    }

    /// Is it named as whyslow names things, with one of the processes?
    fn is_ours(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut parts = name.split('-');
        let numbers: Vec<i32> = name
            .split('-')
            .filter_map(|part| part.parse().ok())
            .collect();
        parts.next() == Some("whyslow") && numbers.iter().any(|pid| self.pids.contains(pid))
    }
}

fn inside(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// The control groups called `whyslow-*`; those of services and users are some levels deep.
fn all_groups(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    for path in inside(folder).filter(|path| path.is_dir() && !path.is_symlink()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("whyslow-") {
            found.push(path);
        } else if depth < 6 {
            all_groups(&path, depth + 1, found);
        }
    }
}

/// The processes that a process started, and theirs.
fn descendants(pid: u32) -> Vec<i32> {
    let mut all = Vec::new();
    for child in children(pid).unwrap_or_default() {
        all.push(child);
        all.extend(descendants(child as u32));
    }
    all
}

#[test]
fn killed_at_random_moments_everything_is_kept_or_put_back_and_nothing_is_left() {
    let kills = told("WHYSLOW_KILLS").map_or(USUAL, |n| n as u32);
    let clock = || std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    let seed = told("WHYSLOW_KILLS_SEED").unwrap_or_else(clock);
    note(&format!("WHYSLOW_KILLS_SEED={seed}"));
    let env = TestEnv::new();
    let can_group = groups(&env);
    let mut killer = Killer {
        env,
        rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        pids: BTreeSet::new(),
        groups: BTreeSet::new(),
        turn: 0,
    };
    for turn in 0..kills {
        killer.turn = turn;
        let kind = KINDS[turn as usize % KINDS.len()];
        if kind == Kind::Experiment && !can_group {
            continue;
        }
        killer.one(kind);
        killer.next_run();
        note(&format!("kill {}: {kind:?}", turn + 1));
    }
    note(&format!(
        "{} processes, {} control groups",
        killer.pids.len(),
        killer.groups.len()
    ));
}
