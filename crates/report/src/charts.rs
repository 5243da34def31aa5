//! Charts of records: which numbers are drawn how, with the table behind each.

mod bandwidth;
mod catalog;
mod cores;
mod experiments;
mod families;
mod forest;
mod latency;
mod load;
mod names;
mod plan;
mod ranking;
mod rounds;
mod side;
mod strip;
mod table;
mod values;
mod variance;

pub(crate) use catalog::figures as catalog;
pub(crate) use experiments::figure as experiments;
pub(crate) use forest::certain_first;
pub(crate) use plan::{Figures, figures};
pub(crate) use ranking::{Rank, Ranking, curve, ranking};
pub(crate) use side::{Side, sides};
pub(crate) use table::{Cell, Table};

use whyslow_model::comparison::Comparison;

use crate::Shown;
use crate::drawing::{Drawing, Place, Theme};

/// A chart with what it is called, how it is read, and its numbers.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// How to read it.
    pub(crate) reading: String,
    pub(crate) drawing: Drawing,
    pub(crate) table: Table,
}

/// Which chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chart {
    /// The one that shows the points best.
    Best,
    /// Random loads over the working set.
    Latency,
    /// Loads by stride, of the first record.
    Strides,
    /// Bandwidth by level and shape.
    Bandwidth,
    /// Core to core, of the first record.
    Cores,
    /// Ratios of the records.
    Ratios,
    /// Values side by side.
    Values,
    /// Variance by level, of the first record.
    Variance,
    /// Drift by round.
    Rounds,
}

/// Every chart with its name and what it shows; the usual one first.
pub const CHARTS: [(&str, Chart, &str); 9] = [
    ("best", Chart::Best, "The one that shows these points best"),
    (
        "latency",
        Chart::Latency,
        "Random loads over the working set",
    ),
    (
        "strides",
        Chart::Strides,
        "Loads by stride, of the first record",
    ),
    (
        "bandwidth",
        Chart::Bandwidth,
        "Bandwidth by level and shape",
    ),
    ("cores", Chart::Cores, "Core to core, of the first record"),
    (
        "ratios",
        Chart::Ratios,
        "Ratios of the records, with the margin",
    ),
    ("values", Chart::Values, "Values side by side"),
    (
        "variance",
        Chart::Variance,
        "Variance by level, of the first record",
    ),
    ("rounds", Chart::Rounds, "Drift by round"),
];

/// How charts are drawn into files.
#[derive(Debug, Clone, Copy)]
pub struct ChartLook<'a> {
    /// Light or dark.
    pub theme: Theme,
    /// Width in units of the SVG; below 500 the layout is that for phones.
    pub width: u16,
    /// In place of the title of each chart.
    pub title: Option<&'a str>,
    /// What the records are called, in their order, in place of letters and files; empty for these.
    pub names: &'a [String],
}

/// Width of a chart for a page of paper or a screen.
pub const WIDTH: u16 = 860;

/// The charts as SVG, each with its title: several where one cannot show all of the points.
pub(crate) fn svg(
    records: &[Shown<'_>],
    comparisons: &[Comparison],
    chart: Chart,
    look: &ChartLook<'_>,
) -> Vec<(String, String)> {
    let mut sides = sides(records);
    for (side, name) in sides.iter_mut().zip(look.names) {
        side.renamed = Some(name.clone());
    }
    let figures = figures(&sides, comparisons);
    let chosen: Vec<&Figure> = match chart {
        Chart::Best => figures.best(),
        Chart::Latency => figures.latency.iter().collect(),
        Chart::Strides => figures.strides.iter().take(1).collect(),
        Chart::Bandwidth => figures.bandwidth.iter().collect(),
        Chart::Cores => figures.cores.iter().take(1).collect(),
        Chart::Ratios => figures.forest.iter().collect(),
        Chart::Values => figures.values.iter().chain(&figures.families).collect(),
        Chart::Variance => figures.variance.iter().take(1).collect(),
        Chart::Rounds => figures.rounds.iter().collect(),
    };
    let drawn = |figure: &Figure| {
        let title = look.title.unwrap_or(&figure.title);
        let place = Place::File(look.theme, look.width);
        (title.to_owned(), figure.drawing.svg(title, place))
    };
    chosen.into_iter().map(drawn).collect()
}
