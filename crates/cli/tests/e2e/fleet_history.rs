//! `whyslow fleet history`: one node over time, from record files.

use serde_json::Value;
use whyslow_model::store;

use crate::env::TestEnv;
use crate::fleet::write;
use crate::schema::errors;

/// Twenty records of two nodes, hour by hour, of which the first becomes slower in system calls by 30 % with the twelfth.
fn nodes(env: &TestEnv) {
    let ran =
        env.run("run --only os.null_call,os.read,os.write,proc.fork --rounds 2 -o one.whyslow");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut record = store::read(&env.path("one.whyslow")).unwrap();
    for node in [1, 2] {
        for hour in 0..20_u32 {
            record.header.started = format!("2026-01-01T{hour:02}:00:00Z");
            let path = env.path(&format!("fleet/n{node}/{hour:02}.whyslow"));
            write(&record, &path, |probe, round| {
                let letters: u32 = probe.bytes().map(u32::from).sum();
                let mut chance = node * 7919 + letters * 31 + round * 613 + hour * 104_729;
                chance = chance.wrapping_mul(2_654_435_761) >> 16;
                let slow = node == 1 && hour >= 12 && probe.starts_with("os.");
                (1.0 + f64::from(chance % 100) / 5_000.0) * if slow { 1.3 } else { 1.0 }
            });
        }
    }
}

#[test]
fn a_step_is_shown_with_its_time_and_a_node_without_one_has_none() {
    let env = TestEnv::new();
    nodes(&env);
    let said = env.run("fleet history fleet n1 --format json");
    assert_eq!(said.code, Some(1), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(errors("history", &document), Vec::<String>::new());
    let series = document["series"].as_array().unwrap();
    let calls = series.iter().find(|s| s["name"] == "system calls").unwrap();
    let [step] = &calls["steps"].as_array().unwrap()[..] else {
        panic!("{calls:#}");
    };
    assert_eq!(step["before"], "2026-01-01T12:00:00Z");
    let longer = step["times_longer"].as_f64().unwrap();
    assert!((longer - 1.3).abs() < 0.03, "{step}");
    assert_eq!(calls["values"].as_array().unwrap().len(), 20);

    let said = env.run("fleet history fleet n1 --html n1.html");
    let page = std::fs::read_to_string(env.path("n1.html")).unwrap();
    assert!(page.matches("<svg class=\"chart\"").count() >= 2 && page.contains("2026-01-01 12:00"));
    let unwrapped: Vec<&str> = said.out.split_whitespace().collect();
    for text in [
        "n1: 20 records from 2026-01-01 00:00",
        "between 2026-01-01 11:00 and 2026-01-01 12:00",
    ] {
        assert!(unwrapped.join(" ").contains(text), "{text}: {said:?}");
    }
    let said = env.run("fleet history fleet n1 --point os.read --index other.db");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("os.read"), "{said:?}");

    let said = env.run("fleet history fleet n2");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("no step is shown"), "{said:?}");
}

#[test]
fn what_is_not_there_is_one_line() {
    let env = TestEnv::new();
    nodes(&env);
    for (args, wanted) in [
        (
            "fleet history fleet n3",
            &["no records of n3", "n1, n2"][..],
        ),
        (
            "fleet history fleet n1 --point net.*",
            &["--point", "net.*"],
        ),
        ("fleet history nowhere n1", &["no folder"][..]),
    ] {
        env.run(args).refuses(wanted);
    }
}
