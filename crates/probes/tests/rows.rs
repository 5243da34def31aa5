//! Every row of the classic suites has a probe, and no probe claims a nonexistent row.

use std::collections::BTreeSet;

use whyslow_probes::{Names, registry};

/// Compares the rows kept as data with the names that the registry gives, both ways.
fn covers(data: &'static str, names: fn(&Names) -> &'static [&'static str]) {
    let rows = data.lines().map(str::trim);
    let rows: BTreeSet<&str> = rows
        .filter(|row| !row.is_empty() && !row.starts_with('#'))
        .collect();
    let named: BTreeSet<&str> = registry().flat_map(|p| names(&p.names)).copied().collect();
    let missing: Vec<_> = rows.difference(&named).collect();
    let unknown: Vec<_> = named.difference(&rows).collect();
    assert!(missing.is_empty(), "rows without a probe: {missing:?}");
    assert!(
        unknown.is_empty(),
        "names that are not rows of that suite: {unknown:?}"
    );
}

#[test]
fn lmbench() {
    covers(include_str!("rows/lmbench.txt"), |names| names.lmbench);
}

#[test]
fn byte() {
    covers(include_str!("rows/byte.txt"), |names| names.byte);
}

#[test]
fn ramspeed() {
    covers(include_str!("rows/ramspeed.txt"), |names| names.ramspeed);
}
