//! Ratios with their intervals: what differs, and how surely.

use whyslow_compare::is_real;
use whyslow_model::Unit;
use whyslow_model::comparison::{Comparison, PointComparison, Size, Verdict};

use super::values::side_value;
use super::{Cell, Figure, Side, Table};
use crate::compare::words;
use crate::drawing::{ChartRow, Drawing, Mark, RowScale, Rows, Tip};
use crate::numbers;

/// Rows of the chart; the table has all.
pub(super) const MOST: usize = 40;

/// Rows that are taken in at one look, on a phone as well.
const AT_ONE_LOOK: usize = 8;

/// Open points that are drawn beneath the real differences.
const MOST_OPEN: usize = 12;

/// All points, the surest first: real and above the margin, then straddling it, then negligible, then
/// what could not be decided or tested, then the same; the largest first in each.
pub(crate) fn certain_first(comparison: &Comparison) -> Vec<&PointComparison> {
    let rank = |p: &PointComparison| match &p.verdict {
        Verdict::Slower { size } | Verdict::Faster { size } | Verdict::Differs { size } => {
            match size {
                Size::Above => 0,
                Size::Straddles => 2,
                Size::Negligible => 3,
            }
        }
        Verdict::Modes { real: true } => 1,
        // Where nothing could be tested the ratios are all there is.
        Verdict::Untested { .. } if comparison.rules.tested == 0 => 4,
        Verdict::Untested { .. } => 7,
        Verdict::Undecided { .. } | Verdict::Modes { real: false } => 5,
        Verdict::Same => 6,
        Verdict::NotComparable { .. } => 8,
    };
    let moved = |p: &PointComparison| p.ratio.map_or(0.0, |r| r.ln().abs());
    let mut points: Vec<&PointComparison> = comparison.points.iter().collect();
    points.sort_by(|x, y| rank(x).cmp(&rank(y)).then(moved(y).total_cmp(&moved(x))));
    points
}

/// A verdict in words, with the class of its color.
pub(crate) fn verdict(point: &PointComparison) -> (String, &'static str) {
    let size = |size: &Size| match size {
        Size::Above => "",
        Size::Straddles => ", may be below the margin",
        Size::Negligible => ", negligible",
    };
    match &point.verdict {
        Verdict::Slower { size: s } => (format!("{}{}", words::direction(point), size(s)), "bad"),
        Verdict::Faster { size: s } => (format!("{}{}", words::direction(point), size(s)), "good"),
        Verdict::Differs { size: s } => (format!("{}{}", words::direction(point), size(s)), "open"),
        Verdict::Same => ("same".into(), "same"),
        Verdict::Undecided { more: Some(more) } => (
            format!("undecided, about {} more", numbers::count((*more).into())),
            "open",
        ),
        Verdict::Undecided { more: None } => ("undecided".into(), "open"),
        Verdict::Modes { real: true } => ("other shares of modes".into(), "bad"),
        Verdict::Modes { real: false } => ("modes, undecided".into(), "open"),
        Verdict::Untested { why } => (format!("not tested: {why}"), "open"),
        Verdict::NotComparable { why } => (format!("not comparable: {why}"), "open"),
    }
}

/// The ratios of one comparison or of several with the same side A.
pub(super) fn figure(
    comparisons: &[Comparison],
    sides: &[Side<'_>],
    most: usize,
) -> Option<Figure> {
    let first = comparisons.first()?;
    let several = comparisons.len() > 1;
    let chosen = chosen(first, most);
    let rows: Vec<ChartRow> = chosen
        .iter()
        .map(|point| row(point, comparisons, sides, several))
        .filter(|r| !r.marks.is_empty())
        .collect();
    if rows.is_empty() {
        return None;
    }
    let margin = first.rules.margin;
    let others: Vec<String> = sides.iter().skip(1).map(Side::label).collect();
    let of = if others.is_empty() {
        "B".to_owned()
    } else {
        others.join(", ")
    };
    let a = sides.first().map_or("A".to_owned(), Side::label);
    Some(Figure {
        title: format!("{of} against {a}"),
        reading: reading(first, rows.len()),
        table: Table::default(),
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Ratio,
            axis: format!("{of} against {a}, logarithmic:  ← worse · better →"),
            band: Some([1.0 / (1.0 + margin), 1.0 + margin]),
            rows,
            whole: false,
            legend: match several {
                true => super::values::legend(sides).into_iter().skip(1).collect(),
                // The colors are those of verdicts, which the text below the title names.
                false => Vec::new(),
            },
        }),
    })
}

