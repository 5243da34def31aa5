//! Arguments of the commands that draw, and of the doctor.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use whyslow_report::{CHARTS, Chart, WIDTH};

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The records, fifty at most; every further one is compared with the first
    #[arg(required = true, value_name = "RECORD", num_args = 1..)]
    pub(crate) records: Vec<PathBuf>,
    /// One more record of the first one's side, such as another run or boot; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) also_a: Vec<PathBuf>,
    /// One more record of the second one's side; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) also_b: Vec<PathBuf>,
    /// Do not show where the values of a single record stand among the machines of the catalog
    #[arg(long)]
    pub(crate) no_catalog: bool,
    /// The page to write, - for standard output
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// Points to draw, such as mem.latency or 'ctx.*' (a comma-separated list of globs)
    pub(crate) points: String,
    /// The records, eight at most; ratios are of every further one against the first
    #[arg(required = true, value_name = "RECORD", num_args = 1..)]
    pub(crate) records: Vec<PathBuf>,
    /// The file to write: .svg or .png; where one chart cannot show all, the next are FILE-2 and so on
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// What the file holds [default: by the end of its name]
    #[arg(long, value_enum)]
    pub(crate) format: Option<PlotFormat>,
    /// A title in place of the chart's own
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What the records are called, in their order, in place of A, B and their files: 'before,after'
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) names: Vec<String>,
    /// Width in units of the SVG; a column of a paper takes about 440
    #[arg(long, value_name = "UNITS", default_value_t = WIDTH, value_parser = clap::value_parser!(u16).range(300..=2400))]
    pub(crate) width: u16,
    /// Which chart
    #[arg(long, value_name = "CHART", default_value = CHARTS[0].0, value_parser = charts())]
    pub(crate) chart: Chart,
    /// Its colors
    #[arg(long, value_enum, default_value_t = ThemeArgument::Light)]
    pub(crate) theme: ThemeArgument,
    /// Pixels of a .png for each unit of its width
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) scale: u8,
}

/// Records of a chart: there are as many colors that can be told from each other.
pub(crate) const MOST_RECORDS: usize = 8;

/// Records of a page, which ranks them: a fleet is `whyslow fleet report`'s.
pub(crate) const MOST_OF_PAGE: usize = 50;

/// The charts, each with what it shows, for the help.
fn charts() -> impl TypedValueParser<Value = Chart> {
    let named = CHARTS.map(|(name, _, what)| PossibleValue::new(name).help(what));
    PossibleValuesParser::from(named).map(|name| {
        let chosen = CHARTS.iter().find(|(known, ..)| *known == name);
        chosen.map_or(Chart::Best, |(_, chart, _)| *chart)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeArgument {
    /// Dark on white, for paper
    Light,
    /// Light on nearly black
    Dark,
}

/// What the file of a chart holds; a PDF is made of an SVG by other programs, such as rsvg-convert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotFormat {
    /// Lines and text, for papers
    Svg,
    /// Pixels, for slides and mails
    Png,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// How to print it
    #[arg(long, value_enum, default_value_t = DoctorFormat::Table)]
    pub(crate) format: DoctorFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DoctorFormat {
    /// For reading
    Table,
    /// Everything, by the schema in schema/doctor.schema.json
    Json,
}
