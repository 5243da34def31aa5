//! Where the values vary: between samples, draws or processes.

use whyslow_model::summary::PointSummary;

use super::{Cell, Figure, Side, Table};
use crate::drawing::{Drawing, Stack, Stacks, Tip};
use crate::numbers::{percent, relative, uncertain};

/// Bars of the chart; the table has all.
const MOST: usize = 30;

/// The shares of one side, the least known points first.
pub(super) fn figure(side: &Side<'_>, several: bool) -> Option<Figure> {
    let mut points: Vec<(f64, &PointSummary)> = side
        .summary
        .points
        .iter()
        .filter(|p| p.variance.is_some())
        .map(|p| (p.value.as_ref().and_then(relative).unwrap_or(0.0), p))
        .collect();
    if points.is_empty() {
        return None;
    }
    points.sort_by(|a, b| b.0.total_cmp(&a.0));
    let bars = points.iter().take(MOST).filter_map(|(half, point)| {
        let shares = point.variance?;
        let shares = [shares.process, shares.draw, shares.sample];
        let words = ["between processes", "between draws", "between samples"];
        let tips = words.iter().zip(shares).map(|(word, share)| {
            let text = format!(
                "{}\n{} of the variance of a sample lies {word}",
                point.point,
                percent(share)
            );
            Tip::of(&point.point, text)
        });
        Some(Stack {
            name: point.point.to_string(),
            shares: shares.to_vec(),
            text: if *half > 0.0 {
                uncertain(*half)
            } else {
                String::new()
            },
            tips: tips.collect(),
        })
    });
    let bars: Vec<Stack> = bars.collect();
    let drawn = bars.len();
    let some = if drawn < points.len() {
        format!(
            " The {drawn} least known of {} points are drawn.",
            points.len()
        )
    } else {
        String::new()
    };
    Some(Figure {
        title: match several {
            true => format!("Where values vary, {}", side.letter),
            false => "Where values vary".to_owned(),
        },
        reading: format!(
            "Shares of the variance of one sample. Much between draws (fresh allocations) says page \
             placement; much between processes says address space, CPU or the moment; much between \
             samples says that something disturbed the batches. A process is measured once a round, so \
             rounds and processes of one point are the same; the chart of rounds has what all points \
             share. At the right: half of the 95 % interval of the value.{some}"
        ),
        table: table(&points),
        drawing: Drawing::Stacks(Stacks {
            parts: vec![
                ("between processes".into(), 0),
                ("between draws".into(), 1),
                ("between samples".into(), 7),
            ],
            bars,
            axis: "share of the variance of a sample".into(),
        }),
    })
}

fn table(points: &[(f64, &PointSummary)]) -> Table {
    let mut table = Table::new(&[
        "point",
        "#half interval",
        "#processes",
        "#draws",
        "#samples",
        "#left out",
        "modes",
    ]);
    for (half, point) in points {
        let Some(shares) = point.variance else {
            continue;
        };
        let share = |share: f64| Cell::number(share, percent(share));
        let modes = point
            .modes
            .iter()
            .map(|m| format!("{} near {}", m.processes, crate::numbers::number(m.value)));
        table.row(vec![
            Cell::of(&point.point, point.point.to_string()),
            Cell::number(*half, uncertain(*half)),
            share(shares.process),
            share(shares.draw),
            share(shares.sample),
            Cell::number(
                f64::from(point.left_out),
                format!("{} of {}", point.left_out, point.samples),
            ),
            Cell::text(modes.collect::<Vec<_>>().join(", ")),
        ]);
    }
    table
}
