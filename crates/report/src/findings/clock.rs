//! The clock of the cores, as each worker found it.

use whyslow_model::Unit;
use whyslow_stats::quantile::quantile;

use super::{Finding, Rank};
use crate::numbers::{number, percent};
use crate::view::View;

/// A spread below this leaves values that take cycles within the 2 % that a careful reader asks of
/// two runs.
const WORTH: f64 = 0.03;

/// Fewer workers than this make no distribution.
const FEWEST: usize = 20;

/// The cores did not run at one clock throughout.
pub(super) fn moved(view: &View<'_>) -> Option<Finding> {
    let rounds = view.record.processes.iter().filter(|p| p.round > 0);
    let seen: Vec<f64> = rounds.filter_map(|p| p.ghz).flatten().collect();
    if seen.len() < FEWEST {
        return None;
    }
    // A tenth on either side is left to interrupted readings.
    let (low, high) = (quantile(&seen, 0.1)?, quantile(&seen, 0.9)?);
    let spread = high / low - 1.0;
    if spread < WORTH {
        return None;
    }
    Finding::new(
        Rank::Moved,
        format!(
            "The clock moved between processes: eight in ten readings lie from {} to {} {}, {} \
             apart. Whatever takes cycles moved with it; each process's clock is in the record.",
            number(low),
            number(high),
            Unit::Ghz.symbol(),
            percent(spread),
        ),
    )
}
