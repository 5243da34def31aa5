//! What is said of nodes.

use whyslow_model::comparison::FamilyVerdict;
use whyslow_model::fleet::{
    FleetGroup, FleetNode, FleetReport, NodeFamily, NodeVerdict, NodeWhy, OddFact,
};
use whyslow_model::shell::quote;

use crate::numbers::counted;

/// The command that gives the reason why a node is slow.
pub(crate) fn explained_by(why: &NodeWhy) -> String {
    let also = |flag: &str, paths: &[String]| -> String {
        let each = paths.iter().map(|path| format!(" {flag} {}", quote(path)));
        each.collect()
    };
    format!(
        "whyslow explain {} {}{}{}",
        quote(&why.against_record),
        quote(&why.record),
        also("--also-a", &why.also_against),
        also("--also-b", &why.also_records)
    )
}

/// The slow nodes, in their order.
pub(crate) fn slow(report: &FleetReport) -> impl Iterator<Item = &FleetNode> {
    let nodes = report.nodes.iter();
    nodes.filter(|node| node.verdict == NodeVerdict::Slow)
}

/// The answer in a sentence.
pub(crate) fn answer(report: &FleetReport) -> String {
    let counts = report.counts;
    let nodes = counted(report.nodes.len() as u64, "node", "nodes");
    let groups = counted(report.groups.len() as u64, "group", "groups");
    let count = |n: u32| match n {
        0 => "none".to_owned(),
        n => n.to_string(),
    };
    format!(
        "{nodes} in {groups} of the same hardware: {} slow, {} the same within {:.0} %, {} not known.",
        count(counts.slow),
        count(counts.same),
        100.0 * report.rules.margin,
        count(counts.not_known),
    )
}

/// `12 % longer` with `[9, 15]`; from twice on a factor, as it reads better than a percentage.
pub(crate) fn longer(family: &NodeFamily) -> (String, String) {
    takes(family.times_longer, family.range)
}

/// The same of how many times longer something takes, with an interval.
pub(crate) fn takes(times_longer: f64, range: [f64; 2]) -> (String, String) {
    let [lo, hi] = range;
    if times_longer >= 2.0 {
        return (
            format!("{times_longer:.1} times as long"),
            format!("[{lo:.1}, {hi:.1}]"),
        );
    }
    let percent = |times: f64| 100.0 * (times - 1.0);
    let digits = usize::from(percent(times_longer).abs() < 10.0);
    let (value, word) = match percent(times_longer) {
        value if value < 0.0 => (-value, "less"),
        value => (value, "longer"),
    };
    let sign = if times_longer < 1.0 { -1.0 } else { 1.0 };
    let mut ends = [sign * percent(lo), sign * percent(hi)];
    ends.sort_by(f64::total_cmp);
    let [from, to] = ends;
    (
        format!("{value:.digits$} % {word}"),
        format!("[{from:.digits$}, {to:.digits$}]"),
    )
}

/// A slow node in one line, as a reason for others: its families with their intervals.
pub(crate) fn in_short(node: &FleetNode) -> String {
    let families = node.families.iter();
    let slow = families.filter(|family| family.verdict == FamilyVerdict::Slower);
    let slow: Vec<String> = slow
        .map(|family| {
            let (longer, range) = longer(family);
            format!("{} {longer} {range}", family.family)
        })
        .collect();
    slow.join(", ")
}

/// Nodes that are named of one fact, and characters of its values: the JSON has all.
const MOST_NODES: usize = 6;
const LONGEST: usize = 60;

/// In what nodes differ from their group, each once with all its nodes; what a cause knows first.
pub(crate) fn odd(report: &FleetReport) -> Vec<(Vec<&str>, &OddFact)> {
    let mut found: Vec<(Vec<&str>, &str, &OddFact)> = Vec::new();
    for node in &report.nodes {
        for fact in &node.odd {
            let known = found
                .iter_mut()
                .find(|(_, group, known)| *group == node.group && *known == fact);
            match known {
                Some((nodes, ..)) => nodes.push(&node.node),
                None => found.push((vec![&node.node], &node.group, fact)),
            }
        }
    }
    found.sort_by_key(|(_, _, fact)| fact.cause.is_none());
    let found = found.into_iter();
    found.map(|(nodes, _, fact)| (nodes, fact)).collect()
}

/// `n3, n5 and 4 more`.
pub(crate) fn some(nodes: &[&str]) -> String {
    let named = nodes.iter().take(MOST_NODES).copied();
    let named = named.collect::<Vec<&str>>().join(", ");
    match nodes.len().saturating_sub(MOST_NODES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// `cgroup.cpu_quota 0.5, on 7 others unlimited`.
pub(crate) fn differs(fact: &OddFact) -> String {
    let [value, usual] = [&fact.value, &fact.usual].map(|text| short(text));
    let usual = if usual == "absent" {
        "none"
    } else {
        usual.as_str()
    };
    format!("{} {value}, on {} others {usual}", fact.name, fact.nodes)
}

/// What it may be the cause of, with a colon before it; empty where no cause knows it.
pub(crate) fn may_be(fact: &OddFact) -> String {
    let title = fact.title.as_deref();
    title.map_or_else(String::new, |title| format!(": {title}"))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The facts of a group but those without a value.
pub(crate) fn hardware(group: &FleetGroup) -> String {
    let known = group
        .hardware
        .iter()
        .filter(|fact| fact.value != "not known");
    let known: Vec<String> = known
        .map(|fact| match fact.name.as_str() {
            "CPU" | "machine" | "architecture" => fact.value.clone(),
            name => format!("{name} {}", fact.value),
        })
        .collect();
    if known.is_empty() {
        return "hardware not recorded".to_owned();
    }
    known.join(", ")
}

/// `text` as one word of a POSIX shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
