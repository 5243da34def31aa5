//! One group of nodes: its points as columns, its nodes as rows, judged.

use whyslow_model::fleet::{FleetGroup, FleetNode, GroupFamily, HardwareFact, NodeVerdict};
use whyslow_stats::peers::{self, FEWEST, Peers, Rules, Told};

use super::chosen::NodeRecords;
use super::node;
use super::odd::{self, Odd};
use super::values::Table;
use crate::conditions::{CONDITIONS, WAITING};
use crate::families::{FAMILIES, judged};
use crate::index::{Catalog, Index, IndexError};

/// A group, judged.
pub(super) struct Judged {
    pub(super) group: FleetGroup,
    pub(super) nodes: Vec<FleetNode>,
    /// Nodes that should be measured again.
    pub(super) suspects: Vec<String>,
    /// The most ordinary nodes, the most ordinary first.
    pub(super) ordinary: Vec<String>,
}

/// Judges the nodes of the group of `facts`.
pub(super) fn judge(
    index: &mut dyn Index,
    catalog: &Catalog,
    facts: &[HardwareFact],
    own: &[NodeRecords],
    rules: &Rules,
    groups: &[(Vec<HardwareFact>, Vec<NodeRecords>)],
) -> Result<Judged, IndexError> {
    let id = id(facts);
    let mut group = FleetGroup {
        id: id.clone(),
        hardware: facts.to_vec(),
        nodes: own.len() as u32,
        not_judged: None,
        medoid: None,
        families: Vec::new(),
    };
    if own.len() < FEWEST {
        let why = too_few(facts, own.len(), groups);
        group.not_judged = Some(why.clone());
        let nodes = own.iter().map(|of| FleetNode {
            node: of.node.clone(),
            group: id.clone(),
            verdict: NodeVerdict::NotKnown,
            reason: Some(why.clone()),
            records: of.records.len() as u32,
            measured: of.measured.clone(),
            families: Vec::new(),
            points: Vec::new(),
            odd: Vec::new(),
            why: None,
        });
        return Ok(Judged {
            nodes: nodes.collect(),
            group,
            suspects: Vec::new(),
            ordinary: Vec::new(),
        });
    }
    let mut table = Table::read(index, catalog, own)?;
    let odd = odd::odd(catalog, own, &table.conditions);
    let usual = peers::usual(&table.nodes);
    odd::without_disturbed(&odd, usual, &mut table.nodes);
    let told = odd::told(&odd, usual);
    let mut found = peers::judge_told(&table.nodes, &table.family, rules, &told);
    waiting(&mut found, &table, &odd, rules);
    group.medoid = found.order.first().map(|at| own[*at].node.clone());
    let families = judged().zip(&found.families);
    group.families = families
        .filter_map(|(name, scale)| {
            let scale = scale.as_ref()?;
            Some(GroupFamily {
                name: name.to_owned(),
                points: scale.points as u32,
                scatter: scale.sd.exp_m1(),
            })
        })
        .collect();
    let nodes: Vec<FleetNode> = own
        .iter()
        .zip(odd)
        .enumerate()
        .map(|(at, (of, odd))| FleetNode {
            node: of.node.clone(),
            group: id.clone(),
            records: of.records.len() as u32,
            measured: of.measured.clone(),
            odd: odd.facts,
            ..node::described(&found, at, &table, rules)
        })
        .collect();
    let is_suspect = |node: &FleetNode| node.families.iter().any(|f| f.suspect);
    let ordinary = found.order.iter().map(|at| &nodes[*at]);
    let ordinary = ordinary.filter(|node| !is_suspect(node) && node.verdict != NodeVerdict::Slow);
    Ok(Judged {
        suspects: nodes
            .iter()
            .filter(|node| is_suspect(node))
            .map(|node| node.node.clone())
            .collect(),
        ordinary: ordinary.map(|node| node.node.clone()).collect(),
        group,
        nodes,
    })
}

/// Adds what waiting for a CPU was judged to be, by itself: it hardly scatters where nothing is beside, and scales of other
/// families would borrow from it.
fn waiting(found: &mut Peers, table: &Table, odd: &[Odd], rules: &Rules) {
    let own = CONDITIONS.iter().position(|c| c.name == WAITING);
    let own = own.unwrap_or_default();
    let sessions = |node: &Vec<Vec<f64>>| node.iter().map(|s| vec![s[own]]).collect();
    let values: Vec<Vec<Vec<f64>>> = table.conditions.iter().map(sessions).collect();
    let rules = Rules {
        negligible: CONDITIONS[own].floor,
        first_decides: false,
        ..*rules
    };
    let told = Told {
        facts: odd.iter().map(|of| vec![of.holds_up]).collect(),
        beside: Vec::new(),
    };
    let alone = peers::judge_told(&values, &[0], &rules, &told);
    // Without points of any family, none was judged.
    found.families.resize(FAMILIES.len(), None);
    found.families.extend(alone.families);
    for (node, alone) in found.nodes.iter_mut().zip(alone.nodes) {
        node.resize(FAMILIES.len(), None);
        node.extend(alone);
    }
}

/// The id of a group: what its facts hash to.
pub(super) fn id(facts: &[HardwareFact]) -> String {
    let mut hash = blake3::Hasher::new();
    for fact in facts {
        hash.update(fact.name.as_bytes()).update(b"\t");
        hash.update(fact.value.as_bytes()).update(b"\n");
    }
    hash.finalize().to_hex()[..8].to_owned()
}

/// Why a small group is not judged, and in what it differs from the nearest one that is.
fn too_few(
    facts: &[HardwareFact],
    nodes: usize,
    groups: &[(Vec<HardwareFact>, Vec<NodeRecords>)],
) -> String {
    let count = match nodes {
        1 => "no other node has".to_owned(),
        _ => format!("only {nodes} nodes have"),
    };
    let why = format!("{count} the same hardware, and {FEWEST} are needed");
    let differs = |other: &[HardwareFact]| -> Vec<String> {
        let pairs = facts.iter().zip(other);
        pairs
            .filter(|(a, b)| a != b)
            .map(|(a, b)| format!("{} {} in place of {}", a.name, a.value, b.value))
            .collect()
    };
    let large = groups.iter().filter(|(_, own)| own.len() >= FEWEST);
    let near = large.map(|(other, own)| (differs(other), own.len()));
    // The nearest, of several the largest, which comes first.
    match near.min_by_key(|(differs, _)| differs.len()) {
        Some((differs, own)) if differs.len() <= 2 => {
            format!("{why}; {own} nodes differ only in: {}", differs.join("; "))
        }
        _ => why,
    }
}
