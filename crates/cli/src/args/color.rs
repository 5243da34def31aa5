//! Arguments of `whyslow color`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use whyslow_page_color::discovery::BUDGET;
use whyslow_page_color::pool::{ColorSet, Order};

#[derive(Debug, Args)]
pub(crate) struct Color {
    #[command(subcommand)]
    pub(crate) command: ColorCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ColorCommand {
    /// The page colors of this host: how many, how found, how sure
    Map(ColorMap),
    /// What placing pages by color gains here, and where it loses
    Bench(ColorBench),
    /// Run a program with its large blocks of memory on colored pages
    Run(ColorRun),
}

#[derive(Debug, Args)]
pub(crate) struct ColorMap {
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Seconds for the search: while neighbors disturb it, it is tried again until then; if none finds colors, the
    /// exit code is 3 and what each try saw is said
    #[arg(long, value_name = "SECONDS", default_value_t = BUDGET.as_secs() as u32, value_parser = clap::value_parser!(u32).range(..=3600))]
    pub(crate) budget: u32,
    /// Print what a kernel with page coloring is booted with: Linux with the patches of kernel/, PALLOC, Xen. Needs root,
    /// who alone sees frame numbers; the exit code is 3 if they do not tell the color, as in most guests
    #[arg(long)]
    pub(crate) kernel: bool,
    /// Also write it as an HTML page, where colors are found
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ColorFormat::Table)]
    pub(crate) format: ColorFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ColorBench {
    /// Draws of fresh pages of each kind and size; four times as many (100 at most) at the cache's size
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) draws: u32,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Seconds for the search: while neighbors disturb it, it is tried again until then; if none finds colors, the
    /// exit code is 3 and what each try saw is said
    #[arg(long, value_name = "SECONDS", default_value_t = BUDGET.as_secs() as u32, value_parser = clap::value_parser!(u32).range(..=3600))]
    pub(crate) budget: u32,
    /// Also write it as an HTML page, where colors are found
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ColorFormat::Table)]
    pub(crate) format: ColorFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ColorRun {
    /// In what order colors are used: round-robin, by-address, best-bin, random or worst
    #[arg(long, value_name = "POLICY", default_value = "round-robin")]
    pub(crate) policy: Order,
    /// Smallest block of memory to color, such as 256KiB [default: a quarter of the cache]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) threshold: Option<u64>,
    /// Largest block of memory to color [default: 16 times the cache]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) largest: Option<u64>,
    /// Only these colors, such as 0-3,8: the program gets that part of the cache
    #[arg(long, value_name = "LIST")]
    pub(crate) colors: Option<ColorSet>,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Also write the report as an HTML page
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = ColorFormat::Table)]
    pub(crate) format: ColorFormat,
    /// Where to write the report [default: standard error]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The program and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

fn size(text: &str) -> Result<u64, String> {
    let bytes = whyslow_model::size::parse(text);
    bytes.ok_or_else(|| format!("{text:?} is no size; write it as 256KiB or 1MiB"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorFormat {
    /// For reading
    Table,
    /// Everything
    Json,
}
