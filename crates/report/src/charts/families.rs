//! Points that differ in one number, drawn over it: context switches by processes, page walks by
//! pages, misses by chains, or another tool's curve.

use std::collections::{BTreeMap, HashSet};

use whyslow_model::id;
use whyslow_model::summary::{Interval, PointSummary};
use whyslow_model::{Point, Unit, size};

use super::table::said;
use super::values::prefix;
use super::{Cell, Figure, Side, Table};
use crate::drawing::{Drawing, Line, Lines, SERIES, Spot, Tip, XAxis};
use crate::numbers;

/// Fewer values of the number are no curve.
const FEWEST: usize = 3;

/// Curves of a side in one chart; more cannot be told apart.
const CURVES: usize = SERIES;

/// Charts on a page; the table of all points has every value.
const MOST: usize = 16;

/// A point, or a series of one, that lies at a number.
struct Place<'a> {
    x: f64,
    value: &'a Interval,
    unit: Unit,
    symbol: Option<&'a str>,
    point: &'a Point,
}

/// The points of a probe over one of their parameters.
struct Family<'a> {
    probe: &'a str,
    over: String,
    bytes: bool,
    /// By the side and the rest of the name.
    curves: BTreeMap<(usize, String), Vec<Place<'a>>>,
}

/// A chart for each probe whose points lie along a number, and the points that they show.
pub(super) fn figures<'a>(
    sides: &'a [Side<'a>],
    taken: &HashSet<&Point>,
) -> (Vec<Figure>, Vec<&'a Point>) {
    let mut probes: Vec<&str> = Vec::new();
    for point in sides.iter().flat_map(|s| &s.summary.points) {
        let probe = point.point.probe.as_str();
        if !probes.contains(&probe) && !taken.contains(&point.point) {
            probes.push(probe);
        }
    }
    let (mut figures, mut shown) = (Vec::new(), Vec::new());
    for probe in probes {
        if figures.len() == MOST {
            break;
        }
        let points = |side: &'a Side<'a>| {
            let all = side.summary.points.iter();
            all.filter(move |p| p.point.probe == probe && !taken.contains(&p.point))
        };
        let Some(family) =
            by_param(sides, probe, &points).or_else(|| by_series(sides, probe, &points))
        else {
            continue;
        };
        if let Some(figure) = family.figure(sides) {
            figures.push(figure);
            shown.extend(sides.iter().flat_map(points).map(|p| &p.point));
        }
    }
    (figures, shown)
}

/// The number in a parameter: a size or a count.
fn number(text: &str) -> Option<(f64, bool)> {
    if let Ok(count) = text.parse::<f64>() {
        return Some((count, false)).filter(|_| count.is_finite());
    }
    size::parse(text).map(|bytes| (bytes as f64, true))
}

/// Over the parameter that takes most values.
fn by_param<'a, I>(
    sides: &'a [Side<'a>],
    probe: &'a str,
    points: &impl Fn(&'a Side<'a>) -> I,
) -> Option<Family<'a>>
where
    I: Iterator<Item = &'a PointSummary>,
{
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for point in sides.iter().flat_map(points).filter(|p| p.value.is_some()) {
        for (name, text) in &point.point.params {
            if let Some((value, _)) = number(text).filter(|(v, _)| *v > 0.0) {
                let all = values.entry(name).or_default();
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
    }
    let (over, _) = values
        .into_iter()
        .filter(|(_, v)| v.len() >= FEWEST)
        .max_by_key(|(_, v)| v.len())?;
    let mut family = Family {
        probe,
        over: over.to_owned(),
        bytes: false,
        curves: BTreeMap::new(),
    };
    for (i, side) in sides.iter().enumerate() {
        for point in points(side) {
            let found = point
                .point
                .get(over)
                .and_then(number)
                .filter(|(x, _)| *x > 0.0);
            let (Some(value), Some((x, bytes))) = (&point.value, found) else {
                continue;
            };
            family.bytes |= bytes;
            let rest = point.point.params.iter().filter(|(n, _)| n != over);
            let rest: Vec<String> = rest.map(|(n, v)| format!("{n}={v}")).collect();
            family.put((i, rest.join(" ")), x, value, point);
        }
    }
    Some(family)
}

/// Over the names of series, where these are numbers that each stand for themselves.
fn by_series<'a, I>(
    sides: &'a [Side<'a>],
    probe: &'a str,
    points: &impl Fn(&'a Side<'a>) -> I,
) -> Option<Family<'a>>
where
    I: Iterator<Item = &'a PointSummary>,
{
    let mut family = Family {
        probe,
        over: match probe {
            id::MEM_LINE => "distance in bytes".into(),
            id::MEM_PARALLELISM => "chains at once".into(),
            _ => "series".into(),
        },
        bytes: false,
        curves: BTreeMap::new(),
    };
    for (i, side) in sides.iter().enumerate() {
        for point in points(side).filter(|p| p.value.is_none() && p.classes.is_empty()) {
            let params = point.point.params.iter().map(|(n, v)| format!("{n}={v}"));
            let name = params.collect::<Vec<_>>().join(" ");
            for series in &point.series {
                let x = series
                    .name
                    .parse::<f64>()
                    .ok()
                    .filter(|x| x.is_finite() && *x > 0.0)?;
                family.put((i, name.clone()), x, &series.value, point);
            }
        }
    }
    Some(family)
}

