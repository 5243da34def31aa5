//! Arguments of `whyslow color`.

use clap::{Args, Subcommand, ValueEnum};

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
}

#[derive(Debug, Args)]
pub(crate) struct ColorMap {
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ColorFormat::Table)]
    pub(crate) format: ColorFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ColorBench {
    /// Draws of fresh pages of each kind and size
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) draws: u32,
    /// Seed of everything random [default: from the clock]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ColorFormat::Table)]
    pub(crate) format: ColorFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorFormat {
    /// For reading
    Table,
    /// Everything
    Json,
}
