//! Points as comma-separated values.
//!
//! Numbers are the shortest that read back to what was printed by the source, or to 15 digits. A text
//! that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@` or a tab) has a `'` in
//! front, which spreadsheets take for the sign of a text; hidden characters are written out, as
//! `\u001b`.

use std::collections::HashMap;

use whyslow_model::record::Outcome;
use whyslow_model::summary::{Interval, PointSummary, Summary};
use whyslow_model::text::visible;
use whyslow_model::{Point, Record};

/// The columns. Programs read them by name or place: new ones go to the end.
const COLUMNS: [&str; 15] = [
    "point",
    "row",
    "name",
    "unit",
    "better",
    "size_bytes",
    "value",
    "low",
    "high",
    "from",
    "handover_ns",
    "processes",
    "samples",
    "left_out",
    "failures",
];

/// One line for each point (`row` is `point`), and below it one for each topology class (`class`)
/// or, where the point has no single value, each series (`series`).
pub(crate) fn text(record: &Record, summary: &Summary) -> String {
    let printed = printed(record);
    let mut out = line(COLUMNS.map(str::to_owned));
    for point in &summary.points {
        let mut row = CsvRow::of(point);
        row.value(point.value.as_ref(), point.from.as_deref());
        if let Some(Some(figure)) = printed.get(&point.point) {
            row.values[0] = figure.to_string();
        }
        row.processes = point.processes.len().to_string();
        row.samples = point.samples.to_string();
        row.left_out = point.left_out.to_string();
        row.failures = point.failures.join("; ");
        out += &row.line();
        for class in &point.classes {
            let mut row = CsvRow::of(point);
            (row.row, row.name) = ("class", class.class.clone());
            row.value(Some(&class.value), class.from.as_deref());
            // A class without a typical time (the samples during a move) has 0.
            if class.handover_ns > 0.0 {
                row.handover_ns = number(class.handover_ns);
            }
            row.samples = class.samples.to_string();
            out += &row.line();
        }
        if point.value.is_none() && point.classes.is_empty() {
            for series in &point.series {
                let mut row = CsvRow::of(point);
                (row.row, row.name) = ("series", series.name.clone());
                row.value(Some(&series.value), None);
                out += &row.line();
            }
        }
    }
    out
}

/// The figures of another tool that stand alone, as they were printed; none where a point has several.
fn printed(record: &Record) -> HashMap<&Point, Option<f64>> {
    let mut figures: HashMap<&Point, Option<f64>> = HashMap::new();
    for process in record.processes.iter().filter(|_| record.origin.is_some()) {
        let alone = match &process.outcome {
            Outcome::Draws(draws) => match draws.as_slice() {
                [draw] => match draw.series.as_slice() {
                    [series] if series.work == 1.0 => match series.ns.as_slice() {
                        [figure] if figure.is_finite() => Some(*figure),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            },
            Outcome::Failed(_) => None,
        };
        let known = figures.entry(&process.point);
        known.and_modify(|other| *other = None).or_insert(alone);
    }
    figures
}

/// One line; what does not apply is empty, never 0.
struct CsvRow {
    point: String,
    row: &'static str,
    name: String,
    unit: String,
    better: &'static str,
    size_bytes: String,
    values: [String; 3],
    from: String,
    handover_ns: String,
    processes: String,
    samples: String,
    left_out: String,
    failures: String,
}

impl CsvRow {
    fn of(point: &PointSummary) -> CsvRow {
        CsvRow {
            point: point.point.to_string(),
            row: "point",
            // A row of another tool, and its unit, have names of their own.
            name: point.title.clone().unwrap_or_default(),
            unit: point
                .symbol
                .clone()
                .unwrap_or_else(|| point.unit.symbol().to_owned()),
            better: match point.better {
                whyslow_model::Better::Lower => "lower",
                whyslow_model::Better::Higher => "higher",
                whyslow_model::Better::Unsaid => "unsaid",
            },
            size_bytes: point.size_bytes.map_or(String::new(), |b| b.to_string()),
            values: Default::default(),
            from: String::new(),
            handover_ns: String::new(),
            processes: String::new(),
            samples: String::new(),
            left_out: String::new(),
            failures: String::new(),
        }
    }

    fn value(&mut self, value: Option<&Interval>, from: Option<&str>) {
        if let Some(value) = value {
            let [low, high] = value.range.map_or_else(Default::default, |r| r.map(number));
            self.values = [number(value.value), low, high];
        }
        self.from = from.unwrap_or_default().to_owned();
    }

    fn line(self) -> String {
        let [value, low, high] = self.values;
        line([
            plain(self.point),
            self.row.to_owned(),
            plain(self.name),
            plain(self.unit),
            self.better.to_owned(),
            self.size_bytes,
            value,
            low,
            high,
            plain(self.from),
            self.handover_ns,
            self.processes,
            self.samples,
            self.left_out,
            plain(self.failures),
        ])
    }
}

/// A line of other columns: texts as no spreadsheet takes them for formulas, then a number.
pub(crate) fn row(texts: &[&str], value: f64) -> String {
    let texts = texts.iter().map(|text| quoted(&plain((*text).to_owned())));
    let fields = texts.chain(std::iter::once(number(value)));
    fields.collect::<Vec<String>>().join(",") + "\n"
}

fn line(fields: [String; 15]) -> String {
    let fields = fields.map(|f| quoted(&f));
    // CSV for Unix tools: lines end as theirs do, which every reader of RFC 4180 takes.
    fields.join(",") + "\n"
}

/// The shortest number that is `value` to 15 digits, which every decimal number keeps and which the
/// roundings of a mean over logarithms do not reach; empty where there is none.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let rounded = format!("{value:.14e}").parse::<f64>();
    // What is written so can be read.
    rounded.unwrap_or(value).to_string()
}

/// A text that no spreadsheet takes for a formula.
fn plain(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text
    }
}

/// A field, in quotes where it needs them, and with nothing hidden in it.
fn quoted(field: &str) -> String {
    let field = visible(field);
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_were_printed() {
        for printed in ["37162629.5", "5", "2445.4", "0.1", "290604.9"] {
            let value: f64 = printed.parse().unwrap();
            let other = value.ln().exp();
            assert_eq!(number(other), value.to_string(), "{printed}");
        }
        assert_eq!(number(4.999_999_999_999_999), "5");
        assert_eq!(number(f64::INFINITY) + &number(f64::NAN), "");
    }

    #[test]
    fn no_text_is_a_formula_and_none_is_lost() {
        for text in ["=cmd|x!A0", "+1", "-1", "@a", "\tx"] {
            assert_eq!(plain(text.to_owned()), format!("'{text}"));
        }
        assert_eq!(plain("mem.latency".into()), "mem.latency");
        assert_eq!(
            quoted("a\u{1b}[2J\u{202e},\"é中"),
            "\"a\\u001b[2J\\u202e,\"\"é中\""
        );
    }
}
