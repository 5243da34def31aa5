//! `whyslow fleet run`: by launchers and by Kubernetes as they are played here, and what it refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use whyslow_model::record::End;
use whyslow_model::store;

use crate::confined::kill;
use crate::env::{Said, TestEnv, need, wait_for};
use crate::fleet::fleet;

/// A second of measuring.
const SHORT: &str = "-- --only os.null_call,os.read --rounds 2";

/// Measuring that is interrupted long before its end.
const LONG: &str = "-- --only os.* --rounds 200";

/// The program with arguments in which `QUOTED` is one word with blanks in it.
pub(crate) fn run(env: &TestEnv, args: &str, quoted: &str) -> Said {
    Said::of(command(env, args, quoted).output().unwrap())
}

pub(crate) fn command(env: &TestEnv, args: &str, quoted: &str) -> std::process::Command {
    let mut command = env.whyslow("");
    command.args(args.split_whitespace().map(|word| match word {
        "QUOTED" => quoted,
        word => word,
    }));
    command
}

/// A script that may be run.
pub(crate) fn script(path: &Path, text: &str) {
    // Under another name first: a file that is open for writing, here or in a child that another test forks just then,
    // cannot be run.
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&new, path).unwrap();
}

/// The records of a node, each whole.
pub(crate) fn records(folder: &Path, node: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(node)).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|kind| kind == "whyslow"))
        .collect();
    found.sort();
    for path in &found {
        let record = store::read(path).unwrap();
        assert_eq!(record.footer.unwrap().end, End::Complete, "{path:?}");
    }
    found
}

/// Everything below the folder of a node but records.
pub(crate) fn other(folder: &Path, node: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.join(node)).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with('.') || !name.ends_with(".whyslow"))
        .collect()
}

#[test]
fn by_a_launcher_each_node_is_measured_and_one_that_fails_costs_one() {
    let env = TestEnv::new();
    let folder = env.path("f");
    let args = format!("fleet run f --nodes a,b,c --width 2 --launcher QUOTED {SHORT}");
    let launcher = "test {node} != b || { echo no such host >&2; exit 255; }; {command}";
    let said = run(&env, &args, launcher);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out
            .contains("not measured: b: no such host\n2 of 3 nodes"),
        "{said:?}"
    );
    assert!(
        said.out.ends_with("next:   whyslow fleet report f\n"),
        "{said:?}"
    );
    let first = records(&folder, "a");
    assert_eq!((first.len(), records(&folder, "c").len()), (1, 1));
    assert!(records(&folder, "b").is_empty());
    let before = fs::metadata(&first[0]).unwrap().modified().unwrap();

    // The same again goes on with what is missing, and the next begins anew.
    let said = run(&env, &args, "echo welcome; {command}; : {node}");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains("2 of 3 nodes have their records"),
        "{said:?}"
    );
    assert_eq!(records(&folder, "b").len(), 1);
    assert_eq!(fs::metadata(&first[0]).unwrap().modified().unwrap(), before);
    let said = run(&env, &args, "{command}; : {node}");
    assert_eq!(said.code, Some(0), "{said:?}");
    for node in ["a", "b", "c"] {
        assert_eq!(records(&folder, node).len(), 2, "{node}");
        assert!(
            other(&folder, node).is_empty(),
            "{:?}",
            other(&folder, node)
        );
    }
    let report = env.run("fleet report f");
    assert!(report.out.starts_with("3 nodes"), "{report:?}");
}

#[test]
fn interrupted_it_ends_what_runs_and_is_gone_on_with() {
    let env = TestEnv::new();
    let folder = env.path("f");
    let args = format!("fleet run f --nodes a,b --launcher QUOTED {LONG}");
    let launcher = "echo $$ > pid-{node}; {command}; : end";
    let child = command(&env, &args, launcher).spawn().unwrap();
    let pids = ["a", "b"].map(|node| {
        wait_for("a job", || {
            let pid = fs::read_to_string(env.path(&format!("pid-{node}"))).ok()?;
            pid.trim().parse::<i32>().ok()
        })
    });
    let second = run(&env, &args, launcher);
    second.refuses(&["another `whyslow fleet run`"]);
    kill(child.id() as i32, libc::SIGINT);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.out.contains("not measured: a: canceled"), "{said:?}");
    for pid in pids {
        let state = fs::read_to_string(format!("/proc/{pid}/stat"));
        assert!(
            state.is_err() || state.unwrap().contains(") Z "),
            "{pid} lives"
        );
    }
    for node in ["a", "b"] {
        assert!(records(&folder, node).is_empty());
        assert!(
            other(&folder, node).is_empty(),
            "{:?}",
            other(&folder, node)
        );
    }
    // Other arguments would not go on with it.
    let short = format!("fleet run f --nodes a,b --launcher QUOTED {SHORT}");
    run(&env, &short, launcher).refuses(&["unfinished run", "--rounds 200", "--new"]);
    let said = run(&env, &short.replace("run f", "run f --new"), launcher);
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_node_that_takes_too_long_is_given_up() {
    let env = TestEnv::new();
    let args = format!("fleet run f --nodes a --timeout 1 --launcher QUOTED {LONG}");
    let said = run(&env, &args, "{command} # {node}");
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out
            .contains("not measured: a: not measured within 1 s"),
        "{said:?}"
    );
}

