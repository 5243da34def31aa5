//! Points that no other part of the page has a place for: those of one probe that differ in several parameters as a
//! table, the others a line each.

use std::collections::BTreeMap;

use whyslow_model::Point;
use whyslow_model::summary::PointSummary;

use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::summary::system::values;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

/// More lines are left to the table of all points.
const MOST: usize = 24;

/// So many points of a probe are a table; of more than the last no screen has room.
const TABLE: std::ops::RangeInclusive<usize> = 4..=1000;

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &Shown<'a>) {
    let rest = view.summary.points.iter();
    let rest: Vec<&PointSummary> = rest.filter(|p| !shown.contains(&p.point)).collect();
    if rest.is_empty() {
        return;
    }
    page.heading("OTHER POINTS", "[95 % interval]");
    let (mut alone, mut parted) = (Vec::new(), false);
    for own in by_probe(&rest) {
        match Table::of(&own) {
            Some(table) => {
                if parted {
                    page.line(Text::default());
                }
                parted = true;
                table.show(view, page);
            }
            None => alone.extend(own),
        }
    }
    if parted && !alone.is_empty() {
        page.line(Text::default());
    }
    // What has a value comes first.
    alone.sort_by_key(|point| each(point));
    for point in alone.iter().take(MOST) {
        page.flow(0, 4, line(view, point));
    }
    if alone.len() > MOST {
        let more = alone.len() - MOST;
        page.flow(
            0,
            0,
            Text::dim(format!("and {more} more in the table of all points")),
        );
    }
}

/// The points of each probe, probes in their order.
fn by_probe<'a>(points: &[&'a PointSummary]) -> Vec<Vec<&'a PointSummary>> {
    let (mut groups, mut places) = (Vec::<Vec<&PointSummary>>::new(), BTreeMap::new());
    for point in points {
        let at = *places.entry(&point.point.probe).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(point),
            None => groups.push(vec![*point]),
        }
    }
    groups
}

fn line(view: &View<'_>, point: &PointSummary) -> Text {
    let text = Text::plain(point.point.to_string()).and(Style::Plain, "  ");
    if each(point) {
        let said = format!("{} values, each for itself", point.series.len());
        return text.and(Style::Dim, said);
    }
    let values = values(view, point).into_iter().enumerate();
    values.fold(text, |text, (i, value)| {
        text.and(Style::Plain, if i == 0 { "" } else { " " })
            .then(value)
    })
}

/// Has it a value for each series, and none of its own?
fn each(point: &PointSummary) -> bool {
    point.value.is_none() && point.classes.is_empty() && !point.series.is_empty()
}

/// The points of one probe by the parameter with the most values, and by the others together.
struct Table<'a> {
    /// By row and column.
    points: BTreeMap<(String, &'a str), &'a PointSummary>,
    /// The probe with what all have in common.
    common: Point,
    columns: Vec<&'a str>,
    column: &'a str,
    /// What a row's points have in common, by the parameters that vary.
    rows: Vec<String>,
}

impl<'a> Table<'a> {
    /// Nothing of few points, of those that differ in one parameter alone, and where most cells would be empty or one would
    /// hold two.
    fn of(points: &'a [&'a PointSummary]) -> Option<Table<'a>> {
        let first = points.first()?;
        if !TABLE.contains(&points.len()) || points.iter().any(|p| each(p)) {
            return None;
        }
        let params = points.iter().flat_map(|p| &p.point.params);
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in params {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let (mut common, mut varying) = (Point::new(&first.point.probe), Vec::new());
        for name in names {
            match distinct(points, name)[..] {
                [Some(one)] => common = common.with(name, one),
                _ => varying.push(name),
            }
        }
        // Every point has its column.
        let column = *varying
            .iter()
            .filter(|name| !distinct(points, name).contains(&None))
            .max_by_key(|name| distinct(points, name).len())?;
        let columns: Vec<&str> = distinct(points, column).into_iter().flatten().collect();
        varying.retain(|name| *name != column);
        let (mut rows, mut cells) = (Vec::<String>::new(), BTreeMap::new());
        for point in points {
            let row = row(&varying, &point.point);
            if !rows.contains(&row) {
                rows.push(row.clone());
            }
            cells.insert((row, point.point.get(column)?), *point);
        }
        let dense = points.len() * 2 >= rows.len() * columns.len();
        let apart = cells.len() == points.len();
        (rows.len() > 1 && dense && apart).then_some(Table {
            points: cells,
            common,
            columns,
            column,
            rows,
        })
    }

    fn show(&self, view: &View<'_>, page: &mut Screen) {
        let unit = self.points.values().next().map(|p| p.unit);
        let rate = unit.filter(|unit| {
            let whole = |p: &&PointSummary| p.unit == *unit && p.classes.is_empty();
            unit.is_rate() && self.points.values().all(whole)
        });
        let unit = rate.map_or(String::new(), |unit| format!("{}, ", unit.symbol()));
        let title = format!("{}  {unit}by {}", self.common, self.column);
        page.flow(0, 4, Text::plain(title));
        let mut grid = Grid::new(self.columns.iter().map(|name| (*name).to_owned()));
        for name in &self.rows {
            let here = |column: &&'a str| match (self.points.get(&(name.clone(), *column)), rate) {
                (None, _) => Cell::new(),
                (Some(point), Some(_)) => vec![match &point.value {
                    Some(value) => numbers::plus_minus(value),
                    None => Text::dim("no value"),
                }],
                (Some(point), None) => values(view, point),
            };
            grid.row(name.clone(), self.columns.iter().map(here).collect());
        }
        page.grid(&grid);
    }
}

/// The values of a parameter in their order, none among them where a point lacks it.
fn distinct<'a>(points: &[&'a PointSummary], name: &str) -> Vec<Option<&'a str>> {
    let mut found = Vec::new();
    for point in points {
        let value = point.point.get(name);
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// `read int`; what is on or off by its name, `read mmx nt`.
fn row(varying: &[&str], point: &Point) -> String {
    let of = |name: &&str| {
        let value = point.get(name)?;
        Some(match value {
            "yes" => (*name).to_owned(),
            value if value.bytes().all(|b| b.is_ascii_digit()) => format!("{name} {value}"),
            value => value.to_owned(),
        })
    };
    let words: Vec<String> = varying.iter().filter_map(of).collect();
    match words.is_empty() {
        true => "plain".to_owned(),
        false => words.join(" "),
    }
}
