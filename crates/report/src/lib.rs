//! What the user sees: terminal pages, tables and CSV, from records and their summaries alone.
//!
//! Every text that ends on a terminal passes `text::Text`, which lets no control character
//! through: names of hosts, programs and files are not ours.

mod brief;
mod byte;
mod card;
mod cases_check;
mod catalog;
mod causes_check;
mod charts;
mod color;
mod compare;
mod csv;
mod digest;
mod doctor;
mod drawing;
mod explain;
mod figure;
mod findings;
mod fleet;
mod grid;
mod history;
mod host;
mod html;
mod lmbench;
mod load;
mod numbers;
mod page;
mod picture;
mod plot;
mod sim;
mod smp;
mod summary;
mod table;
mod text;
mod tune;
mod view;

use whyslow_compare::selfcheck::SelfCheck;
use whyslow_model::catalog::{Listing, Standing};
use whyslow_model::comparison::{Comparison, HostDifferences};
use whyslow_model::explanation::Explanation;
use whyslow_model::fleet::FleetReport;
use whyslow_model::history::NodeHistory;
use whyslow_model::host::Host;
use whyslow_model::load::LoadTable;
use whyslow_model::record::Record;
use whyslow_model::state::State;
use whyslow_model::summary::Summary;

/// How wide and how colorful the output may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: usize,
    /// May it have colors?
    pub color: bool,
    /// Must it do with ASCII, because the terminal shows nothing else?
    pub ascii: bool,
}

pub use card::NoCard;
pub use charts::{CHARTS, Chart, ChartLook, WIDTH};
pub use drawing::Theme;
pub use picture::NoPicture;
pub use text::STYLES;

/// A record as it is shown beside others.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// How the user knows it.
    pub name: &'a str,
    /// The record.
    pub record: &'a Record,
    /// What it says.
    pub summary: &'a Summary,
}

/// What the registry says of a probe.
#[derive(Debug, Clone)]
pub struct ProbeText {
    /// Its id.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What it measures.
    pub what: &'static str,
    /// How.
    pub how: &'static str,
    /// Its parameters and what they mean.
    pub params: Vec<(&'static str, &'static str)>,
    /// Suites, and what they call it.
    pub names: Vec<(&'static str, String)>,
}

/// What a report is made from.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The records, side A first.
    pub records: &'a [Shown<'a>],
    /// Each further record against the first, in their order.
    pub comparisons: &'a [Comparison],
    /// The same explained; of one record, what holds it back.
    pub explanations: &'a [Explanation],
    /// Where the values of a single record stand among those of other machines.
    pub standings: &'a [Standing],
    /// The registry.
    pub probes: &'a [ProbeText],
    /// Version of whyslow.
    pub version: &'a str,
}

/// The report as an HTML page that needs nothing but itself.
pub fn html(report: &Report<'_>) -> String {
    html::page(report)
}

/// The charts of that kind as SVG, each with its title: none where the records have nothing that it could
/// show, several where one cannot show all of their points.
pub fn chart(
    records: &[Shown<'_>],
    comparisons: &[Comparison],
    chart: Chart,
    look: &ChartLook<'_>,
) -> Vec<(String, String)> {
    charts::svg(records, comparisons, chart, look)
}

/// A chart as PNG, `scale` times as many pixels as the SVG has units.
///
/// # Errors
/// When the picture cannot be made.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, NoPicture> {
    picture::png(svg, scale)
}

/// The page that a run ends with: host, levels, curve, bandwidth, system, what stands out, notes, and all of it
/// in short.
pub fn summary(record: &Record, summary: &Summary, look: Look) -> String {
    summary::page(record, summary, &[], look)
}

/// The same, with where its values stand among those of other machines.
pub fn summary_among(
    record: &Record,
    summary: &Summary,
    standings: &[Standing],
    look: Look,
) -> String {
    summary::page(record, summary, standings, look)
}

