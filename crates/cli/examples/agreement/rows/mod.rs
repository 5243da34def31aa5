//! The rows: which program of the rival and which point of ours, and why they differ where they do.

mod byte;
mod lmbench;
mod ramspeed;

use whyslow_model::document::Document;
use whyslow_model::glob::Globs;
use whyslow_model::summary::PointSummary;

/// Where a rival's row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// lmbench 3.
    Lmbench,
    /// UnixBench.
    Byte,
    /// RAMspeed/SMP.
    Ramspeed,
}

/// Where the figure stands in what a program prints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Take {
    /// The first number after this text, in its line.
    After(&'static str),
    /// The last number of the last line that has one.
    LastOfLastLine,
    /// The word at this place, counted from 1, of the first line that begins with this text.
    Word(&'static str, usize),
    /// UnixBench's `COUNT|n|base|...` of the so-manieth line that has one: n over the time base as
    /// it scales it, or n itself where the base is 0.
    Count(usize),
}

/// One run of a rival's program, for one row or several.
#[derive(Debug)]
pub(crate) struct Block {
    /// Whose.
    pub(crate) suite: Suite,
    /// A shell command; `{bin}` is the folder of the rival's programs, `{file}` a file of 64 MiB,
    /// `{dir}` an empty folder.
    pub(crate) command: &'static str,
    /// What it gives.
    pub(crate) rows: &'static [Row],
}

/// A row of a rival and the point that is the same thing.
#[derive(Debug)]
pub(crate) struct Row {
    /// The rival's name of it.
    pub(crate) name: &'static str,
    /// Unit of both columns.
    pub(crate) unit: &'static str,
    /// Where the figure stands.
    pub(crate) take: Take,
    /// Our point, or a glob over those of one probe.
    pub(crate) point: &'static str,
    /// How our value becomes the row's.
    pub(crate) as_theirs: AsTheirs,
    /// Why they differ, where they do and the reason was shown.
    pub(crate) why: &'static str,
}

/// How what we measured becomes the rival's figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AsTheirs {
    /// Multiplied.
    Times(f64),
    /// This over our value: a rate from a time.
    Over(f64),
    /// How many are under way at once: the time of one chain over the shortest of all.
    AtOnce,
    /// The first distance between two loads of a pair that takes much longer than one word's.
    FirstJump,
    /// Of all counts of pages, the last that costs hardly more than as many lines packed.
    LastCheap,
}

/// Pairs within a line cost the same within 2 %; across lines a fifth more, where prefetchers hide most of
/// the second miss.
const JUMP: f64 = 1.1;

/// lmbench's own: what a page costs more when the TLB is full.
const FULL: f64 = 1.15;

impl Row {
    /// Our figure in the row's unit.
    pub(crate) fn ours(&self, document: &Document) -> Option<f64> {
        let globs = Globs::parse(self.point);
        let points = document.summary.points.iter();
        let mut points = points.filter(|p| globs.selects(&p.point));
        let value = |p: &PointSummary| p.value.map(|value| value.value);
        match self.as_theirs {
            AsTheirs::Times(by) => Some(value(points.next()?)? * by),
            AsTheirs::Over(from) => Some(from / value(points.next()?)?),
            AsTheirs::AtOnce => {
                let times = series(points.next()?);
                let shortest = times.iter().map(|(_, ns)| *ns).reduce(f64::min)?;
                Some(times.first()?.1 / shortest)
            }
            AsTheirs::FirstJump => {
                let times = series(points.next()?);
                let (_, word) = *times.first()?;
                times
                    .iter()
                    .find(|(_, ns)| *ns > JUMP * word)?
                    .0
                    .parse()
                    .ok()
            }
            AsTheirs::LastCheap => {
                let cheap = |p: &&PointSummary| {
                    let times = series(p);
                    matches!(times[..], [(_, sparse), (_, packed)] if sparse <= FULL * packed)
                };
                let last = points.take_while(cheap).last()?;
                last.point.get("count")?.parse().ok()
            }
        }
    }
}

/// The series of a point, in the order measured.
fn series(point: &PointSummary) -> Vec<(&str, f64)> {
    let series = point.series.iter();
    series.map(|s| (s.name.as_str(), s.value.value)).collect()
}

/// The blocks of all suites.
pub(crate) fn blocks() -> impl Iterator<Item = &'static Block> {
    [lmbench::BLOCKS, byte::BLOCKS, ramspeed::BLOCKS]
        .into_iter()
        .flatten()
}

const fn row(
    name: &'static str,
    unit: &'static str,
    take: Take,
    point: &'static str,
    as_theirs: AsTheirs,
    why: &'static str,
) -> Row {
    Row {
        name,
        unit,
        take,
        point,
        as_theirs,
        why,
    }
}
