//! `whyslow host`.

use crate::common::{check, host, plain, state};
use whyslow_model::host::Known;

#[test]
fn page() {
    insta::assert_snapshot!(whyslow_report::host(&host(), &state(), plain(80)));
}

#[test]
fn keeps_to_every_width() {
    for width in [1, 20, 40, 60, 80, 120] {
        check(
            &whyslow_report::host(&host(), &state(), plain(width)),
            width,
        );
    }
}

#[test]
fn unknown_facts_say_why() {
    let (mut host, mut state) = (host(), state());
    host.caches = Known::unknown("no /sys here");
    host.topology.nodes = Known::unknown("no nodes here");
    host.cpu.kinds = Known::unknown("no cpuinfo here");
    state.cgroup.levels = Known::unknown("no cgroup here");
    let text = whyslow_report::host(&host, &state, plain(80));
    for why in [
        "no /sys here",
        "no nodes here",
        "no cpuinfo here",
        "no cgroup here",
    ] {
        assert!(text.contains(&format!("unknown: {why}")), "{why}: {text}");
    }
}
