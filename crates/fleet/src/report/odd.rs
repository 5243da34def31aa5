//! In what few nodes of a group differ from the rest, beside their values: settings, points that could not be measured, and
//! what was beside their work. Nothing of it is a verdict. It makes a node a suspect where a cause knows it, in the
//! families that this cause can move, and the first candidate for the cause where the node is slow there.

use std::collections::BTreeMap;

use whyslow_explain::{Cause, known_by, known_by_words};
use whyslow_model::fleet::{HardwareFact, OddFact};
use whyslow_model::role::Role;
use whyslow_stats::peers::{FEWEST, Told};
use whyslow_stats::quantile::{median, quantile};

use super::chosen::NodeRecords;
use crate::conditions::CONDITIONS;
use crate::families::{FAMILIES, family_of};
use crate::index::Catalog;
use crate::settings::{ABSENT, NOT_MEASURED};

/// So many nodes, or this share, differ at most: what more nodes have is another kind of node.
const MOST: usize = 2;
const SHARE: usize = 10;

/// What is beside a node differs from the group's by so many standard deviations at least.
const FAR: f64 = 4.0;

/// From the MAD to the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// One node.
#[derive(Debug, Clone, Default)]
pub(super) struct Odd {
    pub(super) facts: Vec<OddFact>,
    /// Families that a setting makes it a suspect in.
    settings: Vec<bool>,
    /// Sessions that had more beside them than a quiet one.
    disturbed: Vec<bool>,
    /// May a setting make its work wait for a CPU?
    pub(super) holds_up: bool,
}

/// The nodes of a group, with the conditions of each session.
pub(super) fn odd(
    catalog: &Catalog,
    own: &[NodeRecords],
    conditions: &[Vec<Vec<f64>>],
) -> Vec<Odd> {
    let mut found = vec![Odd::default(); own.len()];
    settings(catalog, own, &mut found);
    beside(conditions, &mut found);
    disturbed(conditions, &mut found);
    found
}

/// The same as the statistics have it. Where all nodes have several records, those that were disturbed are left out.
pub(super) fn told(odd: &[Odd], usual: usize) -> Told {
    let all = |is: bool| vec![is; FAMILIES.len()];
    let facts = odd.iter().map(|of| match of.settings.is_empty() {
        true => all(false),
        false => of.settings.clone(),
    });
    Told {
        facts: facts.collect(),
        beside: odd
            .iter()
            .map(|of| all(usual == 1 && of.disturbed.first() == Some(&true)))
            .collect(),
    }
}

/// Leaves disturbed sessions out, those of the second look and the others by themselves, where two that were not stay: what
/// comes and goes says nothing of the node, and what is always there stays in.
pub(super) fn without_disturbed(odd: &[Odd], usual: usize, nodes: &mut [Vec<Vec<f64>>]) {
    for (of, sessions) in odd.iter().zip(nodes) {
        let first = usual.min(sessions.len());
        for look in [0..first, first..sessions.len()] {
            let own = &of.disturbed[look.clone()];
            if own.iter().filter(|disturbed| !**disturbed).count() < 2 {
                continue;
            }
            for (session, _) in sessions[look].iter_mut().zip(own).filter(|(_, is)| **is) {
                session.fill(f64::NAN);
            }
        }
    }
}

/// The causes that know a fact, the most particular first.
fn causes(name: &str, value: &str) -> Vec<&'static Cause> {
    match name {
        NOT_MEASURED => known_by_words(value),
        _ => match CONDITIONS.iter().find(|condition| condition.name == name) {
            Some(condition) => vec![condition.cause],
            None => known_by(name),
        },
    }
}

/// Can `cause` move the family at `family` of [`FAMILIES`]?
fn moves(cause: &Cause, family: usize) -> bool {
    let reached = |role: &Role| family_of(*role) == Some(family);
    cause.reaches.is_empty() || cause.reaches.iter().any(reached)
}

/// Can what `fact` stands for move one of `families`, by their names? What makes work wait is not of a family's roles.
pub(crate) fn can_move(fact: &OddFact, families: &[&str]) -> bool {
    let causes = causes(&fact.name, &fact.value);
    let own = FAMILIES.iter().enumerate();
    let mut own = own.filter(|(_, (name, _))| families.contains(name));
    let waits = families.contains(&crate::conditions::WAITING) && causes.iter().any(holds_up);
    waits || own.any(|(family, _)| causes.iter().any(|cause| moves(cause, family)))
}

/// Can it make work wait for a CPU: all that runs, or what the scheduler decides?
fn holds_up(cause: &&'static Cause) -> bool {
    cause.reaches.is_empty() || cause.reaches == Role::SWITCHING
}

