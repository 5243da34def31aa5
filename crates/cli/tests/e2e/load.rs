//! `whyslow load`: commands that do well, and all the ways in which they do not.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use whyslow_model::Record;
use whyslow_model::record::{End, FailureKind, Outcome};
use whyslow_model::store;

use crate::confined::kill;
use crate::env::{Said, TestEnv, assert_complete, failures, measured, need, noted, wait_for};

/// Runs `load` with `args` and behind them the words of a command, none of them split.
fn load(env: &TestEnv, args: &str, command: &[&str]) -> Said {
    let mut whyslow = env.whyslow(&format!("load {args}"));
    Said::of(whyslow.arg("--").args(command).output().unwrap())
}

/// The record `name`, of a load that ended well.
fn loaded(env: &TestEnv, args: &str, command: &[&str]) -> Record {
    let said = load(env, &format!("{args} -o r"), command);
    assert_eq!(said.code, Some(0), "{said:?}");
    store::read(&env.path("r")).unwrap()
}

/// The values of `point`, in the order of the runs.
fn values(record: &Record, point: &str) -> Vec<f64> {
    let point = point.parse().unwrap();
    record
        .measured(&point)
        .map(|(_, draws)| draws[0].series[0].ns[0])
        .collect()
}

#[test]
fn levels_and_parameters_are_measured_as_points_like_any_other() {
    let env = TestEnv::new();
    let write = r#"printf '%s ' {j}{o} >>order"#;
    let record = loaded(
        &env,
        "-j 1,2 -L o=a,b --repeat 3 --warmup 1 --shell default --seed 1 --prepare true",
        &[write],
    );
    assert_complete(&record);
    assert!(record.host.is_some() && record.states.len() == 2 && record.neighbours.is_some());
    assert_eq!(record.footer.as_ref().unwrap().end, End::Complete);
    assert_eq!(measured(&record, "load.real{j=1,o=a,cmd=1}"), 3);
    assert_eq!(measured(&record, "load.shell"), 3);
    assert!(
        values(&record, "load.max_rss{j=2,o=b,cmd=1}")
            .iter()
            .all(|&b| b > 1e5)
    );

    // Four runs of warm-up, and three rounds with every variant once, not in one order.
    let order = fs::read_to_string(env.path("order")).unwrap();
    let order: Vec<&str> = order.split_whitespace().collect();
    let rounds: Vec<&[&str]> = order.chunks(4).collect();
    assert_eq!(rounds.len(), 4, "{order:?}");
    for round in &rounds {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, ["1a", "1b", "2a", "2b"]);
    }
    assert!(rounds.iter().any(|r| r != &rounds[0]), "{order:?}");

    let table = env.run("show r");
    for words in [
        "j=2 o=b",
        "peak memory",
        "SPEED-UP",
        "j=2 o=a",
        "shell's start",
    ] {
        assert!(table.out.contains(words), "no '{words}' in {}", table.out);
    }
    assert!(
        table.out.lines().all(|l| l.chars().count() <= 80),
        "{}",
        table.out
    );
    let csv = env.run("show r --format csv").out;
    assert!(csv.contains("\"load.user{j=2,o=a,cmd=1}\",point"), "{csv}");
    assert_eq!(env.shown("r").summary.points.len(), 4 * 9 + 1);
    env.run("run --resume r").refuses(&["r: ", "complete"]);
}

#[test]
fn copies_run_at_once() {
    let env = TestEnv::new();
    let record = loaded(&env, "-j 1,3 --repeat 3", &["sleep", "0.2"]);
    let (one, three) = (
        values(&record, "load.real{j=1,cmd=1}"),
        values(&record, "load.real{j=3,cmd=1}"),
    );
    assert!(
        three.iter().zip(&one).all(|(t, o)| *t < 2.5 * o),
        "{one:?} {three:?}"
    );
    let waits = |j| values(&record, &format!("load.minor_faults{{j={j},cmd=1}}"));
    assert!(waits(3).iter().zip(waits(1)).all(|(t, o)| *t > 2.5 * o));
    assert!(env.run("show r").out.contains("THROUGHPUT"));
}

