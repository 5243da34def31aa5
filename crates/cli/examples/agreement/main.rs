//! Measures rows of lmbench and UnixBench with their own programs and with whyslow, interleaved and
//! pinned alike, and prints the table of `docs/agreement.md`.
//!
//! Neither suite is part of this project: build them somewhere and name their folders.
//!
//! ```sh
//! cargo build --release
//! cargo run --release --example agreement -- --lmbench DIR --byte DIR > docs/agreement.md
//! ```

mod rows;

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Parser;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rows::{ROWS, Row, Suite, Take};
use whyslow_model::document::Document;
use whyslow_model::glob::Globs;
use whyslow_probes::bench::shuffle;
use whyslow_stats::quantile::median;

/// Within this of each other, or of the rival's own spread, two medians agree.
const AGREE: f64 = 0.10;

#[derive(Parser)]
struct Arguments {
    /// Folder with lmbench's programs
    #[arg(long, value_name = "DIR")]
    lmbench: Option<PathBuf>,
    /// Folder with UnixBench's programs (its `pgms`)
    #[arg(long, value_name = "DIR")]
    byte: Option<PathBuf>,
    /// The whyslow to compare
    #[arg(long, value_name = "FILE", default_value = "target/release/whyslow")]
    whyslow: PathBuf,
    /// Times that each row is measured by both
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Only rows whose point matches
    #[arg(long, value_name = "GLOB", default_value = "")]
    only: String,
}

/// What both gave for one row, in the unit of the row.
#[derive(Default)]
struct Seen {
    ours: Vec<f64>,
    theirs: Vec<f64>,
    trouble: Option<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let only = Globs::parse(&arguments.only);
    let mut rows: Vec<&Row> = ROWS
        .iter()
        .filter(|row| arguments.folder(row.suite).is_some())
        .filter(|row| row.point.parse().is_ok_and(|point| only.selects(&point)))
        .collect();
    if rows.is_empty() {
        bail!("no row to measure: name the folder of a suite with --lmbench or --byte");
    }
    let scratch = tempfile::tempdir().context("a folder for files")?;
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..arguments.rounds {
        // A new order each round, and each row by both one after the other.
        shuffle(&mut rows, &mut rng);
        for row in &rows {
            let seen = seen.entry(row.id()).or_default();
            match arguments.theirs(row, &scratch) {
                Ok(value) => seen.theirs.push(value),
                Err(why) => seen.trouble = Some(format!("{why:#}")),
            }
            match arguments.ours(row, &scratch) {
                Ok(value) => seen.ours.push(value),
                Err(why) => seen.trouble = Some(format!("{why:#}")),
            }
        }
    }
    print(&arguments, &seen);
    Ok(())
}

impl Arguments {
    fn folder(&self, suite: Suite) -> Option<&PathBuf> {
        match suite {
            Suite::Lmbench => self.lmbench.as_ref(),
            Suite::Byte => self.byte.as_ref(),
        }
    }

    /// Runs the rival's program, on CPU 1 where the row has one CPU, else free.
    fn theirs(&self, row: &Row, scratch: &tempfile::TempDir) -> Result<f64> {
        let folder = self
            .folder(row.suite)
            .context("no folder")?
            .canonicalize()?;
        let file = scratch.path().join("data");
        if !file.exists() {
            // 16 MiB: more than the largest size that a file row reads.
            std::fs::write(&file, vec![b'x'; 16 << 20])?;
        }
        let line = row
            .command
            .replace("{bin}", &folder.display().to_string())
            .replace("{file}", &file.display().to_string());
        let mut command = Command::new("/bin/sh");
        // lmbench finds its shortest interval anew in each program unless it is told.
        command
            .env("ENOUGH", "5000")
            .arg("-c")
            .arg(&line)
            .current_dir(scratch.path());
        let output = pinned(command, row.free)?.output()?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let value = row.take.from(&said);
        value.with_context(|| format!("{line}: no figure in what it printed: {}", said.trim()))
    }

