//! Several figures of a side in one place: between strokes, behind each other, below each other.

use whyslow_import::{harmonize, import, phases, sided};
use whyslow_model::{Better, Record};

use crate::common::titled;

fn both(page: &str, names: [&str; 2]) -> [Record; 2] {
    sided(page.as_bytes(), "a page", names).unwrap().unwrap()
}

fn assert_rows(own: &[String], wanted: &[&str], page: &str) {
    let (mut own, mut wanted) = (own.to_vec(), wanted.to_vec());
    own.sort();
    wanted.sort_unstable();
    assert_eq!(own, wanted, "{page}");
}

fn rows(page: &str) -> Vec<String> {
    let found = import(page.as_bytes(), "a page", None).unwrap();
    assert_eq!(found.refused, 0, "{:?}", found.refusals);
    let mut rows: Vec<String> = found.systems.iter().flat_map(titled).collect();
    rows.sort();
    rows
}

#[test]
fn units_of_one_row_may_have_other_prefixes() {
    let page =
        "Setup A:\nBefore 625 Kpps\nAfter 3.125 Mpps\nSetup B:\nBefore 7.5 Kpps\nAfter 2.25 Mpps\n";
    let [a, mut b] = both(page, ["Before", "After"]);
    harmonize(&a, &mut b);
    assert_rows(
        &titled(&a),
        &["Setup A result: 625", "Setup B result: 7.5"],
        page,
    );
    assert_rows(
        &titled(&b),
        &["Setup A result: 3125", "Setup B result: 2250"],
        page,
    );
}

