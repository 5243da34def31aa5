//! Groups that are made up, and what is odd in them.

use super::*;

/// A group of nodes with these settings each.
fn group(nodes: &[&[(&str, &str)]]) -> (Catalog, Vec<NodeRecords>) {
    let mut catalog = Catalog::default();
    let mut own = Vec::new();
    for (at, settings) in nodes.iter().enumerate() {
        let facts = settings.iter().map(|(name, value)| HardwareFact {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        });
        catalog.hardware.insert(at as i64, facts.collect());
        own.push(NodeRecords {
            node: format!("n{at}"),
            records: vec![at as i64],
            measured: String::new(),
            settings: at as i64,
        });
    }
    (catalog, own)
}

fn told_of(nodes: &[&[(&str, &str)]]) -> Vec<String> {
    let (catalog, own) = group(nodes);
    let found = odd(&catalog, &own, &vec![Vec::new(); nodes.len()]);
    let nodes = found.iter().zip(&own);
    nodes
        .flat_map(|(odd, of)| {
            odd.facts.iter().map(|fact| {
                let cause = fact.cause.as_deref().unwrap_or("-");
                let OddFact {
                    name,
                    value,
                    usual,
                    nodes,
                    ..
                } = fact;
                format!("{}: {name} {value}, {usual} on {nodes}: {cause}", of.node)
            })
        })
        .collect()
}

const USUAL: &[(&str, &str)] = &[("cgroup.cpu_quota", "unlimited"), ("kernel.release", "6.1")];

#[test]
fn what_one_node_has_otherwise_is_told_with_its_cause() {
    let quota: &[_] = &[("cgroup.cpu_quota", "0.5"), ("kernel.release", "6.1")];
    let preload: &[_] = &[
        ("cgroup.cpu_quota", "unlimited"),
        ("environment.steering.LD_PRELOAD", "libx.so"),
        ("kernel.release", "6.1"),
    ];
    let other: &[_] = &[
        ("cgroup.cpu_quota", "unlimited"),
        ("kernel.release", "6.1"),
        ("mystery", "5"),
    ];
    assert_eq!(
        told_of(&[USUAL, quota, USUAL, preload, USUAL, other, USUAL, USUAL]),
        [
            "n1: cgroup.cpu_quota 0.5, unlimited on 7: cpu-quota",
            "n3: environment.steering.LD_PRELOAD libx.so, absent on 7: preload",
            "n5: mystery 5, absent on 7: -",
        ]
    );
}

#[test]
fn what_many_have_or_every_node_has_otherwise_and_what_was_not_read_is_not_odd() {
    let newer: &[_] = &[("cgroup.cpu_quota", "unlimited"), ("kernel.release", "6.5")];
    assert!(told_of(&[USUAL, newer, USUAL, newer, newer, USUAL, USUAL, USUAL]).is_empty());
    let unread: &[_] = &[("kernel.release", "6.1")];
    assert!(told_of(&[USUAL, unread, USUAL, USUAL, USUAL]).is_empty());
    let own: Vec<[(&str, &str); 1]> = ["a", "b", "c", "d", "e"].map(|own| [("x", own)]).to_vec();
    let own: Vec<&[(&str, &str)]> = own.iter().map(|facts| &facts[..]).collect();
    assert!(told_of(&own).is_empty());
    // Three nodes are no majority.
    let odd: &[_] = &[("cgroup.cpu_quota", "0.5"), ("kernel.release", "6.1")];
    assert!(told_of(&[USUAL, USUAL, odd]).is_empty());
}

#[test]
fn a_cause_makes_a_suspect_in_what_it_can_move() {
    let filter: &[_] = &[("security.seccomp_filters", "1")];
    let none: &[_] = &[("security.seccomp_filters", "0")];
    let (catalog, own) = group(&[none, filter, none, none, none]);
    let found = odd(&catalog, &own, &vec![Vec::new(); 5]);
    let told = told(&found, 1);
    let names = FAMILIES.iter().zip(&told.facts[1]);
    let moved: Vec<&str> = names
        .filter(|(_, is)| **is)
        .map(|((name, _), _)| *name)
        .collect();
    assert!(
        moved.contains(&"system calls") && !moved.contains(&"memory latency"),
        "{moved:?}"
    );
    assert!(told.facts[0].iter().all(|is| !is) && !found[1].holds_up);
    assert!(can_move(&found[1].facts[0], &["files", "L1 and L2"]));
    assert!(!can_move(
        &found[1].facts[0],
        &["memory latency", "waiting for a CPU"]
    ));
}

#[test]
fn sessions_beside_other_work_are_left_out_where_quiet_ones_stay() {
    // What others used: nothing, but a burst in two sessions of the second node, and always on the third.
    let session = |others: f64| vec![0.0, f64::ln_1p(others), f64::NAN];
    let quiet = || vec![session(0.02); 5];
    let mut conditions = vec![quiet(), quiet(), vec![session(1.0); 5], quiet(), quiet()];
    conditions[1][2] = session(0.9);
    conditions[1][4] = session(0.7);
    let settings: Vec<&[(&str, &str)]> = vec![USUAL; 5];
    let (catalog, own) = group(&settings);
    let found = odd(&catalog, &own, &conditions);
    let beside: Vec<bool> = told(&found, 1).beside.iter().map(|own| own[0]).collect();
    assert_eq!(beside, [false, false, true, false, false]);
    let [fact] = &found[2].facts[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        (fact.value.as_str(), fact.usual.as_str()),
        ("1.00 CPUs", "0.02 CPUs")
    );
    let mut values = vec![vec![vec![1.0]; 5]; 5];
    without_disturbed(&found, 1, &mut values);
    let left = |node: usize| values[node].iter().filter(|s| s[0].is_nan()).count();
    assert_eq!([left(0), left(1), left(2)], [0, 2, 0]);
    // The same where that is what every node has.
    let mut values = vec![vec![vec![1.0]; 5]; 5];
    without_disturbed(&found, 5, &mut values);
    assert_eq!(values[1].iter().filter(|s| s[0].is_nan()).count(), 2);
    assert!(told(&found, 5).beside.iter().flatten().all(|is| !is));
}