/// Every machine of the catalog with its values and its source.
pub fn catalog(listing: &Listing, look: Look) -> String {
    catalog::page(listing, look)
}

/// A record in a few lines, for a program that asks: the machine, levels and figures with intervals, what stands out, how
/// sure the numbers are and what they hold for.
pub fn brief(record: &Record, summary: &Summary) -> String {
    brief::text(record, summary)
}

/// A picture of 1200 by 630 for a post or a slide, as SVG: one record, or two with what comparing them found.
///
/// # Errors
/// When a record has no latency curve, which is what the picture is of.
pub fn card(
    records: &[Shown<'_>],
    comparison: Option<&Comparison>,
    theme: Theme,
    version: &str,
) -> Result<String, NoCard> {
    card::svg(records, comparison, theme, version)
}

/// Was the record made by `whyslow load`?
pub fn is_load(record: &Record) -> bool {
    load::is_load(record)
}

/// The page that `whyslow load` ends with: what each command took and used at each level.
pub fn load(record: &Record, summary: &Summary, look: Look) -> String {
    load::page(record, summary, look)
}

/// Arms of a load before and after as Markdown, a line a level.
pub fn load_markdown(tables: &[LoadTable]) -> String {
    load::markdown(tables)
}

/// Every point of a record on a line of its own, or on one for each topology class or series where
/// it has no single value.
pub fn table(record: &Record, summary: &Summary, look: Look) -> String {
    table::page(record, summary, look)
}

/// Every point as comma-separated values (RFC 4180) with a header line; times in ns, rates in the
/// point's unit, sizes in bytes; figures of another tool as they were printed, with its unit and name. A
/// text that a spreadsheet would take for a formula has a `'` in front.
pub fn csv(record: &Record, summary: &Summary) -> String {
    csv::text(record, summary)
}

/// The report that users of BYTE and UnixBench know, with the index against its baseline.
pub fn byte(record: &Record, summary: &Summary, look: Look) -> String {
    byte::page(record, summary, look)
}

/// The summary tables that users of lmbench know, with a row for each record.
pub fn lmbench(records: &[(&Record, &Summary)], look: Look) -> String {
    lmbench::page(records, look)
}

/// Facts and state of a host, with the reason for each that is unknown.
pub fn host(host: &Host, state: &State, look: Look) -> String {
    host::page(host, state, look)
}

/// A comparison: how the hosts differ, the real differences, what moved together, and what is the
/// same or open.
pub fn comparison(comparison: &Comparison, look: Look) -> String {
    compare::page(comparison, look)
}

/// A comparison as Markdown, for tickets and mails.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    compare::markdown(comparison)
}

/// An explanation: the answer, the evidence, what was excluded, what is left, what to do next.
pub fn explanation(explanation: &Explanation, look: Look) -> String {
    explain::page(explanation, look)
}

/// What differs between two hosts, which `names` are for.
pub fn host_differences(differences: &HostDifferences, names: [&str; 2], look: Look) -> String {
    compare::hosts(differences, names, look)
}

/// What on a host would spoil a run, and what mends it.
pub fn doctor(diagnosis: &whyslow_model::doctor::Diagnosis, look: Look) -> String {
    doctor::page(diagnosis, look)
}

/// One node over time: steps, and for how long averaging helps.
pub fn history(history: &NodeHistory, look: Look) -> String {
    history::page(history, look)
}

/// Nodes of a fleet: which are slow, in what, and why.
pub fn fleet(report: &FleetReport, look: Look) -> String {
    fleet::page(report, look)
}

/// The same as an HTML page that needs nothing but itself.
pub fn fleet_html(report: &FleetReport, version: &str) -> String {
    html::fleet(report, version)
}

/// The same as OpenMetrics.
pub fn fleet_metrics(report: &FleetReport) -> String {
    fleet::metrics(report)
}

/// A health check of nodes as a shell script: exit code 0 for the same, 1 for slow, 3 for not known.
pub fn fleet_health(report: &FleetReport) -> String {
    fleet::health(report)
}

