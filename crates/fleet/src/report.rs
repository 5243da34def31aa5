//! From an index to a report: records chosen, nodes grouped, groups judged, nodes ordered.

mod chosen;
mod group;
mod node;
mod odd;
mod rows;
mod values;

use std::collections::BTreeMap;

use whyslow_model::fleet::{
    FleetCounts, FleetNode, FleetReport, FleetRules, MeasureAgain, NodeVerdict, SCHEMA,
};
use whyslow_stats::peers::Rules;

use crate::index::{Index, IndexError};
use chosen::{Chosen, chosen};

pub(crate) use odd::can_move;
pub use rows::{ValueRow, rows};

/// Ordinary nodes that are measured again beside the suspects of their group.
const REFERENCES: usize = 8;

/// Sessions of the second look.
const AGAIN: u32 = 4;

/// What a report may be told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// What *same* has to be shown to be within, as a share.
    pub margin: f64,
    /// Records count that began at most so many hours before the newest of their node.
    pub within_hours: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            margin: Rules::default().margin,
            within_hours: 48.0,
        }
    }
}

/// A report, and where the records are that it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// The report, without reasons why.
    pub report: FleetReport,
    /// The records of each node that count, the newest first, below the folder.
    pub records: BTreeMap<String, Vec<String>>,
}

/// Judges all nodes of an index.
///
/// # Errors
/// When it cannot be read.
pub fn report(index: &mut dyn Index, options: &Options) -> Result<Assembled, IndexError> {
    let rules = Rules {
        margin: options.margin,
        ..Rules::default()
    };
    let catalog = index.catalog()?;
    let Chosen {
        groups,
        records,
        unused,
        newest,
    } = chosen(&catalog, options.within_hours);
    let mut described = Vec::new();
    let mut nodes: Vec<FleetNode> = Vec::new();
    let (mut suspects, mut references) = (Vec::new(), Vec::new());
    for (facts, own) in &groups {
        let judged = group::judge(index, &catalog, facts, own, &rules, &groups)?;
        if !judged.suspects.is_empty() {
            let ordinary = judged.ordinary.into_iter().take(REFERENCES);
            references.extend(ordinary);
            suspects.extend(judged.suspects);
        }
        described.push(judged.group);
        nodes.extend(judged.nodes);
    }
    index.done()?;
    nodes.sort_by(|a, b| {
        let at_least = |node: &FleetNode| node.families.first().map_or(0.0, |f| f.range[0]);
        a.verdict
            .cmp(&b.verdict)
            .then(at_least(b).total_cmp(&at_least(a)))
            .then(a.node.cmp(&b.node))
    });
    suspects.sort();
    references.sort();
    let again = (!suspects.is_empty()).then_some(MeasureAgain {
        suspects,
        references,
        sessions: AGAIN,
    });
    Ok(Assembled {
        report: FleetReport {
            schema: SCHEMA,
            rules: FleetRules {
                false_share: rules.q,
                margin: rules.margin,
                negligible: rules.negligible,
                within_hours: options.within_hours,
            },
            newest,
            counts: counts(&nodes),
            groups: described,
            nodes,
            again,
            unused,
        },
        records,
    })
}

fn counts(nodes: &[FleetNode]) -> FleetCounts {
    let count = |verdict| nodes.iter().filter(|n| n.verdict == verdict).count() as u32;
    FleetCounts {
        slow: count(NodeVerdict::Slow),
        same: count(NodeVerdict::Same),
        not_known: count(NodeVerdict::NotKnown),
    }
}
