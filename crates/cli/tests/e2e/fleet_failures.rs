//! `whyslow fleet` where its store fails: a full disk, a damaged index, records in the making, two at a time.

use std::fs;
use std::os::unix::fs::FileExt;

use whyslow_model::record::{End, Line};
use whyslow_model::store::{self, Journal};

use crate::env::{Said, TestEnv, may_mount, need};
use crate::fleet::fleet;

/// Reports all nodes as JSON, by the index in the folder.
const REPORT: &str = "fleet report fleet --format json";

#[test]
fn a_full_disk_costs_the_index_and_not_the_report() {
    let env = TestEnv::new();
    fleet(&env);
    let whole = env.run(REPORT);
    assert_eq!(whole.code, Some(1), "{whole:?}");
    fs::remove_file(env.path("fleet/.whyslow-index.db")).unwrap();
    // A file may not grow beyond 8 KiB, which a database has with its first tables.
    let limited = |args: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 16; exec \"$0\" {args}");
        let mut sh = std::process::Command::new("sh");
        sh.args(["-c", &script, env!("CARGO_BIN_EXE_whyslow")]);
        Said::of(sh.current_dir(env.path(".")).output().unwrap())
    };
    let said = limited(REPORT);
    assert_eq!((said.code, &said.out), (whole.code, &whole.out), "{said:?}");
    assert!(said.err.contains("no index is kept"), "{said:?}");
    limited("fleet index fleet").refuses(&[".whyslow-index.db"]);
    limited("fleet index fleet --index named.db").refuses(&["named.db", "--index"]);
    limited(&format!("{REPORT} --index named.db")).refuses(&["named.db", "--index"]);
    // With room again, it goes on with what is there.
    let said = env.run(&format!("{REPORT} --index named.db"));
    assert_eq!((said.code, said.out), (whole.code, whole.out));
}

#[test]
fn a_full_file_system_is_one_line() {
    if !need(may_mount(), "a mount namespace") {
        return;
    }
    let env = TestEnv::new();
    fleet(&env);
    fs::create_dir(env.path("small")).unwrap();
    let script =
        "mount -t tmpfs -o size=32k none small && \"$0\" fleet index fleet --index small/index.db";
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_whyslow")]);
    let said = Said::of(unshare.current_dir(env.path(".")).output().unwrap());
    said.refuses(&["small/index.db", "full", "--index"]);
}

#[test]
fn an_index_that_is_damaged_is_made_again_if_it_is_ours() {
    let env = TestEnv::new();
    fleet(&env);
    let whole = env.run(REPORT);
    let index = env.path("fleet/.whyslow-index.db");
    let open = || fs::File::options().write(true).open(&index).unwrap();
    let size = fs::metadata(&index).unwrap().len();
    // All but the first page, which has the mark; and an end that is missing.
    type Damage<'d> = &'d dyn Fn();
    let damages: [(&str, Damage<'_>); 2] = [
        ("overwritten", &|| {
            let noise = vec![0xa5; size as usize - 4096];
            open().write_all_at(&noise, 4096).unwrap();
        }),
        ("cut off", &|| open().set_len(4096).unwrap()),
    ];
    for (how, damage) in damages {
        damage();
        let said = env.run(REPORT);
        assert_eq!(
            (said.code, &said.out),
            (whole.code, &whole.out),
            "{how}: {said:?}"
        );
        assert!(
            said.err.contains("is damaged, and is made again"),
            "{how}: {said:?}"
        );
        assert_eq!(said.err.lines().count(), 1, "{how}: {said:?}");
        let said = env.run(REPORT);
        assert_eq!((said.code, said.err.as_str()), (whole.code, ""), "{how}");
    }
    // Of what has no mark nothing is known: it stays.
    let theirs = vec![0x5a; 8192];
    fs::write(env.path("theirs.db"), &theirs).unwrap();
    for command in ["index", "report"] {
        let said = env.run(&format!("fleet {command} fleet --index theirs.db"));
        said.refuses(&["theirs.db", "--index"]);
    }
    assert_eq!(fs::read(env.path("theirs.db")).unwrap(), theirs);
}

#[test]
fn two_at_once_tell_the_same() {
    let env = TestEnv::new();
    fleet(&env);
    let whole = env.run(&format!("{REPORT} --index other.db"));
    for _ in 0..3 {
        // Neither finds an index; and then one is made again while another reads.
        let _ = fs::remove_file(env.path("fleet/.whyslow-index.db"));
        for second in [REPORT, "fleet index fleet --rebuild"] {
            let both = [REPORT, second].map(|args| env.whyslow(args).spawn().unwrap());
            let [first, second_said] =
                both.map(|child| Said::of(child.wait_with_output().unwrap()));
            assert_eq!(
                (first.code, &first.out),
                (whole.code, &whole.out),
                "{first:?}"
            );
            assert_eq!(first.err, "", "{first:?}");
            match second == REPORT {
                true => assert_eq!(
                    (second_said.code, &second_said.out),
                    (whole.code, &whole.out)
                ),
                false => assert_eq!(second_said.code, Some(0), "{second_said:?}"),
            }
        }
    }
}

#[test]
fn a_record_that_is_being_written_counts_once_it_is_closed() {
    let env = TestEnv::new();
    fleet(&env);
    let whole = env.run("fleet report fleet");
    let record = store::read(&env.path("one.whyslow")).unwrap();
    let mut journal = Journal::create(&env.path("fleet/n3/2.whyslow")).unwrap();
    let mut header = record.header.clone();
    header.started = "2099-01-01T00:00:00Z".to_owned();
    let mut lines = vec![
        Line::Header(header),
        Line::Host(record.host.clone().unwrap()),
    ];
    lines.push(Line::Plan(record.plan.clone()));
    let processes = record.processes.iter().cloned();
    lines.extend(processes.map(|process| Line::Process(Box::new(process))));
    // The newest record of its node, without a host at first, and then with some of its points.
    for line in &lines {
        journal.add(line).unwrap();
        if matches!(line, Line::Header(_) | Line::Plan(_)) {
            let said = env.run("fleet report fleet");
            assert_eq!(said.code, whole.code, "{said:?}");
            assert!(said.out.contains("2.whyslow: is being written"), "{said:?}");
            let answer = |said: &Said| said.out.lines().take(4).collect::<Vec<_>>().join(" ");
            assert_eq!(answer(&said), answer(&whole));
        }
    }
    let closed = "2099-01-01T00:01:00Z".to_owned();
    journal.close(End::Complete, closed, &[]).unwrap();
    let said = env.run("fleet index fleet");
    assert!(
        said.out.starts_with("11 records, of which 1 were read"),
        "{said:?}"
    );
    let said = env.run("fleet report fleet --format json");
    assert!(!said.out.contains("is being written"), "{said:?}");
    assert!(
        said.out.contains("\"newest\": \"2099-01-01T00:00:00Z\""),
        "{said:?}"
    );
}

#[test]
fn a_folder_without_records_is_no_fleet() {
    let env = TestEnv::new();
    fs::create_dir_all(env.path("fleet/n1")).unwrap();
    fs::write(env.path("fleet/n1/notes.txt"), "none").unwrap();
    let said = env.run("fleet index fleet");
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "0 records, of which 0 were read and 0 are gone\n")
    );
    env.run("fleet report fleet")
        .refuses(&["fleet has no records", "FOLDER/NODE/TIME.whyslow"]);
    env.run("fleet history fleet n1")
        .refuses(&["fleet has no records", "FOLDER/NODE/TIME.whyslow"]);
}