#[test]
fn two_commands_go_there_and_back_and_are_compared() {
    let env = TestEnv::new();
    let against = [
        "load",
        "--repeat",
        "5",
        "-o",
        "r",
        "--against",
        "sleep 0.02",
        "--",
        "sleep",
        "0.2",
    ];
    let said = Said::of(env.whyslow("").args(against).output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("BEFORE AND AFTER"), "{said:?}");
    assert!(said.out.contains("2 takes less real time"), "{said:?}");
    let record = store::read(&env.path("r")).unwrap();
    assert_eq!(record.header.rounds, 6, "made even");
    let mut reals: Vec<_> = record
        .processes
        .iter()
        .filter(|p| p.point.probe == "load.real")
        .collect();
    reals.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
    for block in reals.chunks(4) {
        let commands: Vec<_> = block.iter().map(|p| p.point.get("cmd").unwrap()).collect();
        assert!(
            commands == ["1", "2", "2", "1"] || commands == ["2", "1", "1", "2"],
            "{commands:?}"
        );
    }
}

#[test]
fn a_command_that_fails() {
    let env = TestEnv::new();
    load(&env, "-o r", &["false"]).refuses(&["'false' ended with code 1", "--ignore-failure"]);
    load(&env, "-o r --shell default", &["nosuch"]).refuses(&["code 127", "could not start"]);
    load(&env, "-o r", &["sh", "-c", "kill -SEGV $$"]).refuses(&["signal 11"]);
    load(&env, "-o r --ignore-failure=3,4", &["false"]).refuses(&["code 1"]);
    assert!(!env.path("r").exists(), "an empty record stays behind");

    let record = loaded(&env, "--ignore-failure --repeat 2", &["false"]);
    assert_eq!(measured(&record, "load.real{cmd=1}"), 2);
    assert!(noted(&record, "load", "counts as a run"));
}

#[test]
fn a_command_that_fails_now_and_then() {
    let env = TestEnv::new();
    // The third run fails.
    let script = "echo >>runs; test $(wc -l <runs) != 3";
    let said = load(&env, "--repeat 5 -o r --shell default", &[script]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("1 of 5 runs failed"), "{said:?}");
    assert!(
        said.out.contains("peak memory"),
        "what was measured is shown: {said:?}"
    );
    let record = store::read(&env.path("r")).unwrap();
    assert_eq!(measured(&record, "load.real{cmd=1}"), 4);
    assert_eq!(failures(&record, FailureKind::Crashed).len(), 9);
    assert_eq!(record.footer.unwrap().end, End::Complete);
}

#[test]
fn a_command_that_is_not_there() {
    let env = TestEnv::new();
    load(&env, "-o r", &["no-such-program"]).refuses(&["no-such-program", "PATH"]);
    load(&env, "-o r", &["./no-such-program"]).refuses(&["./no-such-program"]);
    load(&env, "-o r", &["sleep 1"]).refuses(&["'sleep 1'", "--shell default"]);
    load(&env, "-o r", &["/"]).refuses(&["/", "ermission"]);
    fs::write(env.path("script"), "#!/no/such/interpreter\n").unwrap();
    Command::new("chmod")
        .arg("755")
        .arg(env.path("script"))
        .status()
        .unwrap();
    load(&env, "-o r", &["./script"]).refuses(&["./script", "interpreter"]);
    load(&env, "-o r --input missing", &["cat"]).refuses(&["missing", "No such file"]);
    load(&env, "-o r --against no-such-program --repeat 2", &["true"])
        .refuses(&["no-such-program"]);
    load(&env, "-o r --prepare false", &["true"]).refuses(&["--prepare", "'false'", "code 1"]);
}

/// Whether a process runs `sleep` for just so long.
fn sleeps(seconds: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line == format!("sleep\0{seconds}\0").as_bytes()
    })
}

