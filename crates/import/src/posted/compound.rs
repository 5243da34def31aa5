//! Cells of several figures: lists of runs in brackets, figures with a stroke or a break between them, each with a name or a
//! unit of its own. A row of such cells becomes a row for each of them.

use super::names::is_run;
use super::row::{PostedRow, plain_label};
use super::unheaded::bare_unit;
use super::{Group, Header, Kind};
use crate::amount::{Cell, cell};
use crate::cells::cells;
use crate::direction::of_unit;
use crate::number::plain;

/// Most figures of one cell.
const MOST: usize = 100;

/// What the figures of a cell are.
#[derive(Debug, PartialEq)]
enum Figures<'a> {
    /// Each has a name, or a unit that no other has.
    Named(Vec<(String, &'a str)>),
    /// One thing, measured several times.
    Runs(Vec<&'a str>),
    /// Only their place tells them apart; a unit behind the last is of all.
    Places(Vec<&'a str>, &'a str),
}

impl<'a> Figures<'a> {
    /// The figures of a cell; none where it has one or none.
    fn of(text: &'a str) -> Option<Figures<'a>> {
        let text = text.trim().trim_matches('*');
        // A mean between its bounds, or with a ratio behind it, is one figure.
        if matches!(cell(text), Cell::Amount(..)) && !text.contains("<br>") {
            return None;
        }
        let found = match text.split_once("<br>") {
            Some(_) => Figures::named(text),
            None => listed(text)
                .or_else(|| range(text))
                .map(Figures::Runs)
                .or_else(|| Figures::stroked(text)),
        };
        found.filter(|figures| (2..=MOST).contains(&figures.count()))
    }

    /// Lines of a cell, `name: figure` or `figure unit`.
    fn named(text: &'a str) -> Option<Figures<'a>> {
        let pieces = text
            .split("<br>")
            .map(|piece| piece.trim().trim_end_matches('\\').trim_end())
            // A name with nothing behind it has no figure.
            .filter(|piece| !piece.is_empty() && !piece.ends_with(':'));
        let named: Option<Vec<(String, &str)>> = pieces
            .map(|piece| {
                let named = |(name, _): &(&str, &str)| name.starts_with(char::is_alphabetic);
                let parts = piece.split_once(": ");
                let (name, figure) = match parts.or_else(|| piece.split_once(':').filter(named)) {
                    // Behind the figure may stand what was best or worst of it.
                    Some((name, rest)) => (name, rest.split(". ").next().unwrap_or(rest).trim()),
                    None => ("", piece),
                };
                let Cell::Amount(_, unit) = cell(figure) else {
                    return None;
                };
                let name = if name.is_empty() { unit } else { name };
                Some((plain_label(name), figure))
            })
            .collect();
        named.filter(|named| distinct(named)).map(Figures::Named)
    }

    /// `90 IOPS / 1.5 MiB/s`, `0.5 / 0.6 / 0.7 ms`.
    fn stroked(text: &'a str) -> Option<Figures<'a>> {
        let pieces: Vec<&str> = match tight(text) {
            Some(pieces) => pieces,
            None => text.split(" / ").map(str::trim).collect(),
        };
        let units: Option<Vec<&str>> = pieces
            .iter()
            .map(|piece| match cell(piece) {
                Cell::Amount(_, unit) => Some(unit),
                _ => None,
            })
            .collect();
        let units = units?;
        let named: Vec<(String, &str)> = units
            .iter()
            .zip(&pieces)
            .map(|(unit, piece)| (bare_unit(unit).to_owned(), *piece))
            .collect();
        if distinct(&named) && units.iter().all(|unit| !unit.is_empty()) {
            return Some(Figures::Named(named));
        }
        let (last, front) = units.split_last()?;
        let shared =
            front.iter().all(|unit| unit.is_empty()) || front.iter().all(|unit| unit == last);
        shared.then_some(Figures::Places(pieces, last))
    }

    fn count(&self) -> usize {
        match self {
            Figures::Named(named) => named.len(),
            Figures::Runs(runs) => runs.len(),
            Figures::Places(pieces, _) => pieces.len(),
        }
    }

    /// Are those of another cell the same things?
    fn is_like(&self, other: &Figures) -> bool {
        match (self, other) {
            (Figures::Named(a), Figures::Named(b)) => a
                .iter()
                .map(|(name, _)| name)
                .eq(b.iter().map(|(name, _)| name)),
            (Figures::Runs(_), Figures::Runs(_)) => true,
            (Figures::Places(a, _), Figures::Places(b, _)) => a.len() == b.len(),
            _ => false,
        }
    }

    fn text(&self, at: usize) -> &'a str {
        match self {
            Figures::Named(named) => named.get(at).map_or("", |(_, text)| text),
            Figures::Runs(runs) | Figures::Places(runs, _) => {
                runs.get(at).copied().unwrap_or_default()
            }
        }
    }
}

/// The figures of `300/290`, `178.31/164.15 (-8.63%)` or `11/12/13 ms`, the last with its unit.
fn tight(text: &str) -> Option<Vec<&str>> {
    let text = text.split_once(" (").map_or(text, |(figures, _)| figures);
    let text = text.trim();
    let figures = text.split(char::is_whitespace).next().unwrap_or(text);
    let (front, _) = figures.rsplit_once('/')?;
    // The unit behind them may have a stroke of its own.
    let last = &text[front.len() + 1..];
    let digit = last.starts_with(|c: char| c.is_ascii_digit());
    let mut pieces: Vec<&str> = front.split('/').collect();
    let plain = pieces.iter().all(|figure| plain(figure).is_some());
    pieces.push(last);
    (digit && plain && matches!(cell(last), Cell::Amount(..))).then_some(pieces)
}

fn distinct(named: &[(String, &str)]) -> bool {
    let names: std::collections::BTreeSet<&String> = named.iter().map(|(name, _)| name).collect();
    names.len() == named.len() && names.iter().all(|name| !name.is_empty())
}

/// The figures of `[12780, 12788, 12790]`; two are an interval.
fn listed(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let figures: Vec<&str> = inner.split(',').map(str::trim).collect();
    (figures.len() > 2 && figures.iter().all(|figure| plain(figure).is_some())).then_some(figures)
}

/// The ends of a range, `399–456 Mbit/s`: the least and the most that was measured. With a hyphen it may be a list of CPUs,
/// a version or a date as well: then a unit behind it must say that it was measured.
pub(crate) fn range(text: &str) -> Option<Vec<&str>> {
    /// Ends further apart are no one thing that was measured again.
    const NEAR: f64 = 3.0;
    let text = text.trim();
    let (least, most) = text.split_once('–').or_else(|| text.split_once('-'))?;
    let (least, most) = (least.trim(), most.trim());
    let Cell::Amount(to, unit) = cell(most) else {
        return None;
    };
    let from = plain(least).filter(|from| *from < to)?;
    let sure = text.contains('–') || (of_unit(unit).is_some() && to < NEAR * from);
    sure.then(|| vec![least, most])
}

/// Is it such a row?
pub(crate) fn is_row(line: &str) -> bool {
    row(line).is_some()
}

/// A row in which a cell has several figures, with its cells whole; none where each has one.
pub(super) fn row(line: &str) -> Option<PostedRow<'_>> {
    let line = line.trim();
    let own = match line.split_once('[') {
        // `old: [1.5, 1.6, 1.7]`
        Some((label, _)) if label.trim_end().ends_with([':', '=']) && !line.contains('|') => {
            vec![label, &line[label.len()..]]
        }
        _ => match line.rsplit_once(": ") {
            // `builtin read: 145.3/2.5 Mops/s`
            Some((label, figures)) if !line.contains('|') && tight(figures).is_some() => {
                vec![label, figures]
            }
            _ => cells(line),
        },
    };
    let (first, rest) = own.split_first()?;
    let several = rest.iter().any(|text| Figures::of(text).is_some());
    let label = plain_label(first);
    (several && label.chars().any(char::is_alphanumeric)).then(|| PostedRow {
        label,
        first,
        cells: rest.to_vec(),
        unit: None,
        more: Vec::new(),
        behind: false,
        round: 0,
    })
}

impl Group<'_> {
    /// The rows with a row for each figure of their cells, where the header has a name for the whole cells, or where
    /// nothing else reads them.
    pub(super) fn take_apart(&mut self) {
        let lists = |row: &Option<PostedRow>| {
            let mut cells = row.iter().flat_map(|row| &row.cells);
            cells.any(|text| listed(text).is_some())
        };
        let whole: Vec<Option<PostedRow>> = self
            .rows
            .iter()
            .map(|(line, _)| row(self.raw(*line)))
            .collect();
        if whole.iter().all(Option::is_none) {
            return;
        }
        let fits = |group: &Group| {
            let width = group.width();
            Header::above(group).filter(|header| header.columns.len() == width)
        };
        // Nothing else reads lists in brackets.
        let all_lists = whole.iter().all(lists);
        let plain = |group: &Group| {
            let mut cells = group.rows.iter().flat_map(|(_, row)| &row.cells);
            cells.all(|text| Figures::of(text).is_none())
        };
        let before = fits(self).filter(|_| plain(self));
        let rows = self.rows.clone();
        for ((_, own), whole) in self.rows.iter_mut().zip(whole) {
            if let Some(whole) = whole {
                *own = whole;
            }
        }
        // Changes beside the figures have no columns here either.
        self.fit();
        let header = fits(self);
        let runs = self.rows.iter().all(|(_, row)| {
            let mut figures = row.cells.iter().filter_map(|text| Figures::of(text));
            // A unit of a rate or a time says that both were measured.
            figures.all(|figures| match figures {
                Figures::Places(_, unit) => of_unit(unit).is_some(),
                _ => true,
            })
        });
        if !all_lists && (before.is_some() || (header.is_none() && !runs)) {
            self.rows = rows;
            return;
        }
        let taken = std::mem::take(&mut self.rows);
        for (line, row) in taken {
            match apart(&row, header.as_ref()) {
                Some(rows) => self.rows.extend(rows.into_iter().map(|row| (line, row))),
                None => self.rows.push((line, row)),
            }
        }
    }
}

/// A row for each figure of its cells; none where the cells do not have the same ones.
fn apart<'a>(row: &PostedRow<'a>, header: Option<&Header>) -> Option<Vec<PostedRow<'a>>> {
    let figures: Vec<Option<Figures>> = row.cells.iter().map(|text| Figures::of(text)).collect();
    let at = figures.iter().position(Option::is_some)?;
    let first = figures[at].as_ref()?;
    let count = first.count();
    if figures.iter().flatten().any(|other| !other.is_like(first))
        && !matches!(first, Figures::Runs(_))
    {
        return None;
    }
    let column = header.and_then(|header| match header.columns.get(at) {
        Some(Kind::Values(name)) => Some(name.as_str()),
        _ => None,
    });
    let (names, runs) = match first {
        Figures::Named(named) => (named.iter().map(|(name, _)| name.clone()).collect(), false),
        Figures::Runs(_) => (Vec::new(), true),
        Figures::Places(..) => places(column.unwrap_or_default(), count),
    };
    let most = figures
        .iter()
        .flatten()
        .map(Figures::count)
        .max()
        .unwrap_or(count);
    let single = |text: &str| matches!(cell(text), Cell::Amount(..) | Cell::Broken);
    let mut rows: Vec<PostedRow> = Vec::new();
    let alone = figures
        .iter()
        .zip(&row.cells)
        .any(|(own, text)| own.is_none() && single(text));
    if alone && !runs {
        let mut plain = row.clone();
        for (text, own) in plain.cells.iter_mut().zip(&figures) {
            if own.is_some() {
                *text = "";
            }
        }
        rows.push(plain);
    }
    for place in 0..most {
        let mut part = row.clone();
        for (text, own) in part.cells.iter_mut().zip(&figures) {
            match own {
                Some(own) => *text = own.text(place),
                // A figure beside several is one, and no part of each.
                None if single(text) && (place > 0 || !runs) => *text = "",
                None => {}
            }
        }
        match names.get(place) {
            Some(name) => part.label = format!("{} {name}", part.label),
            None => part.round = place as u32 + 1,
        }
        // The unit of a range stands behind its last figure.
        let ends = row.cells.iter().filter_map(|text| range(text));
        let mut units = ends.filter_map(|ends| match cell(ends[1]) {
            Cell::Amount(_, unit) if !unit.is_empty() => Some(unit),
            _ => None,
        });
        if runs && let Some(unit) = units.next() {
            part.unit = Some(unit);
        }
        if let Figures::Places(_, unit) = first
            && !unit.is_empty()
        {
            part.unit = figures.iter().flatten().find_map(|own| match own {
                Figures::Places(_, unit) => Some(*unit),
                _ => None,
            });
        }
        rows.push(part);
    }
    Some(rows)
}

