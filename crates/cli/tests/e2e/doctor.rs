//! The doctor on this host, whatever it is like.

use serde_json::Value;

use crate::env::TestEnv;

#[test]
fn what_the_doctor_finds_decides_the_exit_code() {
    let env = TestEnv::new();
    let said = env.run("doctor --format json");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let errors = crate::schema::errors("doctor", &document);
    assert!(errors.is_empty(), "{errors:#?}");
    let checks = document["checks"].as_array().unwrap();
    let wrong = |c: &&Value| matches!(c["found"]["is"].as_str(), Some("spoils" | "limits"));
    let troubles = checks.iter().filter(wrong).count();
    assert_eq!(said.code, Some(i32::from(troubles > 0)), "{said:?}");
    assert!(checks.len() > 10, "{document:#}");

    // A variable that steers the loader is found, wherever this runs.
    let mut command = env.whyslow("doctor");
    let found = command
        .env("GLIBC_TUNABLES", "glibc.malloc.check=0")
        .output()
        .unwrap();
    let found = crate::env::Said::of(found);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.out.contains("unset GLIBC_TUNABLES"), "{found:?}");
}