#[test]
fn several_records_of_a_node_are_of_one_job() {
    let env = TestEnv::new();
    let args = format!("fleet run f --nodes a --sessions 3 --launcher QUOTED {SHORT}");
    let said = run(&env, &args, "echo job >> jobs; {command} # {node}");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(records(&env.path("f"), "a").len(), 3);
    assert_eq!(fs::read_to_string(env.path("jobs")).unwrap(), "job\n");
}

#[test]
fn what_is_not_usable_is_refused_before_anything_is_made() {
    let env = TestEnv::new();
    for (args, words) in [
        (
            "--launcher x{node} --nodes a",
            &["--launcher", "{command}"][..],
        ),
        ("--launcher {node}{command}", &["--nodes"]),
        (
            "--launcher {node}{command} --nodes n[3-1]",
            &["--nodes", "n[3-1]"],
        ),
        (
            "--launcher {node}{command} --nodes ../a",
            &["--nodes", "../a"],
        ),
        ("--ssh=-oProxyCommand=x", &["-oProxyCommand=x"]),
        ("--slurm -- --output x", &["--output", "into the folder"]),
        ("--slurm -- --json", &["--json"]),
        ("--slurm -- --onyl x", &["--onyl", "whyslow run"]),
        ("--in-allocation", &["salloc"]),
        ("--slurm --binary nowhere", &["--binary nowhere"]),
        ("--slurm --confirm", &["no records"]),
    ] {
        let mut command = env.whyslow(&format!("fleet run f {args}"));
        let said = Said::of(command.env_remove("SLURM_JOB_NODELIST").output().unwrap());
        said.refuses(words);
        assert!(records(&env.path("f"), "a").is_empty());
    }
    // Without an engine, or with two, it is the command line that is wrong.
    for args in ["fleet run f", "fleet run f --slurm --ssh a"] {
        let said = env.run(args);
        assert_eq!(said.code, Some(2), "{said:?}");
    }
}

#[test]
fn suspects_are_measured_again_beside_ordinary_nodes() {
    let env = TestEnv::new();
    fleet(&env);
    let args = format!("fleet run fleet --confirm --launcher QUOTED {SHORT}");
    let launcher = "{command} # {node}";
    let dry = run(
        &env,
        &args.replace("--confirm", "--confirm --dry-run"),
        launcher,
    );
    assert_eq!(dry.code, Some(0), "{dry:?}");
    // The suspect and eight ordinary nodes, each with four records.
    assert_eq!(dry.out.lines().count(), 9, "{dry:?}");
    assert!(
        dry.out.contains("--send 4") && dry.out.contains("# n9\n"),
        "{dry:?}"
    );
    let args = args.replace("--confirm", "--confirm --sessions 1 --nodes n[0-8]");
    let said = run(&env, &args, launcher);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out.contains("not measured: n9: not among the nodes"),
        "{said:?}"
    );
    let said = run(&env, &args.replace("n[0-8]", "n[0-9]"), launcher);
    assert_eq!(said.code, Some(0), "{said:?}");
    let again = (0..10).filter(|node| records(&env.path("fleet"), &format!("n{node}")).len() == 2);
    assert_eq!(again.count(), 9);
}

/// ssh as far as a node is this machine: a shell gets the line, and the connection may be cut.
const SSH: &str =
    "#!/bin/sh\nwhile [ $1 != -- ]; do shift; done\necho $$ > ssh-$2\nexec sh -c \"$3\"\n";

