//! The run of one record along its time: its processes, and what disturbed their samples.

use std::collections::BTreeSet;

use whyslow_model::record::{MarkKind, Process, Series};
use whyslow_stats::record::Cores;

use super::{Cell, Figure, Side, Table};
use crate::drawing::{Bin, Dot, Drawing, SERIES, Strip, Tip};
use crate::numbers::{count, percent};

/// Fewer processes are seen in their tables.
const FEWEST: usize = 8;

/// Processes that are drawn: as many marks as can be told apart in the room there is.
const MOST_DOTS: usize = 1_500;

/// Stretches of a run, as many as are seen beside each other on a phone.
const BINS: usize = 48;

/// What disturbs a sample, the least common first, each with the index of its color; a sample counts for the first alone.
const DISTURBED: [(&str, usize); 4] = [
    ("stolen", 4),
    ("SMT sibling busy", 1),
    ("run-queue delay", 0),
    ("switched out", 7),
];

/// The run; none of published figures, and none that is too short to show anything.
pub(super) fn figure(side: &Side<'_>) -> Option<Figure> {
    if side.record.origin.is_some() {
        return None;
    }
    let (kinds, mut dots) = dots(side);
    if dots.len() < FEWEST {
        return None;
    }
    let all = dots.len();
    let every = all.div_ceil(MOST_DOTS);
    dots.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    dots = dots.into_iter().step_by(every).collect();
    let some = match dots.len() {
        drawn if drawn < all => {
            format!(" {drawn} of {all} processes are drawn, evenly over the run.")
        }
        _ => String::new(),
    };
    let bins = bins(side);
    let mut table = Table::new(&["#from, s", "#to, s", "#samples"]);
    for (name, _) in DISTURBED {
        table.head(name, true);
    }
    for (bin, samples) in &bins {
        let mut row = vec![
            Cell::number(bin.from_s, format!("{:.1}", bin.from_s)),
            Cell::number(bin.to_s, format!("{:.1}", bin.to_s)),
            Cell::number(*samples as f64, count(*samples)),
        ];
        let shares = bin.shares.iter();
        row.extend(shares.map(|share| Cell::number(*share, percent(*share))));
        table.row(row);
    }
    Some(Figure {
        title: "The run along its time".into(),
        reading: format!(
            "Above, a mark a process: its time over the median of its point, so that marks which rise together say that \
             something slowed everything then. Below, the share of the samples that something disturbed.{some}"
        ),
        table,
        drawing: Drawing::Strip(Strip {
            kinds,
            dots,
            parts: DISTURBED
                .map(|(name, color)| (name.to_owned(), color))
                .into(),
            bins: bins.into_iter().map(|(bin, _)| bin).collect(),
        }),
    })
}

/// The families of points with their colors, and the processes of points that have several.
fn dots(side: &Side<'_>) -> (Vec<(String, usize)>, Vec<Dot>) {
    let mut families: Vec<&str> = Vec::new();
    let mut dots = Vec::new();
    for point in &side.summary.points {
        let by_process = side.draw_middles(point);
        let means: Vec<(&Process, f64)> = by_process
            .iter()
            .filter(|(_, middles)| !middles.is_empty())
            .map(|(process, middles)| {
                let logs = middles.iter().map(|ns| ns.ln()).sum::<f64>();
                (*process, logs / middles.len() as f64)
            })
            .filter(|(_, log)| log.is_finite())
            .collect();
        let mut logs: Vec<f64> = means.iter().map(|(_, log)| *log).collect();
        logs.sort_by(f64::total_cmp);
        if logs.len() < 2 {
            continue;
        }
        let median = f64::midpoint(logs[(logs.len() - 1) / 2], logs[logs.len() / 2]);
        let family = point.point.probe.split('.').next().unwrap_or_default();
        let kind = families.iter().position(|f| *f == family);
        let kind = kind.unwrap_or_else(|| {
            families.push(family);
            families.len() - 1
        });
        dots.extend(means.into_iter().map(|(process, log)| {
            let ratio = (log - median).exp();
            let text = format!(
                "{}\nround {}, at {:.1} s: {:.3} times the median",
                point.point,
                process.round,
                process.at_ms / 1e3,
                ratio
            );
            Dot {
                at_s: process.at_ms / 1e3,
                ratio,
                kind,
                tip: Tip::of(&point.point, text),
            }
        }));
    }
    let kinds = families.iter().enumerate();
    let kinds = kinds.map(|(i, name)| (format!("{name}.*"), i % SERIES));
    (kinds.collect(), dots)
}

/// Equal stretches of the run with their samples; those without samples are left out.
fn bins(side: &Side<'_>) -> Vec<(Bin, u64)> {
    let cores = Cores::of([side.record]);
    let processes = || {
        let planned = side.summary.points.iter();
        planned.flat_map(|point| side.measured(&point.point))
    };
    let ends = processes().map(|(_, process, _)| process.at_ms + process.wall_ms);
    let end = ends.fold(0.0, f64::max);
    let mut counts = vec![([0_u64; DISTURBED.len()], 0_u64); BINS];
    for (_, process, draws) in processes() {
        let middle = process.at_ms + process.wall_ms / 2.0;
        let at = ((middle / end * BINS as f64) as usize).min(BINS - 1);
        for series in draws.iter().flat_map(|draw| &draw.series) {
            let beside: BTreeSet<usize> = cores.beside_batches(process, series).collect();
            counts[at].1 += series.ns.len() as u64;
            for sample in 0..series.ns.len() {
                if let Some(kind) = disturbed(series, sample, &beside) {
                    counts[at].0[kind] += 1;
                }
            }
        }
    }
    let wide = end / 1e3 / BINS as f64;
    let bins = counts.into_iter().enumerate();
    let bins = bins.filter(|(_, (_, samples))| *samples > 0);
    bins.map(|(i, (by_kind, samples))| {
        let shares = by_kind.map(|n| n as f64 / samples as f64);
        let (from_s, to_s) = (wide * i as f64, wide * (i + 1) as f64);
        let mut text = format!("{from_s:.1} to {to_s:.1} s, {} samples", count(samples));
        for ((name, _), share) in DISTURBED.iter().zip(shares) {
            if share > 0.0 {
                text += &format!("\n{name}: {}", percent(share));
            }
        }
        let bin = Bin {
            from_s,
            to_s,
            shares: shares.into(),
            tip: text.into(),
        };
        (bin, samples)
    })
    .collect()
}

/// What disturbed a sample, as an index of [`DISTURBED`].
fn disturbed(series: &Series, sample: usize, beside: &BTreeSet<usize>) -> Option<usize> {
    let marks = series.marks.iter().filter(|m| m.sample as usize == sample);
    let kinds: Vec<MarkKind> = marks.map(|m| m.what).collect();
    let has = |wanted: &[MarkKind]| kinds.iter().any(|kind| wanted.contains(kind));
    if has(&[MarkKind::StealTicks, MarkKind::StolenNs]) {
        Some(0)
    } else if beside.contains(&sample) {
        Some(1)
    } else if has(&[MarkKind::RunDelayNs]) {
        Some(2)
    } else if has(&[MarkKind::Switches, MarkKind::Migrations]) {
        Some(3)
    } else {
        None
    }
}