#[test]
fn a_command_that_hangs_goes_with_its_children() {
    let env = TestEnv::new();
    let seconds = format!("1{}.5", std::process::id());
    let script = format!("trap '' TERM; sleep {seconds} & sleep {seconds}");
    load(&env, "--timeout 0.3 -o r", &["sh", "-c", &script])
        .refuses(&["still running after 0.3 s", "--timeout"]);
    wait_for("its children to go", || (!sleeps(&seconds)).then_some(()));
    assert!(!env.path("r").exists());

    // Later than the first run it costs the run alone.
    let script = format!("echo >>runs; test $(wc -l <runs) != 2 || sleep {seconds}");
    let said = load(
        &env,
        "--timeout 2 --repeat 3 -o r --shell default",
        &[&script],
    );
    assert_eq!(said.code, Some(2), "{said:?}");
    let record = store::read(&env.path("r")).unwrap();
    assert_eq!(failures(&record, FailureKind::Hung).len(), 9);
    assert_eq!(measured(&record, "load.real{cmd=1}"), 2);
}

#[test]
fn a_command_that_removes_or_changes_its_own_folder() {
    let env = TestEnv::new();
    let folder = env.path("sub");
    let run = |script: &str| -> Said {
        let _ = fs::create_dir(&folder);
        let mut whyslow = env.whyslow("load --repeat 3 --shell default --");
        Said::of(whyslow.arg(script).current_dir(&folder).output().unwrap())
    };
    let record_of = |said: &Said| -> Record {
        let line = said
            .out
            .lines()
            .rfind(|l| l.starts_with("record: "))
            .unwrap();
        store::read(&folder.join(line.trim_start_matches("record: "))).unwrap()
    };
    let path = folder.display();

    // It changes into another one: no other run is touched by that.
    let said = run("cd / && pwd");
    assert_eq!(said.code, Some(0), "{said:?}");

    // It is replaced: the next run begins in the new one.
    let said = run(&format!(
        "pwd; test -e here && echo again >>{path}.seen; rm -r {path}; mkdir {path}; touch {path}/here"
    ));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(measured(&record_of(&said), "load.real{cmd=1}"), 3);
    assert_eq!(
        fs::read_to_string(env.path("sub.seen")).unwrap(),
        "again\nagain\n"
    );

    // It is gone: what was measured is kept, elsewhere.
    let said = run(&format!("rm -r {path}"));
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("is gone"), "{said:?}");
    let record = record_of(&said);
    assert_eq!(measured(&record, "load.real{cmd=1}"), 1);
    assert_eq!(record.footer.unwrap().end, End::Interrupted);
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    stopped_by(libc::SIGINT);
}

#[test]
fn so_does_a_closed_terminal() {
    stopped_by(libc::SIGHUP);
}

