//! Arguments of `whyslow load`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Load {
    /// Load levels, such as 1,2,4 or 1..4 or 1..16..5: what {j} in the command stands for, or how many
    /// copies of it run at once where it has no {j}
    #[arg(short, long, value_name = "LEVELS", value_delimiter = ',', value_parser = levels)]
    pub(crate) jobs: Vec<Levels>,
    /// Values for {NAME} in the command, in --prepare and the like: NAME=a,b,c or NAME=1..10 or
    /// NAME=1..10..3; can be given for several names
    #[arg(short = 'L', long, value_name = "NAME=VALUES")]
    pub(crate) param: Vec<String>,
    /// Another command line, run next to the first in ABBA blocks and compared with it; can be
    /// given several times
    #[arg(long, value_name = "COMMAND")]
    pub(crate) against: Vec<String>,
    /// An arm: how the command is started, run next to the first arm in ABBA blocks at each level and compared with it in
    /// real, user and system time. NAME is the command as it is; NAME=SETTING puts it under a setting of whyslow tune, such
    /// as malloc-keep, NAME=env:VARIABLE=VALUE under a variable, and NAME=under:CONDITION under a condition, such as
    /// cpus=0; the same NAME again adds to it, and NAME=nothing is a second one as it is
    #[arg(long, value_name = "NAME[=SETTING]", conflicts_with_all = ["against", "name"])]
    pub(crate) arm: Vec<String>,
    /// Measured runs of each variant; made even with --arm and --against
    #[arg(short, long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,
    /// Runs of each variant before those, which do not count
    #[arg(short, long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) warmup: u32,
    /// Shell command before each run, such as 'make clean'
    #[arg(short, long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Shell command after each run
    #[arg(long, value_name = "COMMAND")]
    pub(crate) conclude: Option<String>,
    /// Shell command before the first run; with {NAME}s once for each of their values. The order of
    /// runs is random: what must hold for one run alone belongs into --prepare
    #[arg(short, long, value_name = "COMMAND")]
    pub(crate) setup: Option<String>,
    /// Shell command after the last run, even an interrupted one
    #[arg(short, long, value_name = "COMMAND")]
    pub(crate) cleanup: Option<String>,
    /// none: start the program directly; default: by /bin/sh -c; or the path of a shell. Its own
    /// start is measured and shown, and not taken off
    #[arg(short = 'S', long, value_name = "SHELL", default_value = "none")]
    pub(crate) shell: String,
    /// Runs that end with a code other than 0 count all the same: all of them, or those with these
    /// codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true,
          default_missing_value = "all")]
    pub(crate) ignore_failure: Option<String>,
    /// Kill a run that takes longer; it does not count
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Seconds to measure for at most; the first round is always finished
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) budget: Option<Duration>,
    /// Where the command's output goes: null, inherit (the terminal), pipe, or the path of a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub(crate) output: String,
    /// File that the command reads from; each run from its beginning [default: /dev/null]
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Name of a command in points and tables; the first for the command, others for --against
    #[arg(short, long, value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// The record to write [default: whyslow-HOST-TIME.whyslow in this folder]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = LoadFormat::Table)]
    pub(crate) format: LoadFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// The command and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoadFormat {
    /// For reading, 80 columns
    Table,
    /// Everything, by the schema in schema/record.schema.json
    Json,
    /// The arms before and after, a line a level; needs --arm or --against
    Markdown,
}

/// One level, or those of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Levels(pub(crate) Vec<u32>);

/// Largest level: more of anything than a machine runs.
const LARGEST: u32 = 1_000_000;

/// Most levels of a range: each is measured as often as all others.
const MOST: usize = 1_000;

/// `4`, `1..4` or `1..16..5`, whose ends belong to it.
fn levels(text: &str) -> Result<Levels, String> {
    let wrong =
        || format!("a level from 1 to {LARGEST}, or a range such as 1..4 or 1..16..5, is expected");
    let numbers: Result<Vec<u32>, _> = text.split("..").map(str::parse).collect();
    let numbers = numbers.map_err(|_| wrong())?;
    let (first, last, step) = match numbers[..] {
        [one] => (one, one, 1),
        [first, last] => (first, last, 1),
        [first, last, step] => (first, last, step),
        _ => return Err(wrong()),
    };
    if first == 0 || last < first || last > LARGEST || step == 0 {
        return Err(wrong());
    }
    let levels: Vec<u32> = (first..=last)
        .step_by(step as usize)
        .take(MOST + 1)
        .collect();
    match levels.len() > MOST {
        true => Err(format!("a range of more than {MOST} levels")),
        false => Ok(Levels(levels)),
    }
}

/// A time above zero, in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "seconds are a number above 0, such as 2.5".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    match time.is_zero() {
        true => Err(wrong()),
        false => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_numbers_and_ranges() {
        for (text, wanted) in [
            ("3", &[3][..]),
            ("1..4", &[1, 2, 3, 4]),
            ("1..16..5", &[1, 6, 11, 16]),
            ("2..2", &[2]),
        ] {
            assert_eq!(levels(text), Ok(Levels(wanted.to_vec())), "{text}");
        }
        for text in [
            "",
            "0",
            "4..1",
            "1..",
            "1..4..0",
            "1..2..3..4",
            "x",
            "-1",
            "1..1000001",
            "1..9999",
        ] {
            assert!(levels(text).is_err(), "{text}");
        }
    }
}
