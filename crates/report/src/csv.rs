//! Points as comma-separated values.

use whyslow_model::summary::{Interval, PointSummary, Summary};

use crate::text::cleaned;

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
pub(crate) fn text(summary: &Summary) -> String {
    let mut out = line(COLUMNS.map(str::to_owned));
    for point in &summary.points {
        let mut row = Row::of(point);
        row.value(point.value.as_ref(), point.from.as_deref());
        row.processes = point.processes.len().to_string();
        row.samples = point.samples.to_string();
        row.left_out = point.left_out.to_string();
        row.failures = point.failures.join("; ");
        out += &row.line();
        for class in &point.classes {
            let mut row = Row::of(point);
            (row.row, row.name) = ("class", class.class.clone());
            row.value(Some(&class.value), class.from.as_deref());
            // A class without a typical time (the samples during a move) has 0.
            if class.handover_ns > 0.0 {
                row.handover_ns = class.handover_ns.to_string();
            }
            row.samples = class.samples.to_string();
            out += &row.line();
        }
        if point.value.is_none() && point.classes.is_empty() {
            for series in &point.series {
                let mut row = Row::of(point);
                (row.row, row.name) = ("series", series.name.clone());
                row.value(Some(&series.value), None);
                out += &row.line();
            }
        }
    }
    out
}

/// One line; what does not apply is empty, never 0.
struct Row {
    point: String,
    row: &'static str,
    name: String,
    unit: &'static str,
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

impl Row {
    fn of(point: &PointSummary) -> Row {
        Row {
            point: point.point.to_string(),
            row: "point",
            name: String::new(),
            unit: point.unit.symbol(),
            better: match point.better {
                whyslow_model::Better::Lower => "lower",
                whyslow_model::Better::Higher => "higher",
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
            let [low, high] = value
                .range
                .map_or_else(Default::default, |r| r.map(|x| x.to_string()));
            self.values = [value.value.to_string(), low, high];
        }
        self.from = from.unwrap_or_default().to_owned();
    }

    fn line(self) -> String {
        let [value, low, high] = self.values;
        line([
            self.point,
            self.row.to_owned(),
            self.name,
            self.unit.to_owned(),
            self.better.to_owned(),
            self.size_bytes,
            value,
            low,
            high,
            self.from,
            self.handover_ns,
            self.processes,
            self.samples,
            self.left_out,
            self.failures,
        ])
    }
}

fn line(fields: [String; 15]) -> String {
    let fields = fields.map(|f| quoted(&f));
    // CSV for Unix tools: lines end as theirs do, which every reader of RFC 4180 takes.
    fields.join(",") + "\n"
}

/// A field, in quotes where it needs them; control characters could reach a terminal.
fn quoted(field: &str) -> String {
    let field = cleaned(field);
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}
