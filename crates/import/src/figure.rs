//! One figure of an input, and the row that it belongs to.

use whyslow_model::{Better, Point};

use crate::slug::{parameter, slug};

/// What a figure is: a row of a table, or a row and a column.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) point: Point,
    pub(crate) title: String,
    pub(crate) symbol: String,
    pub(crate) better: Better,
    pub(crate) size_bytes: Option<u64>,
    /// Its conditions as the source has them: different ones may look alike in the point.
    conditions: Vec<String>,
}

/// Are these bits a second?
fn is_of_network(symbol: &str) -> bool {
    const RATES: [&str; 8] = [
        "bits/sec",
        "bits/s",
        "bit/s",
        "bit/sec",
        "bps",
        "b/s",
        "b/sec",
        "bits/second",
    ];
    let scaled = symbol.strip_prefix(['k', 'K', 'M', 'G', 'T']);
    // Without a prefix a letter alone may be bytes.
    let plain = symbol.contains("bit") || symbol == "bps";
    RATES.contains(&scaled.unwrap_or(symbol)) && (scaled.is_some() || plain)
}

impl Row {
    /// A row named `title` of the format whose points begin with `family`, in the unit `symbol`.
    pub(crate) fn new(family: &str, title: &str, symbol: &str, better: Better) -> Self {
        let title: Vec<&str> = title.split_whitespace().collect();
        let title = title.join(" ");
        // What networks are measured in is part of the row of a table, whose words may be those of memory.
        let kind = if family == "columns" && is_of_network(symbol) {
            "_bits"
        } else {
            ""
        };
        Row {
            point: Point::new(&format!("{family}.{}{kind}", slug(&title))),
            title,
            symbol: symbol.to_owned(),
            better,
            size_bytes: None,
            conditions: Vec::new(),
        }
    }

    /// The same row under another id than its title's.
    pub(crate) fn id(mut self, family: &str, id: &str) -> Self {
        self.point.probe = format!("{family}.{id}");
        self
    }

    /// The same row, shown under another title.
    pub(crate) fn titled(mut self, title: &str) -> Self {
        let words: Vec<&str> = title.split_whitespace().collect();
        self.title = words.join(" ");
        self
    }

    /// The same row with one more parameter.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        // A name may come from the source as well, such as a damaged header.
        self.point = self.point.with(&parameter(name), parameter(value));
        self.conditions.push(value.to_owned());
        self
    }

    /// The same row at a working set of so many bytes.
    pub(crate) fn sized(mut self, bytes: u64) -> Self {
        self.size_bytes = Some(bytes);
        self
    }

    /// Is it the same row of the source?
    pub(crate) fn is(&self, other: &Row) -> bool {
        self.title == other.title
            && self.symbol == other.symbol
            && self.better == other.better
            && self.conditions == other.conditions
    }
}

/// One figure where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) system: String,
    pub(crate) row: Row,
    pub(crate) value: f64,
    /// From 1; 0 where the input is not read by lines.
    pub(crate) line: usize,
    /// Which repetition it is, from 1, where the source counts them.
    pub(crate) round: Option<u32>,
    /// How often the table has been broken by words before it.
    pub(crate) stretch: u32,
}
