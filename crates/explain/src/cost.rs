//! Differences as time added to an operation, and few prices that explain many of them.

use whyslow_model::cost::{Mechanism, counts, ns_each};
use whyslow_model::explanation::{Price, Unpriced};
use whyslow_model::{Better, Unit};
use whyslow_stats::prices::{PricedRow, made_up, prices};

use crate::case::{Case, Moved};

/// What a row without repetitions repeats to, as a share of its time: published single runs of the classic suites.
const REPEATS: f64 = 0.05;

/// No row is known better than this, as counts of operations are round figures.
const ROUND: f64 = 0.02;

/// Half-widths of 95 % intervals in standard errors.
const WIDE: f64 = 1.96;

/// A row is explained where the prices leave this share of it at most.
const LEFT: f64 = 0.4;

/// Rows that a price rests on at least.
const FEWEST: usize = 3;

/// Rows left that are named.
const NAMED: usize = 4;

/// The prices of a case, and what they do not explain.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Costs {
    /// The price of each mechanism.
    pub(crate) prices: Vec<Price>,
    /// Rows that moved otherwise.
    pub(crate) unpriced: Vec<Unpriced>,
}

/// A row as time.
struct Timed<'c> {
    name: &'c str,
    /// Time of an operation in A, ns.
    before: f64,
    moved: bool,
    row: PricedRow,
}

/// Nanoseconds of an operation on each side.
fn times(point: &Moved<'_>) -> Option<[f64; 2]> {
    let of = |value: f64| {
        let symbol = point.point.symbol.as_deref();
        match (point.point.unit, symbol) {
            (Unit::Ns, None) => Some(value),
            (_, Some(symbol)) => ns_each(value, symbol),
            // Rows of BYTE are loops a second where their table gives no unit.
            (_, None) => (point.point.better == Better::Higher
                && point.point.point.probe.starts_with("byte."))
            .then(|| 1e9 / value),
        }
    };
    let [a, b] = [&point.point.a, &point.point.b].map(|s| of(s.value.value));
    Some([a?, b?])
}

fn timed<'c>(point: &'c Moved<'_>) -> Option<Timed<'c>> {
    let does = counts(&point.point.point, point.role);
    if does.is_empty() {
        return None;
    }
    let [before, after] = times(point)?;
    let spread = point
        .range
        .map_or(REPEATS, |[lo, hi]| (hi - lo) / (2.0 * WIDE));
    let of = |mechanism: &Mechanism| {
        let found = does.iter().find(|(m, _)| m == mechanism);
        found.map_or(0.0, |(_, n)| *n)
    };
    Some(Timed {
        name: &point.name,
        before,
        moved: point.moved,
        row: PricedRow {
            added: after - before,
            error: spread.max(ROUND) * before.max(after),
            counts: Mechanism::ALL.iter().map(of).collect(),
        },
    })
}

/// Fits prices to every row whose operation is known.
pub(crate) fn costs(case: &Case<'_>) -> Costs {
    let rows: Vec<Timed<'_>> = case.points.iter().filter_map(timed).collect();
    if rows.len() < FEWEST || !rows.iter().any(|r| r.moved) {
        return Costs::default();
    }
    let plain: Vec<PricedRow> = rows.iter().map(|r| r.row.clone()).collect();
    let taken = prices(&plain);
    let whole: f64 = rows.iter().map(|r| r.row.added.abs() / r.before).sum();
    let repeated = case.points.iter().any(|p| p.range.is_some());
    let explained = |t: &Timed<'_>| {
        let left = (t.row.added - made_up(&t.row, &taken)).abs();
        left <= (LEFT * t.row.added.abs()).max(WIDE * t.row.error)
    };
    let priced = taken.iter().filter_map(|priced| {
        let mechanism = *Mechanism::ALL.get(priced.mechanism)?;
        let alone = [*priced];
        let part = |t: &Timed<'_>| made_up(&t.row, &alone);
        let of = rows
            .iter()
            .filter(|t| t.moved && explained(t) && part(t).abs() * 2.0 >= t.row.added.abs());
        let share: f64 = rows
            .iter()
            .filter(|t| part(t) * t.row.added > 0.0)
            .map(|t| part(t).abs().min(t.row.added.abs()) / t.before)
            .sum();
        let price = Price {
            mechanism: mechanism.name().to_owned(),
            each_ns: priced.price,
            range: repeated.then(|| {
                let half = WIDE * priced.error;
                [priced.price - half, priced.price + half]
            }),
            explains: of.count() as u32,
            rows: rows.len() as u32,
            share: share / whole,
        };
        (price.explains > 0).then_some(price)
    });
    let mut priced: Vec<Price> = priced.collect();
    priced.sort_by(|x, y| y.share.total_cmp(&x.share));
    if priced.is_empty() {
        return Costs::default();
    }
    let first = priced.first().map(|p| p.each_ns);
    let mut left: Vec<(f64, Unpriced)> = rows
        .iter()
        .filter(|t| t.moved && !explained(t))
        .map(|t| {
            let rest = t.row.added - made_up(&t.row, &taken);
            let unpriced = Unpriced {
                row: t.name.to_owned(),
                added_ns: t.row.added,
                left_ns: rest,
                would_be: first.map(|price| rest / price),
            };
            (rest.abs() / t.before, unpriced)
        })
        .collect();
    left.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    left.truncate(NAMED);
    Costs {
        prices: priced,
        unpriced: left.into_iter().map(|(_, u)| u).collect(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_row_with_counts_of_its_own_exists() {
        for start in whyslow_model::cost::rows() {
            let ours = whyslow_probes::registry().any(|probe| probe.id.starts_with(start));
            let theirs = start
                .parse()
                .ok()
                .and_then(|point| whyslow_import::roles(&point));
            assert!(
                ours || theirs.is_some(),
                "{start}: no probe and no row of a format begins so"
            );
        }
    }
}
