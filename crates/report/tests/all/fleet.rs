//! What is shown of a fleet.

use whyslow_model::fleet::FleetReport;
use whyslow_report::{
    Look, fleet, fleet_drain, fleet_drain_lines, fleet_health, fleet_html, fleet_metrics,
};

/// A slow node, one that is the same, and one that is not known, of a group and of none.
fn report(slow: &str) -> FleetReport {
    let text = r#"{
      "schema": 1,
      "rules": {"false_share": 0.05, "margin": 0.05, "negligible": 0.02, "within_hours": 48.0},
      "newest": "2026-01-05T00:00:00Z",
      "counts": {"slow": 1, "same": 1, "not_known": 1},
      "groups": [
        {"id": "0a1b2c3d", "hardware": [{"name": "CPU", "value": "AMD EPYC"}, {"name": "memory", "value": "256 GiB"}],
         "nodes": 2, "medoid": "n1", "families": [{"name": "last-level cache", "points": 9, "scatter": 0.012}]},
        {"id": "ffffffff", "hardware": [{"name": "CPU", "value": "not known"}], "nodes": 1,
         "not_judged": "no other node has the same hardware, and 4 are needed", "families": []}],
      "nodes": [
        {"node": "SLOW", "group": "0a1b2c3d", "verdict": "slow", "records": 1, "measured": "2026-01-05T00:00:00Z",
         "families": [{"family": "last-level cache", "verdict": "slower", "times_longer": 1.18, "range": [1.15, 1.21],
                       "p": 0.0001, "sessions": 5, "again": true},
                      {"family": "files", "verdict": "open", "times_longer": 0.97, "range": [0.91, 1.03],
                       "p": 0.9, "sessions": 5}],
         "odd": [{"name": "cgroup.cpu_quota", "value": "0.5", "usual": "unlimited", "nodes": 7, "cause": "cpu-quota",
                  "title": "a limit on CPU time (quota)"}],
         "points": [{"point": "mem.latency{size=16MiB}", "family": "last-level cache", "times_longer": 1.25}],
         "why": {"against": "n1", "against_record": "n1/a.whyslow", "record": "n0/a.whyslow",
                 "answer": "The last-level cache is smaller.", "causes": []}},
        {"node": "n5", "group": "0a1b2c3d", "verdict": "same", "records": 1, "measured": "2026-01-05T00:00:00Z", "families": [],
         "odd": [{"name": "cgroup.cpu_quota", "value": "0.5", "usual": "unlimited", "nodes": 7, "cause": "cpu-quota",
                  "title": "a limit on CPU time (quota)"},
                 {"name": "mounts.work.fs", "value": "ext4", "usual": "xfs", "nodes": 7}]},
        {"node": "n2", "group": "ffffffff", "verdict": "not_known", "reason": "no other node has the same hardware",
         "records": 1, "measured": "2026-01-05T00:00:00Z", "families": []},
        {"node": "n1", "group": "0a1b2c3d", "verdict": "same", "records": 1, "measured": "2026-01-05T00:00:00Z",
         "families": [{"family": "last-level cache", "verdict": "same", "times_longer": 1.001, "range": [0.99, 1.01],
                       "p": 0.5, "sessions": 1}]}],
      "again": {"suspects": ["n0"], "references": ["n1"], "sessions": 4},
      "unused": ["n4/b.whyslow: is damaged"]
    }"#;
    let name = serde_json::to_string(slow).unwrap();
    serde_json::from_str(&text.replace("\"SLOW\"", &name)).unwrap()
}

const LOOK: Look = Look {
    width: 80,
    color: false,
    ascii: false,
};

#[test]
fn the_screen_says_who_in_what_and_why() {
    insta::assert_snapshot!(fleet(&report("n0"), LOOK));
}

#[test]
fn every_line_fits_the_terminal() {
    for width in [40, 60, 100] {
        let shown = fleet(&report("n0"), Look { width, ..LOOK });
        // A command is copied whole.
        let lines = shown.lines().filter(|l| !l.contains("whyslow explain"));
        assert!(
            lines.into_iter().all(|l| l.chars().count() <= width),
            "{shown}"
        );
    }
}

#[test]
fn a_name_cannot_leave_its_place() {
    let hostile = "n0\"; rm -rf ~ #<b>$(x)`x`'\n";
    let report = report(hostile);
    let lines = fleet_drain_lines(&report);
    let words = &fleet_drain(&report)[0];
    // What a shell makes of the line is what would be run.
    let script = format!("set -- {lines}\nprintf '%s\\0' \"$@\"");
    let mut sh = std::process::Command::new("sh");
    let said = sh.arg("-c").arg(script).output().unwrap().stdout;
    assert_eq!(String::from_utf8(said).unwrap(), words.join("\0") + "\0");
    let metrics = fleet_metrics(&report);
    assert!(
        metrics.contains(r#"node="n0\"; rm -rf ~ #<b>$(x)`x`'\n""#),
        "{metrics}"
    );
    assert!(!fleet_html(&report, "0").contains("<b>"));
    let mut sh = std::process::Command::new("sh");
    let ran = sh
        .args(["-c", &fleet_health(&report), "check", hostile])
        .output()
        .unwrap();
    assert_eq!(
        ran.status.code(),
        Some(3),
        "the check is older than thirty days: {ran:?}"
    );
}

#[test]
fn a_health_check_has_three_answers() {
    let mut report = report("n0");
    report.newest = Some("2999-01-01T00:00:00Z".to_owned());
    let script = fleet_health(&report);
    for (node, code) in [("n0", 1), ("n1", 0), ("n2", 3), ("n3", 3)] {
        let mut sh = std::process::Command::new("sh");
        let ran = sh.args(["-c", &script, "check", node]).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{node}: {ran:?}");
        let said = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(
            said.contains("18 % longer [15, 21]"),
            node == "n0",
            "{said}"
        );
    }
}

#[test]
fn metrics_are_whole() {
    let metrics = fleet_metrics(&report("n0"));
    assert!(metrics.ends_with("# EOF\n"));
    let wanted = "whyslow_node_times_longer{node=\"n0\",group=\"0a1b2c3d\",family=\"last-level cache\"} 1.18\n";
    assert!(metrics.contains(wanted), "{metrics}");
    let types = metrics.lines().filter(|l| l.starts_with("# TYPE")).count();
    assert_eq!(types, 4);
}