fn settings(catalog: &Catalog, own: &[NodeRecords], found: &mut [Odd]) {
    // Nodes that are set alike, which are most, are looked at together.
    let mut alike: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (node, of) in own.iter().enumerate() {
        let known = catalog.hardware.get(&of.settings);
        if known.is_some_and(|facts| !facts.is_empty()) {
            alike.entry(of.settings).or_default().push(node);
        }
    }
    let facts =
        |id: &i64| -> &[HardwareFact] { catalog.hardware.get(id).map_or(&[], Vec::as_slice) };
    let all: usize = alike.values().map(Vec::len).sum();
    let most = MOST.max(all / SHARE);
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (id, nodes) in &alike {
        for fact in facts(id) {
            let of_value = counts.entry(&fact.name).or_default();
            *of_value.entry(&fact.value).or_default() += nodes.len();
        }
    }
    for (name, mut values) in counts {
        let absent = all - values.values().sum::<usize>();
        if absent > 0 {
            values.insert(ABSENT, absent);
        }
        let usual = values.iter().max_by_key(|(_, nodes)| **nodes);
        let Some((&usual, &nodes)) = usual else {
            continue;
        };
        if all < FEWEST || all == nodes || all - nodes > most || 4 * nodes < 3 * all {
            continue;
        }
        for (id, of) in &alike {
            let value = facts(id).iter().find(|fact| fact.name == name);
            let value = value.map_or(ABSENT, |fact| fact.value.as_str());
            // What could not be read may be as it is elsewhere; a variable that is not set is not.
            let unread = value == ABSENT && !name.starts_with("environment.");
            if value == usual || unread {
                continue;
            }
            let causes = causes(name, value);
            for &node in of {
                let odd = &mut found[node];
                odd.facts
                    .push(fact(name, value, usual, nodes, causes.first()));
                odd.settings.resize(FAMILIES.len(), false);
                for (family, is) in odd.settings.iter_mut().enumerate() {
                    *is |= causes.iter().any(|cause| moves(cause, family));
                }
                odd.holds_up |= causes.iter().any(holds_up);
            }
        }
    }
}

fn fact(
    name: &str,
    value: &str,
    usual: &str,
    nodes: usize,
    cause: Option<&&'static Cause>,
) -> OddFact {
    OddFact {
        name: name.to_owned(),
        value: value.to_owned(),
        usual: usual.to_owned(),
        nodes: nodes as u32,
        cause: cause.map(|cause| cause.id.to_owned()),
        title: cause.map(|cause| cause.title.to_owned()),
    }
}

/// The amount of a condition in a session.
fn amount(session: &[f64], condition: usize) -> Option<f64> {
    Some(session[condition].exp_m1()).filter(|amount| amount.is_finite())
}

/// Marks the sessions that had more beside them than the quiet quarter of all: where most met other work, the median is
/// none to be held against.
fn disturbed(conditions: &[Vec<Vec<f64>>], found: &mut [Odd]) {
    for (odd, sessions) in found.iter_mut().zip(conditions) {
        odd.disturbed = vec![false; sessions.len()];
    }
    for (column, condition) in CONDITIONS.iter().enumerate() {
        let all = conditions.iter().flatten();
        let all: Vec<f64> = all.filter_map(|session| amount(session, column)).collect();
        let Some(quiet) = quantile(&all, 0.25) else {
            continue;
        };
        for (odd, sessions) in found.iter_mut().zip(conditions) {
            for (is, session) in odd.disturbed.iter_mut().zip(sessions) {
                *is |= amount(session, column).is_some_and(|own| own > quiet + condition.floor);
            }
        }
    }
}

/// What was beside the first session of each node, where it stands out.
fn beside(conditions: &[Vec<Vec<f64>>], found: &mut [Odd]) {
    for (column, condition) in CONDITIONS.iter().enumerate() {
        let first = |sessions: &Vec<Vec<f64>>| sessions.first().and_then(|s| amount(s, column));
        let amounts: Vec<Option<f64>> = conditions.iter().map(first).collect();
        let known: Vec<f64> = amounts.iter().copied().flatten().collect();
        let Some(usual) = median(&known).filter(|_| known.len() >= FEWEST) else {
            continue;
        };
        let off: Vec<f64> = known.iter().map(|amount| (amount - usual).abs()).collect();
        let scatter = NORMAL * median(&off).unwrap_or(0.0);
        let least = condition.floor.max(FAR * scatter);
        for (odd, amount) in found.iter_mut().zip(amounts) {
            if let Some(amount) = amount.filter(|amount| amount - usual > least) {
                let [own, usual] = [amount, usual].map(condition.shown);
                let cause = Some(&condition.cause);
                let fact = fact(condition.name, &own, &usual, known.len() - 1, cause);
                odd.facts.push(fact);
            }
        }
    }
}

#[cfg(test)]
mod tests;