/// The surest of the first comparison, for one look, with the numbers behind it: no table of all stands beside it.
pub(super) fn surest(comparisons: &[Comparison], sides: &[Side<'_>]) -> Option<Figure> {
    let mut figure = figure(comparisons, sides, AT_ONE_LOOK)?;
    let first = comparisons.first()?;
    let letter = sides.get(1).map_or('B', |side| side.letter);
    figure.table = table_of(chosen(first, AT_ONE_LOOK), letter, sides);
    Some(figure)
}

fn reading(comparison: &Comparison, drawn: usize) -> String {
    let rules = &comparison.rules;
    let all = comparison.points.len();
    let some = if drawn < all {
        format!(
            " {drawn} of {all} points are drawn, the surest first; the table of differences has all."
        )
    } else {
        String::new()
    };
    let margin = words::share(rules.margin);
    if rules.tested == 0 {
        return format!(
            "One value a side: ratios (right, green: better; left, red: worse), and no claim about chance. The gray \
             band is ±{margin}.{some}"
        );
    }
    let besides: String = words::conditions(comparison)
        .map(|said| format!(" Besides: {said}."))
        .collect();
    format!(
        "Filled marks are real differences (right, green: better; left, red: worse) with {} intervals, open marks are \
         undecided; undecided is not the same. The gray band is the margin of ±{margin}.{some}{besides}",
        words::share(rules.selected_coverage)
    )
}

/// What is drawn: real differences first, then the largest that are open.
fn chosen(comparison: &Comparison, most: usize) -> Vec<&PointComparison> {
    let sorted = certain_first(comparison);
    let drawable = |p: &&PointComparison| p.ratio.is_some_and(|r| r.is_finite() && r > 0.0);
    let nothing_tested = comparison.rules.tested == 0;
    let real = |p: &PointComparison| {
        let all_there_is = nothing_tested && matches!(p.verdict, Verdict::Untested { .. });
        is_real(&p.verdict) || all_there_is
    };
    let mut rows: Vec<&PointComparison> = sorted
        .iter()
        .copied()
        .filter(drawable)
        .filter(|p| real(p))
        .take(most)
        .collect();
    let open = sorted.iter().copied().filter(drawable).filter(|p| !real(p));
    // At one look only what was asked about.
    let room = match most {
        AT_ONE_LOOK if !rows.is_empty() => 0,
        _ => (most - rows.len()).min(MOST_OPEN),
    };
    rows.extend(open.take(room));
    rows
}

fn row(
    point: &PointComparison,
    comparisons: &[Comparison],
    sides: &[Side<'_>],
    several: bool,
) -> ChartRow {
    let mut marks = Vec::new();
    let mut text = String::new();
    for (i, comparison) in comparisons.iter().enumerate() {
        let same = |p: &&PointComparison| p.point == point.point && p.part == point.part;
        let Some(found) = comparison.points.iter().find(same) else {
            continue;
        };
        let Some(ratio) = found.ratio.filter(|r| r.is_finite() && *r > 0.0) else {
            continue;
        };
        let (words, class) = verdict(found);
        let letter = sides.get(i + 1).map_or('B', |s| s.letter);
        let range = found
            .range
            .map(|r| format!(" {}", words::interval(ratio, r)));
        let range = range.unwrap_or_default();
        if i == 0 {
            text = format!("{}{range}", words::said(found, ratio));
        }
        marks.push(Mark {
            color: match (several, class) {
                (true, _) => sides.get(i + 1).map_or(1, |s| s.color).to_string(),
                (false, _) if matches!(found.verdict, Verdict::Untested { .. }) => {
                    direction(found, ratio).to_owned()
                }
                (false, "same") => "open".into(),
                (false, class) => class.to_owned(),
            },
            value: better(found, [ratio; 2])[0],
            range: words::told(found.range).map(|range| better(found, range)),
            open: !is_real(&found.verdict),
            others: Vec::new(),
            tip: Tip::of(
                &found.point,
                format!(
                    "{}\n{letter}: {}{range}, {words}\n{}",
                    name(found, sides),
                    words::said(found, ratio),
                    words::values(found)
                ),
            ),
        });
    }
    ChartRow {
        name: name(point, sides),
        marks,
        text,
    }
}

/// Ratios on an axis whose right is better, in ascending order.
fn better(point: &PointComparison, range: [f64; 2]) -> [f64; 2] {
    let range = range.map(|r| -r.ln());
    words::quantity(point).turned_range(range).map(f64::exp)
}

/// The color of a ratio that was not tested: its direction is a fact, if not a claim.
fn direction(point: &PointComparison, ratio: f64) -> &'static str {
    let Some(worse) = point.better.worse(ratio.ln()) else {
        return "open";
    };
    match worse {
        w if w > point.margin.ln_1p() => "bad",
        w if w < -point.margin.ln_1p() => "good",
        _ => "open",
    }
}

/// What a point is called, with its part.
fn name(point: &PointComparison, sides: &[Side<'_>]) -> String {
    let title = point.title.as_deref();
    let name = match sides.first() {
        Some(side) => side.called(&point.point, title),
        None => words::name(point),
    };
    match &point.part {
        Some(part) => format!("{name}, {part}"),
        None => name,
    }
}

/// Every point of a comparison, the surest first.
pub(super) fn table(comparison: &Comparison, letter: char, sides: &[Side<'_>]) -> Table {
    table_of(certain_first(comparison), letter, sides)
}

fn table_of(points: Vec<&PointComparison>, letter: char, sides: &[Side<'_>]) -> Table {
    let mut table = Table::new(&["verdict", "point"]);
    table.head(format!("{letter} against A"), true);
    table.head("interval", false);
    table.head("A", true);
    table.head(letter.to_string(), true);
    table.head("p, adjusted", true);
    table.head("notes", false);
    for point in points {
        let (words, class) = verdict(point);
        let ratio = point.ratio.unwrap_or(f64::NAN);
        let symbol = point
            .symbol
            .as_deref()
            .filter(|_| point.unit == Unit::Count);
        let p = point.p_adjusted.map_or_else(Cell::default, |p| {
            Cell::number(
                p,
                if p < 0.001 {
                    "< 0.001".into()
                } else {
                    format!("{p:.3}")
                },
            )
        });
        table.row(vec![
            Cell::text(words).with(class),
            Cell::of(&point.point, name(point, sides)).with("p"),
            match point.ratio {
                Some(_) => Cell::number(ratio, words::said(point, ratio)),
                None => Cell::default(),
            },
            Cell::text(
                point
                    .range
                    .map_or(String::new(), |r| words::interval(ratio, r)),
            )
            .with("i"),
            side_value(point.unit, symbol, &point.a),
            side_value(point.unit, symbol, &point.b),
            p,
            Cell::text(notes(point)).with("w"),
        ]);
    }
    table
}

fn notes(point: &PointComparison) -> String {
    let mut notes = point.notes.clone();
    if !point.modes.is_empty() {
        let modes = point.modes.iter().map(|m| {
            format!(
                "near {}: {} of A, {} of B",
                numbers::number(m.value),
                m.a,
                m.b
            )
        });
        notes.push(format!("modes {}", modes.collect::<Vec<_>>().join("; ")));
    }
    for spread in &point.spread {
        notes.push(
            format!(
                "spread between {:?}s: {} in A, {} in B",
                spread.level,
                numbers::percent(spread.a),
                numbers::percent(spread.b)
            )
            .to_lowercase()
            .replace(" a,", " A,"),
        );
    }
    notes.join("; ")
}