    fn ours(&self, row: &Row, scratch: &tempfile::TempDir) -> Result<f64> {
        let program = self
            .whyslow
            .canonicalize()
            .context("cargo build --release first")?;
        let record = scratch.path().join("record.whyslow");
        // The last one, if any; the runner writes no record over another.
        let _ = std::fs::remove_file(&record);
        let mut command = Command::new(program);
        command
            .args(["run", "--json", "--rounds", "1", "--only", row.point, "-o"])
            .arg(&record);
        let output = pinned(command, row.free)?.stderr(Stdio::null()).output()?;
        let document: Document = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{}: whyslow printed no result", row.point))?;
        let point = document
            .summary
            .points
            .iter()
            .find(|p| p.point.to_string() == row.point);
        let value = point
            .and_then(|p| p.value)
            .with_context(|| format!("{}: no value", row.point))?;
        Ok(row.in_their_unit(value.value))
    }
}

/// `command`, on one CPU unless it is to be free.
fn pinned(command: Command, free: bool) -> Result<Command> {
    if free {
        return Ok(command);
    }
    let cpus = std::thread::available_parallelism()?.get();
    let mut pinned = Command::new("taskset");
    pinned
        .arg("-c")
        .arg((cpus - 1).to_string())
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        pinned.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            pinned.env(name, value);
        }
    }
    Ok(pinned)
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(arguments: &Arguments, seen: &BTreeMap<&str, Seen>) {
    println!("# Agreement with lmbench and UnixBench\n");
    println!(
        "Made on {} {} by `cargo run --release --example agreement -- --lmbench DIR --byte DIR`; {} rounds, interleaved, both pinned to one\n\
         CPU except where the row is of two. Medians; in brackets the largest over the smallest of the rival's own rounds. *agree*: within 10 %\n\
         or within that spread.\n",
        env::consts::OS,
        env::consts::ARCH,
        arguments.rounds
    );
    println!("| row | unit | theirs | ours | ours/theirs | verdict |\n|---|---|---|---|---|---|");
    for row in ROWS {
        let Some(seen) = seen.get(row.id()) else {
            continue;
        };
        let (Some(ours), Some(theirs)) = (median(&seen.ours), median(&seen.theirs)) else {
            let why = seen.trouble.as_deref().unwrap_or("not measured");
            println!(
                "| {} | {} | - | - | - | not measured: {} |",
                row.name,
                row.unit,
                why.replace('\n', " ")
            );
            continue;
        };
        let spread = spread(&seen.theirs);
        let ratio = ours / theirs;
        let apart = ratio.max(1.0 / ratio) - 1.0;
        let verdict = match (apart <= AGREE.max(spread - 1.0), row.why) {
            (true, _) => "agree".to_owned(),
            (false, "") => "differ; the reason is not known".to_owned(),
            (false, why) => format!("differ: {why}"),
        };
        println!(
            "| {} | {} | {theirs:.4} [{spread:.2}] | {ours:.4} | {ratio:.2} | {verdict} |",
            row.name, row.unit
        );
    }
}

fn spread(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    let smallest = values.iter().copied().fold(f64::MAX, f64::min);
    largest / smallest
}

impl Take {
    /// The figure in what a program printed.
    fn from(self, said: &str) -> Option<f64> {
        let numbers = |line: &str| -> Vec<f64> {
            line.split(|c: char| c.is_whitespace() || c == '|' || c == ',')
                .filter_map(|word| word.parse().ok())
                .collect()
        };
        match self {
            Take::After(label) => {
                let rest = said.lines().find_map(|line| line.split_once(label))?.1;
                numbers(rest).first().copied()
            }
            Take::LastOfLastLine => {
                numbers(said.lines().rev().find(|line| !numbers(line).is_empty())?)
                    .last()
                    .copied()
            }
            Take::Count { seconds } => {
                let rest = said.lines().find_map(|line| line.split_once("COUNT|"))?.1;
                Some(numbers(rest).first()? / seconds)
            }
        }
    }
}
