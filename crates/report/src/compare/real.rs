//! The real differences, largest and surest on top, with a bar for each interval.

use whyslow_model::comparison::{Comparison, PointComparison, Size, Verdict};

use super::head::is_shown;
use super::words;
use crate::numbers;
use crate::page::Screen;
use crate::text::{Style, Text};

/// Columns of a bar; enough to tell sides and sizes, and 80 columns still hold the name.
const BAR: usize = 13;

/// Columns of ratio and interval.
const RATIO: usize = 8;

/// Columns of how it went: `▲ shorter`.
const DIRECTION: usize = 9;
const RANGE: usize = 16;

/// Narrower pages have no bars.
const LEAST_FOR_BARS: usize = 72;

/// Differences listed before the negligible ones are only counted.
const MOST_NEGLIGIBLE: usize = 5;

/// Surest first: above the margin, then straddling it, then negligible; the largest first in each.
pub(crate) fn ordered(comparison: &Comparison) -> Vec<&PointComparison> {
    let mut real: Vec<&PointComparison> =
        comparison.points.iter().filter(|p| is_shown(p)).collect();
    let rank = |p: &PointComparison| match size(p) {
        Some(Size::Above) => 0,
        Some(Size::Straddles) => 1,
        _ => 2,
    };
    let moved = |p: &PointComparison| p.ratio.map_or(0.0, |r| r.ln().abs());
    real.sort_by(|x, y| rank(x).cmp(&rank(y)).then(moved(y).total_cmp(&moved(x))));
    real
}

pub(crate) fn size(point: &PointComparison) -> Option<Size> {
    match point.verdict {
        Verdict::Slower { size } | Verdict::Faster { size } | Verdict::Differs { size } => {
            Some(size)
        }
        _ => None,
    }
}

/// How a real difference lies to its margin.
pub(crate) fn sized(point: &PointComparison) -> String {
    let margin = numbers::percent(point.margin);
    match size(point) {
        Some(Size::Above) => format!("more than ±{margin}"),
        Some(Size::Straddles) => format!("may be below ±{margin}"),
        Some(Size::Negligible) => format!("below ±{margin}"),
        None => String::new(),
    }
}

pub(crate) fn section(comparison: &Comparison, page: &mut Screen) {
    let real = ordered(comparison);
    if real.is_empty() {
        return;
    }
    let rules = &comparison.rules;
    let remark = format!(
        "B against A, {} intervals; {}; surely more than ±{} unless said",
        words::share(rules.selected_coverage),
        words::SHAPES,
        words::share(rules.margin)
    );
    page.heading("REAL DIFFERENCES", &remark);
    let bars = Bars::over(&real).filter(|_| page.width() >= LEAST_FOR_BARS);
    let mut negligible = 0;
    for point in &real {
        if size(point) == Some(Size::Negligible) {
            negligible += 1;
            if negligible > MOST_NEGLIGIBLE {
                continue;
            }
        }
        row(point, bars.as_ref(), rules.margin, page);
    }
    if negligible > MOST_NEGLIGIBLE {
        let more = negligible - MOST_NEGLIGIBLE;
        page.flow(
            2,
            2,
            Text::dim(format!("and {more} more that are negligible")),
        );
    }
}

fn row(point: &PointComparison, bars: Option<&Bars>, margin: f64, page: &mut Screen) {
    let ratio = point.ratio.unwrap_or(1.0);
    let range = point.range.map(|r| words::range(ratio, r));
    let mut first = Text::plain(words::direction(point))
        .pad(DIRECTION)
        .and(Style::Strong, format!("{:>RATIO$}", words::ratio(ratio)))
        .and(Style::Dim, " ")
        .and(Style::Dim, range.unwrap_or_default())
        .pad(DIRECTION + 1 + RATIO + RANGE);
    if let Some(bars) = bars {
        first = first.then(bars.draw(point)).and(Style::Plain, " ");
    }
    let mut text = Text::plain(words::name(point))
        .and(Style::Dim, words::GAP)
        .and(Style::Dim, words::values(point));
    // Above the common margin goes without saying; a point's own margin may be wider.
    if size(point) != Some(Size::Above) || point.margin > margin * 1.5 {
        text = text.and(Style::Dim, format!(", {}", sized(point)));
    }
    for note in &point.notes {
        text = text.and(Style::Dim, format!("; {note}"));
    }
    let at = first.width();
    for (i, line) in text
        .wrap(page.width().saturating_sub(at))
        .into_iter()
        .enumerate()
    {
        let start = if i == 0 {
            first.clone()
        } else {
            Text::default().pad(at)
        };
        page.line(start.then(line));
    }
}

/// The logarithms of an interval of ratios on an axis whose right is better, in ascending order; none where there is
/// no interval, or one that says nothing.
fn right_is_better(point: &PointComparison, range: Option<[f64; 2]>) -> Vec<f64> {
    let quantity = words::quantity(point);
    let turned = |range: [f64; 2]| quantity.turned_range(range.map(|r| -r.ln()));
    words::told(range).map_or_else(Vec::new, |range| turned(range).to_vec())
}

/// One logarithmic scale for all bars, with "no difference" on it; right is better.
struct Bars {
    low: f64,
    high: f64,
}

impl Bars {
    fn over(points: &[&PointComparison]) -> Option<Bars> {
        let ends = points.iter().flat_map(|p| right_is_better(p, p.range));
        let (low, high) = ends.fold((0.0_f64, 0.0_f64), |(low, high), end| {
            (low.min(end), high.max(end))
        });
        (high > low && (high - low).is_finite()).then_some(Bars { low, high })
    }

    fn column(&self, log: f64) -> usize {
        let share = (log - self.low) / (self.high - self.low);
        (share * (BAR - 1) as f64)
            .round()
            .clamp(0.0, (BAR - 1) as f64) as usize
    }

    fn draw(&self, point: &PointComparison) -> Text {
        let mut cells = [' '; BAR];
        cells[self.column(0.0)] = '│';
        if let [lo, hi] = right_is_better(point, point.range)[..] {
            cells[self.column(lo)..=self.column(hi)].fill('─');
        }
        if let [at, _] = right_is_better(point, point.ratio.map(|r| [r, r]))[..] {
            cells[self.column(at)] = '●';
        }
        Text::default().and(Style::Accent, cells.iter().collect::<String>())
    }
}
