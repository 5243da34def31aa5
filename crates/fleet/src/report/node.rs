//! One node of a judged group, described.

use whyslow_model::comparison::FamilyVerdict;
use whyslow_model::fleet::{FleetNode, NodeFamily, NodePoint, NodeVerdict};
use whyslow_stats::peers::{Deviation, Finding, Peers, Rules};

use super::values::Table;
use crate::families::{FAMILIES, judged};

/// Points that are named of a slow family.
const POINTS: usize = 3;

/// Describes the node at `at`, without its name and records.
pub(super) fn described(found: &Peers, at: usize, table: &Table, rules: &Rules) -> FleetNode {
    let own = judged().enumerate().zip(&found.nodes[at]);
    let mut known: Vec<(usize, &str, Deviation)> = own
        .filter_map(|((f, name), deviation)| Some((f, name, (*deviation)?)))
        .collect();
    known.sort_by(|(_, a, x), (_, b, y)| {
        let slow = |d: &Deviation| d.finding != Finding::Slow;
        slow(x)
            .cmp(&slow(y))
            .then(y.range[0].total_cmp(&x.range[0]))
            .then(a.cmp(b))
    });
    let slow: Vec<usize> = known
        .iter()
        .filter(|(.., d)| d.finding == Finding::Slow)
        .map(|(f, ..)| *f)
        .collect();
    let whole = found.families.iter().flatten().count() == known.len();
    let same = whole && !known.is_empty() && known.iter().all(|(.., d)| d.finding == Finding::Same);
    let verdict = match (slow.is_empty(), same) {
        (false, _) => NodeVerdict::Slow,
        (true, true) => NodeVerdict::Same,
        (true, false) => NodeVerdict::NotKnown,
    };
    FleetNode {
        node: String::new(),
        group: String::new(),
        verdict,
        reason: (verdict == NodeVerdict::NotKnown).then(|| reason(found, &known, rules)),
        records: 0,
        measured: String::new(),
        families: known.iter().map(|(_, name, d)| family(name, d)).collect(),
        points: points(found, at, table, &slow),
        odd: Vec::new(),
        why: None,
    }
}

fn family(name: &str, deviation: &Deviation) -> NodeFamily {
    NodeFamily {
        family: name.to_owned(),
        verdict: match deviation.finding {
            Finding::Slow => FamilyVerdict::Slower,
            Finding::Faster => FamilyVerdict::Faster,
            Finding::Same => FamilyVerdict::Same,
            Finding::Open => FamilyVerdict::Open,
        },
        times_longer: deviation.log.exp(),
        range: deviation.range.map(f64::exp),
        p: deviation.adjusted,
        sessions: deviation.sessions as u32,
        again: deviation.again,
        suspect: deviation.suspect,
    }
}

/// Why a node is neither slow nor the same.
fn reason(found: &Peers, known: &[(usize, &str, Deviation)], rules: &Rules) -> String {
    let named = |finding: Finding| -> Vec<&str> {
        let own = known.iter().filter(|(.., d)| d.finding == finding);
        own.map(|(_, name, _)| *name).collect()
    };
    let missing = judged().zip(&found.families).enumerate();
    let missing: Vec<&str> = missing
        .filter(|(f, (_, scale))| scale.is_some() && !known.iter().any(|(own, ..)| own == f))
        .map(|(_, (name, _))| name)
        .collect();
    let (open, faster) = (named(Finding::Open), named(Finding::Faster));
    let mut said = Vec::new();
    if !open.is_empty() {
        let margin = 100.0 * rules.margin;
        said.push(format!(
            "not shown within {margin:.0} %: {}",
            open.join(", ")
        ));
    }
    if !faster.is_empty() {
        said.push(format!("faster than its group: {}", faster.join(", ")));
    }
    if !missing.is_empty() {
        said.push(format!("not measured: {}", missing.join(", ")));
    }
    if said.is_empty() {
        said.push("nothing that its group was measured in".to_owned());
    }
    said.join("; ")
}

/// The points of slow families that are slowest by their own scatter.
fn points(found: &Peers, at: usize, table: &Table, slow: &[usize]) -> Vec<NodePoint> {
    let sessions = &table.nodes[at];
    let mut shown = Vec::new();
    for &family in slow {
        let own = found.points.iter().enumerate();
        let own = own.filter(|(point, _)| table.family[*point] == family);
        let mut far: Vec<(f64, f64, usize)> = own
            .filter_map(|(point, scale)| {
                let scale = scale.as_ref()?;
                let known = sessions.iter().map(|s| s[point]).filter(|v| v.is_finite());
                let (sum, count) = known.fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
                let off = sum / count - scale.center;
                (off > 0.0).then_some((off / scale.sd, off, point))
            })
            .collect();
        far.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.2.cmp(&y.2)));
        let points = far.into_iter().take(POINTS);
        shown.extend(points.map(|(_, off, point)| NodePoint {
            point: table.points[point].clone(),
            family: FAMILIES[family].0.to_owned(),
            times_longer: off.exp(),
        }));
    }
    shown
}
