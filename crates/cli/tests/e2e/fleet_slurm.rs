//! `whyslow fleet run` on a real Slurm: its daemons for several nodes on this machine, as an ordinary user has them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::confined::kill;
use crate::env::{Said, TestEnv, need, wait_for};
use crate::fleet_run::{other, records, script};

/// A second of measuring.
const SHORT: &str = "-- --only os.null_call,os.read --rounds 2";

/// Some seconds of it.
const LONG: &str = "-- --only os.null_call,os.read --rounds 60";

/// A cluster, which ends with the test.
struct Cluster {
    folder: PathBuf,
}

impl Cluster {
    /// With nodes n1 to n4; nothing where there is no Slurm.
    fn new(env: &TestEnv) -> Option<Cluster> {
        let has = |name: &str| Command::new(name).arg("-V").output().is_ok();
        let all = ["slurmctld", "slurmd", "sbatch"].into_iter().all(has);
        if !need(all, "slurmctld, slurmd and slurm-client") {
            return None;
        }
        let cluster = Cluster {
            folder: env.path("slurm"),
        };
        let said = cluster.script(&["up", "DIR", "4"]);
        assert!(said.status.success(), "{said:?}");
        Some(cluster)
    }

    fn script(&self, words: &[&str]) -> Output {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/fleet/slurm.sh");
        let words = words.iter().map(|word| match *word {
            "DIR" => self.folder.as_os_str(),
            word => word.as_ref(),
        });
        Command::new("sh").arg(script).args(words).output().unwrap()
    }