/// Commands that drain the slow nodes in Slurm, each as its words.
pub fn fleet_drain(report: &FleetReport) -> Vec<Vec<String>> {
    fleet::drain(report)
}

/// The same as lines for a shell.
pub fn fleet_drain_lines(report: &FleetReport) -> String {
    fleet::drain_lines(report)
}

/// A record held against itself.
pub fn selfcheck(check: &SelfCheck, look: Look) -> String {
    compare::selfcheck(check, look)
}

/// How well planted causes were named.
pub fn causes_check(check: &whyslow_model::planted::CausesCheck, look: Look) -> String {
    causes_check::page(check, look)
}

/// The same as a page of the documentation, in Markdown.
pub fn causes_markdown(check: &whyslow_model::planted::CausesCheck) -> String {
    causes_check::markdown(check)
}

/// How well published cases are explained.
pub fn cases_check(check: &whyslow_model::cases::CasesCheck, look: Look) -> String {
    cases_check::page(check, look)
}

/// The same as a page of the documentation, in Markdown.
pub fn cases_check_markdown(check: &whyslow_model::cases::CasesCheck) -> String {
    cases_check::markdown(check)
}

/// The page colors of this host, and how sure they are.
pub fn color_map(map: &whyslow_model::color::ColorMap, look: Look) -> String {
    color::map(map, look)
}

/// What kernels with page coloring are to be told of this cache.
pub fn color_kernel(map: &whyslow_model::color::ColorMap, look: Look) -> String {
    color::kernel(map, look)
}

/// What coloring gains here, and where it loses.
pub fn color_bench(bench: &whyslow_model::color::ColorBench, look: Look) -> String {
    color::bench(bench, look)
}

/// The same as an HTML page that needs nothing but itself.
pub fn color_bench_html(bench: &whyslow_model::color::ColorBench, version: &str) -> String {
    html::color(bench, version)
}

/// The page colors of this host as an HTML page that needs nothing but itself.
pub fn color_map_html(map: &whyslow_model::color::ColorMap, version: &str) -> String {
    html::color_map(map, version)
}

/// What was colored of a program that ran, as an HTML page that needs nothing but itself.
pub fn color_run_html(run: &whyslow_model::color::ColorRun, version: &str) -> String {
    html::color_run(run, version)
}

/// What was colored of a program that ran, and what it cost.
pub fn color_run(run: &whyslow_model::color::ColorRun, look: Look) -> String {
    color::run(run, look)
}

/// The latency curve of a record, measured against simulated.
pub fn curve_simulation(found: &whyslow_model::simulation::CurveSimulation, look: Look) -> String {
    sim::curve(found, look)
}

/// A trace or pattern, simulated.
pub fn trace_simulation(found: &whyslow_model::simulation::TraceSimulation, look: Look) -> String {
    sim::trace(found, look)
}

/// Thresholds of the C library's copies, and what they gain.
pub fn tune_libc(tuning: &whyslow_model::tune::LibcTuning, look: Look) -> String {
    tune::libc(tuning, look)
}

/// What the curves say of a command's copies, or why these were not counted, in a line; none where there is no command.
pub fn tune_forecast(tuning: &whyslow_model::tune::LibcTuning) -> Option<String> {
    tune::forecast_line(tuning)
}

/// Settings that were tried on a command, and what it gains from each.
pub fn tune_settings(tuning: &whyslow_model::tune::SettingsTuning, look: Look) -> String {
    tune::settings(tuning, look)
}

/// A named text under a heading, wrapped to `width` columns with its lines aligned.
pub fn paragraph(name: &str, value: &str, width: usize) -> String {
    // Nine columns hold the longest of the usual names, `placement`.
    let mut page = page::Screen::new(Look {
        width,
        color: false,
        ascii: false,
    });
    page.field(4, 9, name, text::Text::plain(value));
    page.finish()
}
