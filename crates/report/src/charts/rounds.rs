//! What all points share in a round: the drift of the machine.

use std::collections::BTreeMap;

use super::values::prefix;
use super::{Cell, Figure, Side, Table};
use crate::drawing::{Drawing, Line, Lines, Spot, XAxis};
use crate::numbers::count;

/// Fewer rounds show no drift.
const FEWEST: usize = 3;

/// Standard errors of a 95 % interval of a mean over many points.
const STANDARD_ERRORS: f64 = 1.96;

/// A round: its number, the mean over points of how much worse it was (as a share), the half of its
/// interval, and the points.
type Round = (u32, f64, f64, usize);

/// How each round stands to the mean of its record.
pub(super) fn figure(sides: &[Side<'_>]) -> Option<Figure> {
    let mut table = Table::new(&["side", "#round", "#worse by", "#half interval", "#points"]);
    let mut lines = Vec::new();
    for side in sides {
        let rounds = rounds(side);
        if rounds.len() < FEWEST {
            continue;
        }
        let mut spots = Vec::new();
        for (round, mean, half, points) in rounds {
            let (mean, half) = (mean * 100.0, half * 100.0);
            table.row(vec![
                Cell::text(side.letter.to_string()),
                Cell::number(f64::from(round), round.to_string()),
                Cell::number(mean, format!("{mean:+.2} %")),
                Cell::number(half, format!("±{half:.2} %")),
                Cell::number(points as f64, count(points as u64)),
            ]);
            spots.push(Spot {
                x: f64::from(round),
                y: mean,
                band: Some([mean - half, mean + half]),
                tip: format!(
                    "{}round {round}: {mean:+.2} % ±{half:.2}\nover {} points",
                    prefix(side, sides),
                    count(points as u64)
                )
                .into(),
            });
        }
        lines.push(Line {
            name: match sides.len() {
                1 => "mean over points".to_owned(),
                _ => side.in_legend(),
            },
            color: side.color,
            dash: 0,
            spots,
        });
    }
    if lines.is_empty() {
        return None;
    }
    Some(Figure {
        title: "Drift by round".into(),
        reading:
            "Every round measures every point once, in random order. A round that lies off zero \
                  slowed or sped up all of the machine; the band is the 95 % interval over points."
                .into(),
        table,
        drawing: Drawing::Lines(Lines {
            x: XAxis::Number,
            x_name: "round".into(),
            y_name: "worse than the mean of all rounds, %".into(),
            lines,
            lanes: Vec::new(),
            reference: Some(0.0),
        }),
    })
}

/// Over the points that every round has, so that all rounds are of the same points.
fn rounds(side: &Side<'_>) -> Vec<Round> {
    let mut last = 0;
    let mut points: Vec<BTreeMap<u32, f64>> = Vec::new();
    for point in side.summary.points.iter().filter(|p| p.value.is_some()) {
        let mut by_round: BTreeMap<u32, f64> = BTreeMap::new();
        for (process, middles) in side.draw_middles(point) {
            let logs: Vec<f64> = middles.iter().map(|ns| ns.ln()).collect();
            if !logs.is_empty() {
                by_round.insert(process.round, logs.iter().sum::<f64>() / logs.len() as f64);
            }
        }
        last = last.max(by_round.keys().next_back().copied().unwrap_or(0));
        points.push(by_round);
    }
    // An unfinished round has only some of the points.
    let full = |round: u32| {
        let of = points.iter().filter(|p| p.contains_key(&round)).count();
        of * 10 >= points.len() * 9
    };
    let rounds: Vec<u32> = (1..=last).filter(|r| full(*r)).collect();
    points.retain(|p| rounds.iter().all(|r| p.contains_key(r)));
    if points.len() < 2 || rounds.len() < FEWEST {
        return Vec::new();
    }
    let off = |point: &BTreeMap<u32, f64>, round: u32| {
        let values = rounds.iter().filter_map(|r| point.get(r));
        let mean = values.sum::<f64>() / rounds.len() as f64;
        point.get(&round).map_or(0.0, |v| v - mean)
    };
    let n = points.len() as f64;
    let one = |&round: &u32| {
        let values: Vec<f64> = points.iter().map(|p| off(p, round)).collect();
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let error = (squares / (n - 1.0)).sqrt() / n.sqrt();
        (round, mean.exp_m1(), STANDARD_ERRORS * error, points.len())
    };
    rounds.iter().map(one).collect()
}
