//! What the variances of a record's points say about each other.
//!
//! The covariates are those that the likelihood of A/A records on a shared host chose: the spread within processes
//! (its coefficient is near 2, as that of a cause common to samples and processes would be), and for memory how far
//! the size is beyond the second-level cache, from where on others share what is measured. Families and kinds
//! of pages added nothing beyond these.

use std::collections::BTreeMap;

use whyslow_model::Unit;
use whyslow_model::record::{Planned, Record};
use whyslow_model::summary::Moderation;

use super::claims::claims;
use super::parts::{PointValues, ProcessValue};
use crate::moderated::{COVARIATES, Moderated, Prior, Spread};
use crate::quantile::median;

/// Spreads below 0.01 % are rounding.
const LEAST_SPREAD: f64 = 1e-4;

/// The second-level cache where the host does not say.
const USUAL_SECOND: f64 = (1u64 << 20) as f64;

/// Variances begin to grow at a quarter of the second-level cache, and no longer do at four times its size: powers of
/// two from there.
const GROWS_FROM: f64 = 0.25;
const GROWS_OVER: f64 = 4.0;

/// Points whose variances say something about each other: times and rates of one record, or its amounts. Of published
/// figures only the rows of one test in one unit.
type Group = (bool, String);

/// The priors of a record.
pub(super) struct Priors {
    by_group: BTreeMap<Group, Prior>,
    published: bool,
    second_level: f64,
}

impl Priors {
    /// Of `parts`, all that the points of `record` have values of.
    pub(super) fn of<'p>(
        record: &Record,
        parts: impl IntoIterator<Item = &'p PointValues<'p>>,
    ) -> Priors {
        let claims = record.host.as_deref().map(claims).unwrap_or_default();
        let mut priors = Priors {
            by_group: BTreeMap::new(),
            published: record.origin.is_some(),
            second_level: claims.get(1).map_or(USUAL_SECOND, |size| *size as f64),
        };
        let mut spreads: BTreeMap<Group, Vec<Spread>> = BTreeMap::new();
        for part in parts {
            if let Some(spread) = priors.spread(part.planned, &part.processes) {
                let group = priors.group(part.planned);
                spreads.entry(group).or_default().push(spread);
            }
        }
        let fitted = spreads.into_iter();
        priors.by_group = fitted
            .filter_map(|(group, spreads)| Some((group, Prior::fit(&spreads)?)))
            .collect();
        priors
    }

    /// The points of the prior that has most.
    pub(super) fn points(&self) -> usize {
        let points = self.by_group.values().map(Prior::points);
        points.max().unwrap_or_default()
    }

    pub(super) fn of_part(&self, part: &PointValues<'_>) -> Option<Moderated> {
        self.moderate(part.planned, &part.processes)
    }

    /// The moderated variance of the processes' values of a point, or of a part of it.
    pub(super) fn moderate(
        &self,
        planned: &Planned,
        processes: &[ProcessValue],
    ) -> Option<Moderated> {
        let prior = self.by_group.get(&self.group(planned))?;
        prior.moderate(&self.spread(planned, processes)?)
    }

    fn group(&self, planned: &Planned) -> Group {
        let amount = matches!(planned.unit, Unit::Bytes | Unit::Count);
        let test = match self.published {
            true => published(planned),
            false => String::new(),
        };
        (amount, test)
    }

    fn spread(&self, planned: &Planned, processes: &[ProcessValue]) -> Option<Spread> {
        let logs = processes.iter().map(|p| p.value.ln());
        let logs: Vec<f64> = logs.collect();
        if logs.iter().any(|log| !log.is_finite()) {
            return None;
        }
        let within = |of: fn(&ProcessValue) -> Option<f64>, number: usize| {
            let spread = |p: &ProcessValue| of(p).or(p.parts_spread[number]);
            let spreads: Vec<f64> = processes.iter().filter_map(spread).collect();
            median(&spreads).map(|spread| spread.max(LEAST_SPREAD).ln())
        };
        let covariates: [Option<f64>; COVARIATES] = [
            within(|p| p.sample_spread, 0),
            within(|p| p.draw_spread, 1),
            Some(planned.size_bytes.map_or(0.0, |size| self.beyond(size))),
        ];
        Spread::of(&logs, covariates)
    }

    /// How far a size is beyond what a core has for itself, in powers of two.
    fn beyond(&self, size: u64) -> f64 {
        let from = GROWS_FROM * self.second_level;
        (size as f64 / from).log2().clamp(0.0, GROWS_OVER)
    }
}

/// What rows of one published test share: its unit, and its title but for numbers, which tell its rows apart.
fn published(planned: &Planned) -> String {
    let title = planned.title.as_deref().unwrap_or_default();
    let words = title.split_whitespace();
    let words = words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    let title: String = words.collect();
    let symbol = planned.symbol.as_deref().unwrap_or_default();
    let probe = &planned.point.probe;
    format!("{probe} {:?} {symbol} {title}", planned.unit)
}

/// As a record's summary has it.
pub fn shown(moderated: Option<Moderated>) -> Option<Moderation> {
    moderated.map(|m| Moderation {
        sd: m.variance.sqrt(),
        df: m.df,
        prior_sd: m.prior_variance.sqrt(),
        prior_df: m.prior_df,
    })
}
