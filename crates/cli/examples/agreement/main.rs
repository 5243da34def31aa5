//! Measures rows of lmbench, UnixBench and RAMspeed with their own programs and with whyslow, interleaved and
//! pinned alike, and prints the table of `docs/agreement.md`.
//!
//! None of the suites is part of this project: build them somewhere and name their folders.
//!
//! ```sh
//! cargo build --release
//! cargo run --release --example agreement -- --lmbench DIR --byte DIR --ramspeed DIR > docs/agreement.md
//! ```

mod rows;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rows::{Block, Row, Suite, Take};
use whyslow_model::document::Document;
use whyslow_model::glob::Globs;
use whyslow_probes::bench::shuffle;
use whyslow_stats::quantile::median;

/// Within this of each other two medians agree.
const AGREE: f64 = 0.10;

/// A file larger than any that a row reads, written in the pieces of lmbench's lmdd.
const FILE_BYTES: usize = 64 << 20;
const PIECE: usize = 8 << 10;

/// Seconds after which a rival's program is taken to hang, as some do when pinned; the longest that
/// does not takes 18.
const PATIENCE: &str = "30";

#[derive(Parser)]
struct Arguments {
    /// Folder with lmbench's programs
    #[arg(long, value_name = "DIR")]
    lmbench: Option<PathBuf>,
    /// Folder with UnixBench's programs (its `pgms`)
    #[arg(long, value_name = "DIR")]
    byte: Option<PathBuf>,
    /// Folder with RAMspeed/SMP's program
    #[arg(long, value_name = "DIR")]
    ramspeed: Option<PathBuf>,
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

type Rows = BTreeMap<&'static str, Seen>;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let only = Globs::parse(&arguments.only);
    let selected = |row: &Row| row.point.parse().is_ok_and(|point| only.selects(&point));
    let mut blocks: Vec<&Block> = rows::blocks()
        .filter(|block| arguments.folder(block.suite).is_some())
        .filter(|block| block.rows.iter().any(selected))
        .collect();
    if blocks.is_empty() {
        bail!("no row to measure: name the folder of a suite, such as --lmbench DIR");
    }
    let scratch = tempfile::tempdir().context("a folder for files")?;
    prepare(scratch.path())?;
    let mut seen = Rows::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..arguments.rounds {
        // A new order each round, and each block by both one after the other.
        shuffle(&mut blocks, &mut rng);
        for block in &blocks {
            arguments.measure(block, scratch.path(), &mut seen);
        }
    }
    print(&arguments, &seen);
    Ok(())
}

/// Writes the file that rows read.
fn prepare(folder: &Path) -> Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create(folder.join("data"))?;
    for _ in 0..FILE_BYTES / PIECE {
        file.write_all(&[b'x'; PIECE])?;
    }
    // Else its writing to the disk falls into the first rows.
    file.sync_all()?;
    std::fs::create_dir(folder.join("empty"))?;
    Ok(())
}

impl Arguments {
    fn folder(&self, suite: Suite) -> Option<&PathBuf> {
        match suite {
            Suite::Lmbench => self.lmbench.as_ref(),
            Suite::Byte => self.byte.as_ref(),
            Suite::Ramspeed => self.ramspeed.as_ref(),
        }
    }

    /// One turn of a block by both.
    #[expect(clippy::print_stderr, reason = "it takes minutes: say where it is")]
    fn measure(&self, block: &Block, scratch: &Path, seen: &mut Rows) {
        let began = Instant::now();
        let theirs = self.theirs(block, scratch);
        let between = Instant::now();
        let ours = self.ours(block, scratch);
        eprintln!(
            "{:5.1} s theirs, {:5.1} s ours: {}",
            (between - began).as_secs_f64(),
            between.elapsed().as_secs_f64(),
            block.command
        );
        for row in block.rows {
            let seen = seen.entry(row.name).or_default();
            let value = theirs.as_ref().map_err(|why| format!("{why:#}"));
            match value.and_then(|(said, took)| {
                row.take
                    .from(said, *took)
                    .ok_or_else(|| format!("no figure in what it printed: {}", said.trim()))
            }) {
                Ok(value) => seen.theirs.push(value),
                Err(why) => seen.trouble = Some(why),
            }
            let value = ours.as_ref().map_err(|why| format!("{why:#}"));
            match value.and_then(|document| ours_of(document, row)) {
                Ok(value) => seen.ours.push(value),
                Err(why) => seen.trouble = Some(why),
            }
        }
    }

    /// Runs the rival's program and gives what it printed and how long it took.
    fn theirs(&self, block: &Block, scratch: &Path) -> Result<(String, Duration)> {
        let folder = self.folder(block.suite).context("no folder")?;
        let line = block
            .command
            .replace("{bin}", &folder.canonicalize()?.display().to_string())
            .replace("{file}", &scratch.join("data").display().to_string())
            .replace("{dir}", &scratch.join("empty").display().to_string());
        let mut command = pinned("unshare")?;
        command
            // Nothing that it started may be left behind, or it disturbs all that follows.
            .args(["--map-root-user", "--pid", "--fork", "--kill-child"])
            .args([
                "timeout",
                "--kill-after=1",
                PATIENCE,
                "/bin/sh",
                "-c",
                &line,
            ])
            // lmbench finds its shortest interval anew in each program unless it is told.
            .env("ENOUGH", "5000")
            .envs([("LANG", "C"), ("LC_ALL", "C")])
            .env("UB_BINDIR", folder.canonicalize()?)
            .stdin(Stdio::null())
            .current_dir(scratch);
        let began = Instant::now();
        let output = command.output()?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok((said, began.elapsed()))
    }