/// What `count` figures of a cell below `column` are called, or that they are runs.
fn places(column: &str, count: usize) -> (Vec<String>, bool) {
    let parts: Vec<&str> = column.split('/').map(str::trim).collect();
    if parts.len() == count
        && parts
            .iter()
            .all(|part| part.chars().any(char::is_alphanumeric))
    {
        return (parts.into_iter().map(str::to_owned).collect(), false);
    }
    let words = column.split(|c: char| !c.is_alphanumeric());
    let runs = words.clone().any(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "runs" | "repeats" | "repetitions" | "trials"
        )
    });
    if runs || is_run(column) {
        return (Vec::new(), true);
    }
    (
        (1..=count).map(|place| format!("figure {place}")).collect(),
        false,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_several_figures() {
        let shown = |text: &str| match Figures::of(text) {
            Some(Figures::Named(named)) => named
                .iter()
                .map(|(name, text)| format!("{name}={text}"))
                .collect::<Vec<_>>()
                .join("; "),
            Some(Figures::Runs(runs)) => format!("runs {}", runs.join(" ")),
            Some(Figures::Places(pieces, unit)) => {
                format!("places {} in '{unit}'", pieces.join(" "))
            }
            None => "one".to_owned(),
        };
        for (text, wanted) in [
            ("90 IOPS / 1.5MiB/s", "IOPS=90 IOPS; MiB/s=1.5MiB/s"),
            ("0.5 / 0.6 / 0.7 ms", "places 0.5 0.6 0.7 ms in 'ms'"),
            (
                "Ops: 43.5 ± 0.1 ops/s. Best: 44.5 ops/s<br>Mean time: 23.5ms",
                "Ops=43.5 ± 0.1 ops/s; Mean time=23.5ms",
            ),
            (
                "tcp_lat:13.5 us<br>tcp_bw:1.13 MB/sec",
                "tcp_lat=13.5 us; tcp_bw=1.13 MB/sec",
            ),
            (
                "QPS: 9959.90<br>TPS:2.72MB<br>timeout:\\ <br>Latency: 0.93ms",
                "QPS=9959.90; TPS=2.72MB; Latency=0.93ms",
            ),
            ("[1.5, 2.5, 3.5]", "runs 1.5 2.5 3.5"),
            ("300/290", "places 300 290 in ''"),
            ("178.5/164.5 (-8.63%)", "places 178.5 164.5 in ''"),
            ("11/12/13 ms", "places 11 12 13 ms in 'ms'"),
            ("145.5/1 Mops/s", "places 145.5 1 Mops/s in 'Mops/s'"),
            ("kB/s", "one"),
            ("12/a", "one"),
            ("399–456 Mbit/s", "runs 399 456 Mbit/s"),
            ("456–399", "one"),
            ("[1.5, 2.5]", "one"),
            ("1.5 MB/s", "one"),
            ("a / b", "one"),
            ("1.5 us / 2.5 MB / x", "one"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }
}
