//! Values side by side, for points that have no curve.

use whyslow_model::comparison::SideValue;
use whyslow_model::summary::PointSummary;
use whyslow_model::{Point, Unit};

use super::table::said;
use super::{Cell, Figure, Side, Table};
use crate::drawing::{ChartRow, Drawing, Key, Mark, RowScale, Rows, Tip};
use crate::numbers::{self, Scale};

/// Rows of a chart; the table has all.
const MOST: usize = 60;

/// `A: `, where there are several sides.
pub(super) fn prefix(side: &Side<'_>, sides: &[Side<'_>]) -> String {
    if sides.len() > 1 {
        format!("{}: ", side.label())
    } else {
        String::new()
    }
}

/// The sides and their colors, where there are several.
pub(super) fn legend(sides: &[Side<'_>]) -> Vec<Key> {
    if sides.len() < 2 {
        return Vec::new();
    }
    let keys = sides.iter().map(|side| Key {
        color: side.color,
        dash: 0,
        name: side.in_legend(),
        switch: false,
    });
    keys.collect()
}

/// A chart for each unit of `points`.
pub(super) fn figures(points: &[&Point], sides: &[Side<'_>]) -> Vec<Figure> {
    let mut units: Vec<(Unit, Option<&str>)> = Vec::new();
    let shown = |point: &&&Point| sides.iter().find_map(|s| s.point(point));
    for found in points.iter().filter_map(|p| shown(&p)) {
        let unit = (found.unit, symbol(found));
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    let of_unit = |&(unit, wanted): &(Unit, Option<&str>)| {
        let points = points.iter().filter(|p| {
            shown(p).is_some_and(|found| (found.unit, symbol(found)) == (unit, wanted))
        });
        let points: Vec<&Point> = points.copied().collect();
        figure(unit, wanted, &points, sides)
    };
    units.iter().filter_map(of_unit).collect()
}

fn symbol(point: &PointSummary) -> Option<&str> {
    point
        .symbol
        .as_deref()
        .filter(|_| point.unit == Unit::Count)
}

fn figure(
    unit: Unit,
    symbol: Option<&str>,
    points: &[&Point],
    sides: &[Side<'_>],
) -> Option<Figure> {
    let mut rows: Vec<ChartRow> = points
        .iter()
        .map(|p| row(p, sides))
        .filter(|r| r.marks.iter().any(|m| m.value > 0.0))
        .collect();
    // A picture has no table beside it: what is left out is said in it.
    let left_out = match rows.len() > MOST {
        true => format!("; {MOST} of {} points", rows.len()),
        false => String::new(),
    };
    rows.truncate(MOST);
    // Zeros have no place on a logarithmic axis, but in the table.
    let table = table(points, sides);
    if table.rows.is_empty() {
        return None;
    }
    let what = match (unit, symbol) {
        (Unit::Ns, _) => "ns",
        (Unit::Count, Some(symbol)) => symbol,
        (Unit::Count, None) => "counts",
        (other, _) => other.symbol(),
    };
    let title = match unit {
        Unit::Ns => "Times".to_owned(),
        Unit::GbPerS => "Rates".to_owned(),
        Unit::Ghz => "Clock".to_owned(),
        Unit::Bytes => "Amounts".to_owned(),
        Unit::Count => format!("Figures in {what}"),
    };
    Some(Figure {
        title,
        reading:
            "Values with their 95 % intervals over processes, where there are several; open marks \
                  stand for themselves, because the point has no single value."
                .into(),
        table,
        drawing: Drawing::Rows(Rows {
            scale: match unit {
                Unit::Ns => RowScale::Time,
                _ => RowScale::Value,
            },
            axis: match unit {
                Unit::Ns => format!("time, logarithmic{left_out}"),
                _ => format!("{what}, logarithmic{left_out}"),
            },
            band: None,
            rows,
            whole: false,
            legend: legend(sides),
        }),
    })
}

fn row(point: &Point, sides: &[Side<'_>]) -> ChartRow {
    let mut text = Vec::new();
    let mut title = None;
    let mut marks = Vec::new();
    for side in sides {
        let Some(found) = side.point(point) else {
            continue;
        };
        let name = side.called(&found.point, found.title.as_deref());
        title.get_or_insert_with(|| name.clone());
        let of = prefix(side, sides);
        // Series, then classes, of points without a value of their own.
        let parts = found.series.iter().map(|s| (&s.name, &s.value));
        let classes = found.classes.iter().map(|c| (&c.class, &c.value));
        if let Some(value) = &found.value {
            let scale = Scale::of(found.unit, value.value);
            text.push(format!("{} {}", numbers::parts(value, scale).0, scale.name));
            marks.push(Mark {
                color: side.color.to_string(),
                value: value.value,
                range: value.range,
                open: false,
                others: Vec::new(),
                tip: Tip::of(
                    point,
                    format!("{of}{name}\n{}", said(found.unit, symbol(found), value)),
                ),
            });
        } else {
            for (part, value) in parts.chain(classes) {
                marks.push(Mark {
                    color: side.color.to_string(),
                    value: value.value,
                    range: None,
                    open: true,
                    others: Vec::new(),
                    tip: Tip::of(
                        point,
                        format!("{of}{name}, {part}\n{}", said(found.unit, None, value)),
                    ),
                });
            }
        }
    }
    ChartRow {
        name: title.unwrap_or_else(|| point.to_string()),
        marks,
        text: text.join(" | ").trim().to_owned(),
    }
}

fn table(points: &[&Point], sides: &[Side<'_>]) -> Table {
    let mut table = Table::new(&["point", "part"]);
    for side in sides {
        table.head(format!("{}value", prefix(side, sides)), true);
    }
    for point in points {
        let found: Vec<Option<&PointSummary>> = sides.iter().map(|s| s.point(point)).collect();
        let named = sides.iter().zip(&found).find_map(|(side, p)| {
            let p = (*p)?;
            Some(side.called(&p.point, p.title.as_deref()))
        });
        let title = named.unwrap_or_else(|| point.to_string());
        let mut parts: Vec<String> = vec![String::new()];
        for p in found.iter().flatten().filter(|p| p.value.is_none()) {
            let names = p.series.iter().map(|s| s.name.clone());
            for part in names.chain(p.classes.iter().map(|c| c.class.clone())) {
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        for part in parts {
            let cells = found.iter().map(|p| {
                let value = p.and_then(|p| of_part(p, &part).map(|v| (p, v)));
                value.map_or_else(Cell::default, |(p, v)| Cell::interval(p.unit, symbol(p), v))
            });
            let cells: Vec<Cell> = cells.collect();
            if cells.iter().all(|c| c.text.is_empty()) {
                continue;
            }
            let mut row = vec![Cell::of(point, title.clone()), Cell::text(part)];
            row.extend(cells);
            table.row(row);
        }
    }
    table
}

fn of_part<'a>(
    point: &'a PointSummary,
    part: &str,
) -> Option<&'a whyslow_model::summary::Interval> {
    if part.is_empty() {
        return point.value.as_ref();
    }
    let series = point
        .series
        .iter()
        .find(|s| s.name == part)
        .map(|s| &s.value);
    series.or_else(|| {
        point
            .classes
            .iter()
            .find(|c| c.class == part)
            .map(|c| &c.value)
    })
}

/// A side of a comparison in words.
pub(super) fn side_value(unit: Unit, symbol: Option<&str>, value: &SideValue) -> Cell {
    Cell::interval(unit, symbol, &value.value)
}