    fn ours(&self, block: &Block, scratch: &Path) -> Result<Document> {
        let program = self
            .whyslow
            .canonicalize()
            .context("cargo build --release first")?;
        let record = scratch.join("record.whyslow");
        // The last one, if any; the runner writes no record over another.
        let _ = std::fs::remove_file(&record);
        let points: Vec<&str> = block.rows.iter().map(|row| row.point).collect();
        let mut command = pinned(program)?;
        command
            .args(["run", "--json", "--rounds", "1", "--only"])
            .arg(points.join(","))
            .arg("-o")
            .arg(&record)
            .stderr(Stdio::null());
        let output = command.output()?;
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{}: whyslow printed no result", points.join(",")))
    }
}

fn ours_of(document: &Document, row: &Row) -> Result<f64, String> {
    row.ours(document)
        .ok_or_else(|| format!("{}: no value", row.point))
}

/// `program`, on the last CPU that may be used.
fn pinned(program: impl AsRef<std::ffi::OsStr>) -> Result<Command> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let cpus = 0..rustix::thread::CpuSet::MAX_CPU;
    let last = cpus.rev().find(|&cpu| allowed.is_set(cpu));
    let mut command = Command::new("taskset");
    command
        .arg("-c")
        .arg(last.context("no CPU may be used")?.to_string())
        .arg(program);
    Ok(command)
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(arguments: &Arguments, seen: &Rows) {
    println!("# Agreement with lmbench, UnixBench and RAMspeed\n");
    println!(
        "Made on {} {} by `cargo run --release --example agreement -- --lmbench DIR --byte DIR --ramspeed DIR`; {} rounds, interleaved, both\n\
         pinned to one CPU. Medians; in brackets the largest over the smallest of each one's own rounds. *agree*: within 10 %;\n\
         *within the spread*: further apart, but not further than the rounds of either among themselves. A reason that is given was shown by experiment, here or by the program that it names.\n",
        env::consts::OS,
        env::consts::ARCH,
        arguments.rounds
    );
    for (suite, title) in [
        (Suite::Lmbench, "lmbench 3"),
        (Suite::Byte, "UnixBench"),
        (Suite::Ramspeed, "RAMspeed/SMP"),
    ] {
        let rows: Vec<&Row> = rows::blocks()
            .filter(|block| block.suite == suite)
            .flat_map(|block| block.rows)
            .filter(|row| seen.contains_key(row.name))
            .collect();
        if rows.is_empty() {
            continue;
        }
        println!("\n## {title}\n");
        println!(
            "| row | unit | theirs | ours | ours/theirs | verdict |\n|---|---|---|---|---|---|"
        );
        for row in rows {
            println!("{}", line(row, &seen[row.name]));
        }
    }
}

fn line(row: &Row, seen: &Seen) -> String {
    let (Some(ours), Some(theirs)) = (median(&seen.ours), median(&seen.theirs)) else {
        let why = seen.trouble.as_deref().unwrap_or("not measured");
        let why = why.replace('\n', " ");
        return format!(
            "| {} | {} | - | - | - | not measured: {why} |",
            row.name, row.unit
        );
    };
    let (spread, own) = (spread(&seen.theirs), spread(&seen.ours));
    let ratio = ours / theirs;
    // A difference may have the other sign: then no ratio says how far they are apart.
    let apart = if ratio > 0.0 {
        ratio.max(1.0 / ratio) - 1.0
    } else {
        f64::INFINITY
    };
    let verdict = if apart <= AGREE {
        "agree".to_owned()
    } else if apart < spread.max(own) - 1.0 {
        "within the spread".to_owned()
    } else if row.why.is_empty() {
        "differ; the reason is not known".to_owned()
    } else {
        format!("differ: {}", row.why)
    };
    format!(
        "| {} | {} | {} [{spread:.2}] | {} [{own:.2}] | {ratio:.2} | {verdict} |",
        row.name,
        row.unit,
        figure(theirs),
        figure(ours)
    )
}

/// Four digits or the whole part, as the tables of the suites have it.
fn figure(value: f64) -> String {
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 4) as usize;
    format!("{value:.digits$}")
}

fn spread(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    let smallest = values.iter().copied().fold(f64::MAX, f64::min);
    largest / smallest
}

impl Take {
    /// The figure in what a program printed that ran for `took`.
    fn from(self, said: &str, took: Duration) -> Option<f64> {
        let numbers = |line: &str| -> Vec<f64> {
            line.split(|c: char| c.is_whitespace() || c == '|' || c == ',')
                .filter_map(|word| word.parse().ok())
                .collect()
        };
        match self {
            Take::After(label) => {
                let lines = said.lines().filter_map(|line| line.split_once(label));
                lines
                    .map(|(_, rest)| numbers(rest))
                    .find(|n| !n.is_empty())?
                    .first()
                    .copied()
            }
            Take::LastOfLastLine => {
                numbers(said.lines().rev().find(|line| !numbers(line).is_empty())?)
                    .last()
                    .copied()
            }
            Take::Word(begin, nth) => {
                let line = said.lines().find(|line| line.starts_with(begin))?;
                line.split_whitespace().nth(nth - 1)?.parse().ok()
            }
            Take::Count(nth) => {
                let mut counts = said.lines().filter_map(|line| line.split_once("COUNT|"));
                let counted = numbers(counts.nth(nth)?.1);
                let (count, base) = (*counted.first()?, *counted.get(1)?);
                if base == 0.0 {
                    return Some(count);
                }
                let told = said.lines().find_map(|line| line.split_once("TIME|"));
                let seconds = told.and_then(|(_, rest)| numbers(rest).first().copied());
                Some(count * base / seconds.unwrap_or(took.as_secs_f64()))
            }
        }
    }
}
