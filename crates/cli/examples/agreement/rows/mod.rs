//! The rows: which program of the rival and which point of ours, and why they differ where they do.

mod byte;
mod lmbench;
mod ramspeed;

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
    /// Our point.
    pub(crate) point: &'static str,
    /// How our value becomes the row's unit.
    pub(crate) as_theirs: AsTheirs,
    /// Why they differ, where they do and the reason was shown.
    pub(crate) why: &'static str,
}

/// How our value becomes the rival's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AsTheirs {
    /// Multiplied.
    Times(f64),
    /// This over our value: a rate from a time.
    Over(f64),
}

impl Row {
    /// Our value in the row's unit.
    pub(crate) fn in_their_unit(&self, value: f64) -> f64 {
        match self.as_theirs {
            AsTheirs::Times(by) => value * by,
            AsTheirs::Over(from) => from / value,
        }
    }
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
