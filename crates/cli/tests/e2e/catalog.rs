//! Where a machine stands among those of the catalog, and without them.

use std::fs;

use crate::env::TestEnv;

const MACHINE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../catalog/amd-e-450-asus-u32u.txt"
);

#[test]
fn a_page_names_the_machines_of_the_catalog_unless_told_not_to() {
    let env = TestEnv::new();
    for (option, named) in [("", true), (" --no-catalog", false)] {
        let said = env.run(&format!("explain {MACHINE} --html page.html{option}"));
        assert_eq!(said.code, Some(0), "{said:?}");
        let page = fs::read_to_string(env.path("page.html")).unwrap();
        assert_eq!(page.contains("percentile of"), named, "{option}");
    }
    let said = env.run(&format!("explain {MACHINE} --no-catalog"));
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--html"), "{said:?}");
}
