//! The core's clock on both sides, and which points are held against each other at one clock.
//!
//! The clock of a host wanders from run to run, by a percent or three on a shared machine, and
//! no change under comparison causes that. Points of one host whose processes follow the clock are therefore
//! compared at the mean clock of both sides. A clock that stands further off than wandering explains
//! is a finding: everything stays as measured then.

use whyslow_model::Unit;
use whyslow_model::comparison::Clock;
use whyslow_stats::clock::{Pace, follows};
use whyslow_stats::record::ProcessValue;

use crate::side::{Gathered, SidePoint};

/// Runs of one shared host were seen up to 3 % apart; a governor's steps and turbo's are larger than
/// this.
const WANDERS: f64 = 0.05;

/// The clocks of two sides of one host.
pub(crate) fn of(a: &Gathered<'_>, b: &Gathered<'_>, wanted: bool) -> Option<Clock> {
    if !a.same_host(b) {
        return None;
    }
    let ghz = [mean(a)?, mean(b)?];
    let apart = (ghz[1] / ghz[0]).ln().abs();
    Some(Clock {
        ghz,
        at: (wanted && apart <= WANDERS.ln_1p()).then(|| (ghz[0] * ghz[1]).sqrt()),
        points: 0,
    })
}

/// The clock of a side, GHz: the geometric mean over its processes.
fn mean(side: &Gathered<'_>) -> Option<f64> {
    let values = side.points.iter().flat_map(|p| &p.values);
    let logs: Vec<f64> = values.filter_map(|(_, v)| Some(v.ghz?.ln())).collect();
    let sum: f64 = logs.iter().sum();
    Some((sum / logs.len() as f64).exp()).filter(|ghz| ghz.is_finite())
}

/// The clock at which the two are compared, if their processes follow it.
pub(crate) fn shared(clock: Option<&Clock>, a: &SidePoint<'_>, b: &SidePoint<'_>) -> Option<f64> {
    let at = clock?.at?;
    let (a, b) = (paces(a)?, paces(b)?);
    follows([&a, &b]).then_some(at)
}

fn paces(point: &SidePoint<'_>) -> Option<Vec<Pace>> {
    let unit = point.planned.unit;
    // A clock would follow itself, and amounts have no pace.
    if matches!(unit, Unit::Ghz | Unit::Bytes | Unit::Count) {
        return None;
    }
    let pace = |value: &ProcessValue| {
        let log = value.value.ln();
        Some([if unit.is_rate() { -log } else { log }, value.ghz?.ln()])
    };
    point.values.iter().map(|(_, value)| pace(value)).collect()
}