impl<'a> Family<'a> {
    fn put(
        &mut self,
        curve: (usize, String),
        x: f64,
        value: &'a Interval,
        point: &'a PointSummary,
    ) {
        self.curves.entry(curve).or_default().push(Place {
            x,
            value,
            unit: point.unit,
            symbol: point.symbol.as_deref(),
            point: &point.point,
        });
    }

    fn figure(mut self, sides: &[Side<'_>]) -> Option<Figure> {
        self.curves.retain(|_, places| places.len() >= FEWEST);
        let first = self.curves.values().flatten().next()?;
        let unit = match first.symbol.filter(|_| first.unit == Unit::Count) {
            Some(symbol) => symbol.to_owned(),
            None => first.unit.symbol().to_owned(),
        };
        let mut names: Vec<&String> = self.curves.keys().map(|(_, name)| name).collect();
        names.sort();
        names.dedup();
        let several = sides.len() > 1;
        let mut lines = Vec::new();
        for ((side, name), places) in &self.curves {
            let at = names.iter().position(|n| *n == name).unwrap_or(0);
            let Some(of) = sides.get(*side).filter(|_| at < CURVES) else {
                continue;
            };
            let label = match (several, name.is_empty()) {
                (true, true) => of.in_legend(),
                (true, false) => format!("{}: {name}", of.label()),
                (false, true) => self.probe.to_owned(),
                (false, false) => name.clone(),
            };
            let spots = places.iter().map(|place| Spot {
                x: place.x,
                y: place.value.value,
                band: place.value.range,
                tip: Tip::of(
                    place.point,
                    format!(
                        "{}{} {name}\n{} {}: {}",
                        prefix(of, sides),
                        self.probe,
                        self.over,
                        self.words(place.x),
                        said(place.unit, place.symbol, place.value)
                    ),
                ),
            });
            let mut spots: Vec<Spot> = spots.collect();
            spots.sort_by(|a, b| a.x.total_cmp(&b.x));
            lines.push(Line {
                name: label,
                // With one curve a side the sides have colors, else the curves.
                color: if names.len() == 1 { *side } else { at },
                dash: if names.len() == 1 { 0 } else { *side },
                spots,
            });
        }
        if lines.is_empty() {
            return None;
        }
        let some = match names.len() {
            n if n > CURVES => format!(" {CURVES} of {n} curves are drawn; the table has all."),
            _ => String::new(),
        };
        Some(Figure {
            title: format!("{} by {}", self.probe, self.over),
            reading: format!("Bands are 95 % intervals over processes.{some}"),
            table: self.table(sides),
            drawing: Drawing::Lines(Lines {
                x: if self.bytes {
                    XAxis::Bytes
                } else {
                    XAxis::Count
                },
                x_name: self.over.clone(),
                y_name: unit,
                lines,
                lanes: Vec::new(),
                reference: None,
            }),
        })
    }

    fn words(&self, x: f64) -> String {
        if self.bytes {
            numbers::size(x as u64)
        } else {
            x.to_string()
        }
    }

    fn table(&self, sides: &[Side<'_>]) -> Table {
        let mut table = Table::new(&["side", "of", "#at", "#value"]);
        for ((side, name), places) in &self.curves {
            let letter = sides.get(*side).map_or(' ', |s| s.letter);
            for place in places {
                table.row(vec![
                    Cell::text(letter.to_string()),
                    Cell::text(name.clone()),
                    Cell::number(place.x, self.words(place.x)),
                    Cell::interval(place.unit, place.symbol, place.value).to(place.point),
                ]);
            }
        }
        table
    }
}
