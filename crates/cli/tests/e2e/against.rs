//! A run against a record: measured on only where the difference is open, compared at its end.

use std::fs;

use whyslow_model::comparison::Comparison;
use whyslow_model::record::End;
use whyslow_model::store;

use crate::env::{TestEnv, measured, noted};

#[test]
fn a_run_against_a_record_ends_as_their_comparison() {
    let env = TestEnv::new();
    env.run("run --only os.null_call,os.read --rounds 12 -o a --json")
        .document();
    let said = env.run("run --against a --only os.null_call,os.read -o b");
    let compared = env.run("compare a b --only os.null_call,os.read");
    // Alike, or open; on a busy machine the two runs may really differ.
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{said:?}");
    assert_eq!(said.code, compared.code, "{said:?} {compared:?}");
    assert!(said.out.starts_with(&compared.out), "{said:?} {compared:?}");
    for word in ["looks at 5, 10 and 12 processes", "saved: ", "record: b"] {
        assert!(said.out.contains(word), "no '{word}' in {said:?}");
    }
    let [a, b] = ["a", "b"].map(|name| store::read(&env.path(name)).unwrap());
    assert_eq!(b.header.against, a.footer.as_ref().unwrap().hash);
    assert_eq!(b.footer.as_ref().unwrap().end, End::Complete);
    assert_eq!(b.plan.points.len(), a.plan.points.len());
    assert!(noted(&b, "against", "after 5 processes a point"));
    for planned in &b.plan.points {
        let point = planned.point.to_string();
        assert!([5, 10, 12].contains(&measured(&b, &point)), "{point}");
    }
}

#[test]
fn points_of_the_record_alone_are_measured() {
    let env = TestEnv::new();
    env.run("run --only os.read --rounds 1 -o a --json")
        .document();
    let said = env.run("run --against a --json -o b");
    // A single value of A has no test.
    assert_eq!(said.code, Some(3), "{said:?}");
    let found: Comparison = serde_json::from_str(&said.out).unwrap();
    let [a, b] = ["a", "b"].map(|name| store::read(&env.path(name)).unwrap());
    assert_eq!(b.header.only, "os.read");
    assert_eq!(found.points.len(), a.plan.points.len());
    assert_eq!(b.plan.points.len(), a.plan.points.len());
    for planned in &b.plan.points {
        assert_eq!(measured(&b, &planned.point.to_string()), 5);
    }
    // All that A has, although the globs select more.
    env.run("run --against a --only os.* -o c");
    let c = store::read(&env.path("c")).unwrap();
    assert_eq!(c.plan.points, b.plan.points);
}

#[test]
fn what_cannot_go_together_is_refused() {
    let env = TestEnv::new();
    env.run("run --only os.null_call --rounds 1 -o a --json")
        .document();
    env.run("run --against a --resume a")
        .refuses(&["--against", "--resume"]);
    for rounds in [4, 21] {
        env.run(&format!("run --against a --rounds {rounds} -o b"))
            .refuses(&["--rounds", "5 to 20"]);
    }
    env.run("run --against a --only os.stat -o b")
        .refuses(&["os.stat", "selects nothing", "a"]);
    fs::write(env.path("text"), "no record").unwrap();
    env.run("run --against text -o b").refuses(&["text: "]);
    env.run("run --against none -o b").refuses(&["none: "]);
    assert!(!env.path("b").exists());
}