fn stopped_by(signal: i32) {
    let env = TestEnv::new();
    // The signal makes the length, by which its processes are found, differ from that of other tests.
    let seconds = format!("0.05{}{signal}", std::process::id());
    let mut whyslow = env.whyslow("load --repeat 9999 --json -o r");
    let command = ["--cleanup", "touch cleaned", "--", "sleep", &seconds];
    let runner = whyslow.args(command).spawn().unwrap();
    wait_for("three runs", || {
        let record = store::read(&env.path("r")).ok()?;
        (measured(&record, "load.real{cmd=1}") >= 3).then_some(())
    });
    kill(runner.id() as i32, signal);
    let said = Said::of(runner.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    let record = said.json().record;
    assert_eq!(record.footer.as_ref().unwrap().end, End::Interrupted);
    assert!(measured(&record, "load.real{cmd=1}") >= 3);
    assert!(
        !record
            .processes
            .iter()
            .any(|p| matches!(p.outcome, Outcome::Failed(_)))
    );
    assert_eq!(env.shown("r").record, record);
    assert!(!sleeps(&seconds) && env.path("cleaned").exists());
    env.run("run --resume r")
        .refuses(&["whyslow load", "start a new one"]);
}

#[test]
fn nothing_is_overwritten_and_usage_is_told() {
    let env = TestEnv::new();
    fs::write(env.path("precious"), "precious").unwrap();
    load(&env, "-o precious", &["true"]).refuses(&["precious", "exists already"]);
    assert_eq!(fs::read(env.path("precious")).unwrap(), b"precious");
    load(&env, "-o r", &["make", "-j{j}"]).refuses(&["{j}", "-j 1,2,4"]);
    load(&env, "-o r -L x=1,2", &["true"]).refuses(&["'x'", "nowhere"]);
    load(&env, "-o r -L x", &["true", "{x}"]).refuses(&["NAME=a,b,c"]);
    load(&env, "-o r --against a|b", &["true"]).refuses(&["a|b", "--shell default"]);
    load(&env, "-o r --ignore-failure=x", &["true"]).refuses(&["--ignore-failure"]);
    for args in [
        "load",
        "load -j 0 -- true",
        "load --timeout 0 -- true",
        "load --repeat 0 -- true",
    ] {
        assert_eq!(env.run(args).code, Some(2), "{args}");
    }
}

#[test]
fn input_and_output_go_where_they_are_told() {
    let env = TestEnv::new();
    fs::write(env.path("in"), "x".repeat(300_000)).unwrap();
    let record = loaded(&env, "--repeat 2 --input in --output out", &["cat"]);
    assert_eq!(measured(&record, "load.real{cmd=1}"), 2);
    assert_eq!(fs::read(env.path("out")).unwrap().len(), 300_000);
    let said = load(&env, "--repeat 2 --output pipe --input in -o p", &["cat"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = load(&env, "--repeat 2 --output inherit -o i", &["echo", "hello"]);
    assert_eq!(
        said.out.matches("hello\n").count(),
        2 + 1,
        "twice, and in the table: {said:?}"
    );
}

/// GNU time reads the same counters: what does not depend on the moment must be equal.
#[test]
fn agrees_with_gnu_time() {
    let time = Path::new("/usr/bin/time");
    if !need(time.exists(), "GNU time in /usr/bin/time") {
        return;
    }
    let env = TestEnv::new();
    // A child of the shell's does the work: 30 MB in one read. (What a pipe passes on at once, and
    // with it the memory of its reader, would depend on the moment.)
    let script = "dd if=/dev/zero of=/dev/null bs=30000000 count=1 status=none; true";
    let record = loaded(&env, "--repeat 3 --shell default", &[script]);
    let theirs: Output = Command::new(time)
        .args(["-f", "%M %R", "sh", "-c", script])
        .stdout(std::process::Stdio::null())
        .output()
        .unwrap();
    let theirs = String::from_utf8(theirs.stderr).unwrap();
    let theirs: Vec<f64> = theirs
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    for (probe, theirs) in [("max_rss", theirs[0] * 1024.0), ("minor_faults", theirs[1])] {
        for ours in values(&record, &format!("load.{probe}{{cmd=1}}")) {
            assert!(
                (ours / theirs - 1.0).abs() < 0.05,
                "{probe}: {ours} against {theirs}"
            );
        }
    }
    let [real, user, system, cpu] = ["real", "user", "system", "cpu"]
        .map(|name| values(&record, &format!("load.{name}{{cmd=1}}"))[0]);
    assert!(((user + system) / real - cpu).abs() < 1e-9);
    assert!(user + system > 1e6 && cpu < 2.5);
}

#[test]
fn the_best_level_is_said_in_a_sentence() {
    let env = TestEnv::new();
    let sentence = |args: &str| {
        let said = env.run(&format!("load -j 1..2 -r 4 -- {args}"));
        assert_eq!(said.code, Some(0), "{said:?}");
        // Lines are broken anywhere.
        said.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // A level that waits for longer gains nothing.
    let slower = sentence("sleep 0.{j}");
    let none = "No level is shown to be faster than -j 1; the CPUs are not what limits it: ";
    assert!(slower.contains(none), "{slower}");
    // Two at once wait no longer than one.
    let twice = sentence("sleep 0.2");
    for part in [
        " 2 at once do ",
        " times the work of 1 [",
        "]; -j 2 is best;",
    ] {
        assert!(twice.contains(part), "no {part:?} in {twice}");
    }
    let said = env.run("load -j 4..1 -- true");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("4..1") && said.err.contains("1..4"),
        "{said:?}"
    );
}
