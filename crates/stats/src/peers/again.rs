//! Nodes that were measured again, beside references that were measured again with them.

use super::scale::Scales;
use super::weights::Weights;
use super::{Tested, agree};

/// Fewer references give no center.
const FEWEST_REFERENCES: usize = 3;

/// Fewer further sessions say nothing of how much sessions differ.
const FEWEST_SESSIONS: usize = 2;

/// A node that was measured again: its mean deviations in each further session.
#[derive(Debug)]
struct Measured {
    node: usize,
    sessions: Vec<Vec<f64>>,
}

impl Measured {
    /// Mean over the sessions in a family, and their number.
    fn mean(&self, family: usize) -> Option<(f64, usize)> {
        let known = self.sessions.iter().map(|s| s[family]);
        let known: Vec<f64> = known.filter(|v| v.is_finite()).collect();
        let count = known.len();
        (count >= FEWEST_SESSIONS).then(|| (known.iter().sum::<f64>() / count as f64, count))
    }
}

/// One family of the second look.
#[derive(Debug, Clone, Copy)]
struct Second {
    center: f64,
    references: f64,
    /// Variance of one session within its node, and its degrees of freedom.
    session: (f64, f64),
    /// Variance over nodes of one first look, and its degrees of freedom.
    first: (f64, f64),
    /// Sessions of a first look.
    usual: f64,
}

/// The second look.
#[derive(Debug)]
pub(super) struct Again<'s> {
    nodes: Vec<Measured>,
    families: Vec<Option<Second>>,
    suspect: &'s [Vec<bool>],
}

impl<'s> Again<'s> {
    pub(super) fn of(
        nodes: &[Vec<Vec<f64>>],
        usual: usize,
        weights: &Weights,
        suspect: &'s [Vec<bool>],
        scales: &Scales,
    ) -> Again<'s> {
        let more = nodes.iter().enumerate();
        let more = more.filter(|(_, sessions)| sessions.len() >= usual + FEWEST_SESSIONS);
        let measured: Vec<Measured> = more
            .map(|(node, sessions)| Measured {
                node,
                sessions: sessions[usual..].iter().map(|s| weights.means(s)).collect(),
            })
            .collect();
        let families = suspect.first().map_or(0, Vec::len);
        let second = |f: usize| {
            let references = measured.iter().filter(|m| !suspect[m.node][f]);
            let references: Vec<f64> = references.filter_map(|m| Some(m.mean(f)?.0)).collect();
            if references.len() < FEWEST_REFERENCES {
                return None;
            }
            let (mut squares, mut df) = (0.0, 0.0);
            for one in &measured {
                if let Some((mean, count)) = one.mean(f) {
                    let known = one.sessions.iter().map(|s| s[f]).filter(|v| v.is_finite());
                    squares += known.map(|v| (v - mean).powi(2)).sum::<f64>();
                    df += count as f64 - 1.0;
                }
            }
            Some(Second {
                center: references.iter().sum::<f64>() / references.len() as f64,
                references: references.len() as f64,
                session: (squares / df, df),
                first: scales.of(f)?,
                usual: usual as f64,
            })
        };
        Again {
            families: (0..families).map(second).collect(),
            nodes: measured,
            suspect,
        }
    }

    /// The test of a node that was measured again; none where it was not, or has no references.
    pub(super) fn test(&self, node: usize, family: usize) -> Option<Tested> {
        let second = self.families[family].as_ref()?;
        // They are in the order of the nodes.
        let at = self.nodes.binary_search_by_key(&node, |m| m.node).ok()?;
        let own = &self.nodes[at];
        let (mean, count) = own.mean(family)?;
        let suspect = self.suspect[node][family];
        let (variance, df) = second.variance(count as f64);
        // A reference is part of the center.
        let references = second.references - f64::from(u8::from(!suspect));
        let scale = second.references / references;
        let log = (mean - second.center) * if suspect { 1.0 } else { scale };
        let se = (variance * (1.0 + 1.0 / references)).sqrt();
        Some(Tested {
            sessions: count,
            again: true,
            eligible: suspect,
            agreed: agree(
                own.sessions.iter().map(|s| s[family]),
                second.center,
                mean - second.center,
            ),
            ..Tested::new(log, se, df)
        })
    }
}

impl Second {
    /// Variance over nodes of the mean of `count` sessions, with its degrees of freedom: that of a first look, less
    /// what more sessions take off it.
    fn variance(&self, count: f64) -> (f64, f64) {
        let ((first, first_df), (session, session_df)) = (self.first, self.session);
        let less = (1.0 / self.usual - 1.0 / count).max(0.0);
        let variance = first - less * session;
        let least = session / count;
        if variance <= least {
            return (least, session_df);
        }
        // Satterthwaite.
        let spread = first.powi(2) / first_df + (less * session).powi(2) / session_df;
        (variance, (variance.powi(2) / spread).max(1.0))
    }
}