    fn configuration(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    /// What a command of Slurm says.
    fn ask(&self, words: &str) -> String {
        let mut words = words.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        let command = command.args(words).env("SLURM_CONF", self.configuration());
        let said = command.output().unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    }

    fn whyslow(&self, env: &TestEnv, args: &str) -> Command {
        let mut command = env.whyslow(args);
        command.env("SLURM_CONF", self.configuration());
        command
    }

    fn run(&self, env: &TestEnv, args: &str) -> Said {
        Said::of(self.whyslow(env, args).output().unwrap())
    }

    /// The controller ends.
    fn stop_controller(&self) {
        let file = self.folder.join("run/slurmctld.pid");
        let pid: i32 = fs::read_to_string(&file).unwrap().trim().parse().unwrap();
        kill(pid, libc::SIGTERM);
        wait_for("the controller to end", || {
            let state = fs::read_to_string(format!("/proc/{pid}/stat"));
            state
                .map_or(true, |state| state.contains(") Z "))
                .then_some(())
        });
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script(&["down", "DIR"]);
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn each_node_is_measured_once_and_one_that_fails_costs_one() {
    let env = TestEnv::new();
    let Some(cluster) = Cluster::new(&env) else {
        return;
    };
    let folder = env.path("f");
    cluster.ask("scontrol update nodename=n3 state=drain reason=fan");
    let own = env!("CARGO_BIN_EXE_whyslow");
    let broken = format!(
        "#!/bin/sh\n[ $SLURMD_NODENAME != n4 ] || {{ echo no such library; exit 7; }}\nexec {own} \"$@\"\n"
    );
    script(&env.path("program"), &broken);
    let args = format!("fleet run f --slurm --width 2 --binary program {SHORT}");
    let said = cluster.run(&env, &args.replace("run f", "run f --dry-run"));
    assert_eq!(said.out.matches("sbatch ").count(), 3, "{said:?}");
    assert!(!folder.exists());
    let said = cluster.run(&env, &args);
    assert_eq!(said.code, Some(3), "{said:?}");
    for line in [
        "not measured: n3: drained: fan\n",
        "not measured: n4: FAILED: no such library\n",
        "2 of 4 nodes measured",
    ] {
        assert!(said.out.contains(line), "no '{line}' in {said:?}");
    }
    assert_eq!(records(&folder, "n1").len(), 1);

    // Mended, the same command goes on with what is missing alone.
    cluster.ask("scontrol update nodename=n3 state=resume");
    wait_for("n3 to answer", || {
        let state = cluster.ask("sinfo --noheader --nodes=n3 --format=%T");
        (state.trim() == "idle").then_some(())
    });
    script(
        &env.path("program"),
        &broken.replace("!= n4", "= $SLURMD_NODENAME"),
    );
    let said = cluster.run(&env, &args);
    assert_eq!(said.code, Some(0), "{said:?}");
    for node in ["n1", "n2", "n3", "n4"] {
        assert_eq!(records(&folder, node).len(), 1, "{node}");
        assert!(
            other(&folder, node).is_empty(),
            "{:?}",
            other(&folder, node)
        );
    }
    // Three jobs of the first call and two of the second.
    let jobs = cluster.ask("squeue --noheader --states=all --format=%i");
    assert_eq!(jobs.lines().count(), 5, "{jobs}");
    let report = env.run("fleet report f");
    assert!(report.out.starts_with("4 nodes in 1 group"), "{report:?}");
}

#[test]
fn interrupted_killed_or_without_its_controller_it_is_gone_on_with() {
    let env = TestEnv::new();
    let Some(cluster) = Cluster::new(&env) else {
        return;
    };
    let folder = env.path("f");
    let args = format!("fleet run f --slurm --nodes n[1-2] {LONG}");
    let running = || {
        let jobs = cluster.ask("squeue --noheader --states=running --format=%i");
        (jobs.lines().count() == 2).then_some(())
    };

    // Ctrl-C ends its jobs.
    let child = cluster.whyslow(&env, &args).spawn().unwrap();
    wait_for("its jobs", running);
    kill(child.id() as i32, libc::SIGINT);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    wait_for("its jobs to end", || {
        let jobs = cluster.ask("squeue --noheader --format=%i");
        jobs.is_empty().then_some(())
    });
    assert!(records(&folder, "n1").is_empty());

    // Killed, it leaves its jobs, which the next one takes for its own.
    let mut child = cluster.whyslow(&env, &args).spawn().unwrap();
    wait_for("its jobs", running);
    kill(child.id() as i32, libc::SIGKILL);
    child.wait().unwrap();
    let said = File::create(env.path("said")).unwrap();
    let mut child = cluster.whyslow(&env, &args).stderr(said).spawn().unwrap();
    wait_for("it to go on", || {
        text(&env.path("said")).contains("going on").then_some(())
    });
    cluster.stop_controller();
    wait_for("it to miss the controller", || {
        text(&env.path("said")).contains("no answer").then_some(())
    });
    let mut controller = Command::new("slurmctld");
    let again = controller
        .env("SLURM_CONF", cluster.configuration())
        .output();
    assert!(again.unwrap().status.success());
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(0), "{}", text(&env.path("said")));
    assert!(text(&env.path("said")).contains("answers again"));
    for node in ["n1", "n2"] {
        assert_eq!(records(&folder, node).len(), 1, "{node}");
    }
    let jobs = cluster.ask("squeue --noheader --states=all --format=%i");
    assert_eq!(jobs.lines().count(), 4, "{jobs}");
}

#[test]
fn within_an_allocation_it_takes_steps() {
    let env = TestEnv::new();
    let Some(cluster) = Cluster::new(&env) else {
        return;
    };
    let own = env!("CARGO_BIN_EXE_whyslow");
    let args = format!("salloc --nodes=2 --quiet {own} fleet run f --in-allocation {SHORT}");
    let mut words = args.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    let command = command
        .args(words)
        .env("SLURM_CONF", cluster.configuration());
    let said = Said::of(command.current_dir(env.path(".")).output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("2 of 2 nodes measured"), "{said:?}");
    for node in ["n1", "n2"] {
        assert_eq!(records(&env.path("f"), node).len(), 1, "{node}");
    }
}
