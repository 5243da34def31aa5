//! `whyslow fleet`: a folder of records to verdicts, files for others, and exit codes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use whyslow_model::Record;
use whyslow_model::host::{Known, Limit};
use whyslow_model::record::{End, Line, Outcome};
use whyslow_model::store::{self, Journal};

use crate::env::TestEnv;
use crate::schema::errors;

/// Writes `record` with every time longer by `times` of the point.
pub(crate) fn write(record: &Record, path: &Path, times: impl Fn(&str, u32) -> f64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut journal = Journal::in_memory(path);
    let mut add = |line: Line| journal.add(&line).unwrap();
    add(Line::Header(record.header.clone()));
    add(Line::Host(record.host.clone().unwrap()));
    for state in &record.states {
        add(Line::State(Box::new(state.clone())));
    }
    add(Line::Plan(record.plan.clone()));
    for process in &record.processes {
        let mut process = process.clone();
        let times = times(&process.point.probe, process.round);
        if let Outcome::Draws(draws) = &mut process.outcome {
            let series = draws.iter_mut().flat_map(|draw| &mut draw.series);
            series.flat_map(|s| &mut s.ns).for_each(|ns| *ns *= times);
        }
        add(Line::Process(Box::new(process)));
    }
    let finished = record.header.started.clone();
    journal.close(End::Complete, finished, &[]).unwrap();
}