#[test]
fn by_ssh_the_program_is_taken_along_and_ends_with_the_connection() {
    let env = TestEnv::new();
    fs::create_dir(env.path("bin")).unwrap();
    script(&env.path("bin/ssh"), SSH);
    fs::write(env.path("hosts"), "h1 # first\nh2\n").unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", env.path("bin").display());
    let ssh = |args: &str| {
        let mut command = env.whyslow(&format!("fleet run f --ssh {args}"));
        command.env("PATH", &path);
        command
    };
    let said = Said::of(ssh(&format!("hosts --copy {SHORT}")).output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    for node in ["h1", "h2"] {
        assert_eq!(records(&env.path("f"), node).len(), 1, "{node}");
    }
    // The copies are gone.
    let left = || fs::read_dir(env.path("tmp")).unwrap().count();
    assert_eq!(left(), 0);

    // Nothing goes on without the launch, however it ended.
    let mut child = ssh(&format!("h1 {LONG}")).spawn().unwrap();
    let measuring = || {
        let folders = fs::read_dir(env.path("tmp")).unwrap();
        let mut folders = folders.map(|folder| folder.unwrap().path().join("record.whyslow"));
        folders.any(|record| record.exists())
    };
    wait_for("the node to measure", || measuring().then_some(()));
    kill(child.id() as i32, libc::SIGKILL);
    child.wait().unwrap();
    wait_for("the node to end", || (left() == 0).then_some(()));
}

/// kubectl as far as `fleet run` uses it: a Job is run as soon as it is made, except on a node named `lost`.
const KUBECTL: &str = r#"#!/usr/bin/env python3
import json, os, re, subprocess, sys
words = [w for w in sys.argv[1:] if not w.startswith('--namespace')]
os.makedirs('cluster', exist_ok=True)
def job(name): return os.path.join('cluster', name)
if words[:2] == ['get', 'nodes']:
    node = lambda name, ready: {'metadata': {'name': name}, 'spec': {}, 'status': {'conditions': [
        {'type': 'Ready', 'status': ready, 'reason': 'KubeletDown'}]}}
    print(json.dumps({'items': [node('k1', 'True'), node('k2', 'False'), node('lost', 'True')]}))
elif words[:2] == ['get', 'job']:
    if os.path.exists(job(words[2])): print('job.batch/' + words[2])
elif words[0] == 'create':
    text = sys.stdin.read()
    name = re.search(r'^  name: (.*)$', text, re.M)[1]
    node = json.loads(re.search(r'whyslow/node: (.*)$', text, re.M)[1])
    command = [json.loads(w) for w in re.findall(r'^        - (".*")$', text, re.M)]
    run = subprocess.run(command, capture_output=True, text=True) if node != 'lost' else None
    state = {'node': node, 'ok': run and run.returncode == 0, 'log': run and run.stdout + run.stderr}
    json.dump(state, open(job(name), 'w'))
elif words[:2] in (['get', 'jobs'], ['get', 'pods']):
    items = []
    for name in os.listdir('cluster'):
        state = json.load(open(job(name)))
        kind = 'Complete' if state['ok'] else 'Failed'
        items.append({'metadata': {'name': name, 'annotations': {'whyslow/node': state['node']}},
            'status': {'conditions': [{'type': kind, 'status': 'True', 'reason': 'BackoffLimitExceeded'}]}})
    print(json.dumps({'items': items}))
elif words[0] == 'logs':
    print(json.load(open(job(words[1][4:])))['log'] or '')
elif words[0] == 'delete':
    os.path.exists(job(words[1][4:])) and os.remove(job(words[1][4:]))
else:
    sys.exit('unknown: ' + ' '.join(words))
"#;

#[test]
fn by_kubernetes_manifests_are_printed_or_applied_and_records_collected() {
    let python = std::process::Command::new("python3")
        .arg("--version")
        .output();
    if !need(python.is_ok(), "python3, which plays kubectl") {
        return;
    }
    let env = TestEnv::new();
    let own = env!("CARGO_BIN_EXE_whyslow");
    let args = format!("fleet run f --kubernetes image:1 --binary {own}");
    // Without a cluster, for nodes that are named.
    let said = env.run(&format!("{args} --dry-run --nodes k1,k2 {SHORT}"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.out.matches("kind: Job").count(), 2, "{said:?}");
    assert!(!env.path("f").exists());

    fs::create_dir(env.path("bin")).unwrap();
    script(&env.path("bin/kubectl"), KUBECTL);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", env.path("bin").display());
    let mut command = env.whyslow(&format!("{args} --apply {SHORT}"));
    let said = Said::of(command.env("PATH", path).output().unwrap());
    assert_eq!(said.code, Some(3), "{said:?}");
    for line in [
        "not measured: k2: not ready: KubeletDown",
        "not measured: lost: BackoffLimitExceeded",
        "1 of 3 nodes measured",
    ] {
        assert!(said.out.contains(line), "no '{line}' in {said:?}");
    }
    assert_eq!(records(&env.path("f"), "k1").len(), 1);
    // The Job that failed stays for a look at it.
    assert_eq!(fs::read_dir(env.path("cluster")).unwrap().count(), 1);
}
