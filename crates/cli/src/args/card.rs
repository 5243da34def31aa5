//! Arguments of `whyslow card`.

use std::path::PathBuf;

use clap::Args;

use super::ThemeArgument;

#[derive(Debug, Args)]
pub(crate) struct Card {
    /// The record
    pub(crate) record: PathBuf,
    /// A second record, drawn beside the first and compared with it
    #[arg(long, value_name = "RECORD")]
    pub(crate) against: Option<PathBuf>,
    /// The file to write: .png or .svg
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Its colors
    #[arg(long, value_enum, default_value_t = ThemeArgument::Light)]
    pub(crate) theme: ThemeArgument,
}