/// A fleet of ten nodes made from one measured record, of which the last is twice as slow in system calls.
pub(crate) fn fleet(env: &TestEnv) {
    let only = "os.null_call,os.read,os.write,proc.fork,proc.exec,cpu.arith";
    let ran = env.run(&format!("run --only {only} --rounds 2 -o one.whyslow"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let record = store::read(&env.path("one.whyslow")).unwrap();
    for node in 0..10_u32 {
        let path = env.path(&format!("fleet/n{node}/1.whyslow"));
        write(&record, &path, |probe, round| {
            let letters: u32 = probe.bytes().map(u32::from).sum();
            let chance = (node * 7919 + letters * 31 + round * 613) % 100;
            let slow = node == 9 && probe.starts_with("os.");
            (1.0 + f64::from(chance) / 5_000.0) * if slow { 2.0 } else { 1.0 }
        });
    }
}

#[test]
fn a_slow_node_ends_with_one_and_goes_into_every_file() {
    let env = TestEnv::new();
    fleet(&env);
    let said =
        env.run("fleet report fleet --format json --html f.html --metrics f.prom --health f.sh");
    assert_eq!(said.code, Some(1), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(errors("fleet", &document), Vec::<String>::new());
    assert_eq!(document["nodes"][0]["node"], "n9");
    assert_eq!(
        document["nodes"][0]["families"][0]["family"],
        "system calls"
    );
    assert_eq!(document["counts"]["slow"], 1);
    assert_eq!(document["nodes"][0]["why"]["record"], "n9/1.whyslow");
    assert!(env.path("fleet/.whyslow-index.db").exists());
    let text = |name: &str| fs::read_to_string(env.path(name)).unwrap();
    assert!(text("f.html").contains("n9"));
    assert!(text("f.prom").contains("{node=\"n9\"") && text("f.prom").ends_with("# EOF\n"));
    // The script answers for each node by itself.
    for (node, code) in [("n9", 1), ("elsewhere", 3)] {
        let mut sh = std::process::Command::new("sh");
        let ran = sh.arg(env.path("f.sh")).arg(node).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{node}: {ran:?}");
    }
    // Once more from the index, and without it: the same to the byte.
    let again = env.run("fleet report fleet --format json");
    assert_eq!(again.out, said.out);
    let elsewhere = env.run("fleet report fleet --format json --index other.db");
    assert_eq!(elsewhere.out, said.out);
}

#[test]
fn a_setting_of_one_node_makes_a_suspect_and_no_verdict() {
    let env = TestEnv::new();
    fleet(&env);
    fs::remove_dir_all(env.path("fleet/n9")).unwrap();
    let mut record = store::read(&env.path("fleet/n4/1.whyslow")).unwrap();
    record.states[0].state.cgroup.cpu_quota = Known::Is(Limit::At(0.5));
    // A record is never written over another.
    fs::remove_file(env.path("fleet/n4/1.whyslow")).unwrap();
    write(&record, &env.path("fleet/n4/1.whyslow"), |_, _| 1.0);
    let said = env.run("fleet report fleet --format json");
    assert_eq!(said.code, Some(0), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(errors("fleet", &document), Vec::<String>::new());
    let suspects = document["again"]["suspects"].as_array().unwrap();
    assert!(suspects.contains(&Value::from("n4")), "{suspects:?}");
    let nodes = document["nodes"].as_array().unwrap();
    for node in nodes {
        let odd = node["odd"].as_array();
        let odd: Vec<&str> = odd
            .iter()
            .flat_map(|odd| odd.iter())
            .map(|fact| fact["name"].as_str().unwrap())
            .collect();
        let wanted: &[&str] = if node["node"] == "n4" {
            &["cgroup.cpu_quota"]
        } else {
            &[]
        };
        assert_eq!(odd, wanted, "{node:#}");
    }
    let said = env.run("fleet report fleet --html f.html");
    let unwrapped: Vec<&str> = said.out.split_whitespace().collect();
    // What the others have is up to where the test runs.
    for text in [
        "n4 cgroup.cpu_quota 0.5, on 8 others",
        ": a limit on CPU time (quota)",
    ] {
        assert!(unwrapped.join(" ").contains(text), "{text}: {said:?}");
    }
    assert!(
        fs::read_to_string(env.path("f.html"))
            .unwrap()
            .contains("cgroup.cpu_quota")
    );
}

#[test]
fn values_are_told_one_by_one() {
    let env = TestEnv::new();
    fleet(&env);
    let said = env.run("fleet report fleet --format csv");
    assert_eq!(said.code, Some(0), "{said:?}");
    let lines: Vec<Vec<&str>> = said
        .out
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(
        lines[0],
        [
            "node", "group", "record", "started", "family", "point", "log"
        ]
    );
    let value = |node: &str, point: &str| -> f64 {
        let own = |line: &&Vec<&str>| line[0] == node && line[line.len() - 2] == point;
        let line = lines.iter().find(own).unwrap();
        assert_eq!(
            (line[2], line[4]),
            (format!("{node}/1.whyslow").as_str(), "system calls")
        );
        line[6].parse().unwrap()
    };
    let longer = (value("n9", "os.read") - value("n1", "os.read")).exp();
    assert!((1.9..2.1).contains(&longer), "{longer}");
    let nodes = lines
        .iter()
        .filter(|line| line[line.len() - 2] == "os.read");
    assert_eq!(nodes.count(), 10);
}

#[test]
fn slurm_is_told_only_when_asked() {
    let env = TestEnv::new();
    fleet(&env);
    // Keeps what it was called with.
    let fake = "#!/bin/sh\nprintf '%s\\n' \"$@\" >> called\n";
    fs::create_dir(env.path("bin")).unwrap();
    fs::write(env.path("bin/scontrol"), fake).unwrap();
    fs::set_permissions(env.path("bin/scontrol"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        env.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let run = |args: &str| env.whyslow(args).env("PATH", &path).output().unwrap();
    let printed = run("fleet report fleet --format drain");
    assert_eq!(printed.status.code(), Some(1), "{printed:?}");
    let line = String::from_utf8(printed.stdout).unwrap();
    assert!(
        line.starts_with("scontrol update nodename=n9 state=drain 'reason=whyslow: system calls"),
        "{line}"
    );
    assert!(!env.path("called").exists());
    let drained = run("fleet report fleet --drain");
    assert_eq!(drained.status.code(), Some(1), "{drained:?}");
    let called = fs::read_to_string(env.path("called")).unwrap();
    let words: Vec<&str> = called.lines().collect();
    assert_eq!(words[..3], ["update", "nodename=n9", "state=drain"]);
    assert!(words[3].starts_with("reason=whyslow: "), "{words:?}");
}

#[test]
fn without_a_slow_node_it_ends_with_zero_and_bad_input_is_one_line() {
    let env = TestEnv::new();
    fleet(&env);
    fs::remove_dir_all(env.path("fleet/n9")).unwrap();
    let said = env.run("fleet report fleet");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("9 nodes"), "{said:?}");
    fs::create_dir(env.path("empty")).unwrap();
    for (args, wanted) in [
        ("fleet report nowhere", "no folder"),
        ("fleet report empty", "no records"),
        ("fleet report fleet --margin 0", "--margin"),
        ("fleet report fleet --within -1", "--within"),
        ("fleet report fleet --format csv --drain", "--format csv"),
        ("fleet report fleet --index one.whyslow", "one.whyslow"),
    ] {
        let said = env.run(args);
        assert_eq!(said.code, Some(2), "{args}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{args}: {said:?}");
        assert!(said.err.contains(wanted), "{args}: {said:?}");
    }
}
