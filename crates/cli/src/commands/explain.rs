//! `whyslow explain`: why two records differ, or what holds one machine back.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use whyslow_compare::{Named, Options, compare};
use whyslow_explain::{explain as explain_two, explain_one};
use whyslow_model::Record;
use whyslow_model::explanation::Explanation;
use whyslow_model::store;
use whyslow_stats::record::summarise;

use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The record to start from
    pub(crate) a: PathBuf,
    /// The record that differs from it; without it, A is held against its own limits
    pub(crate) b: Option<PathBuf>,
    /// Further records of side A, such as another table of the same machine
    #[arg(long, value_name = "RECORD", requires = "b")]
    pub(crate) also_a: Vec<PathBuf>,
    /// Further records of side B
    #[arg(long, value_name = "RECORD", requires = "b")]
    pub(crate) also_b: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ExplainFormat::Table)]
    pub(crate) format: ExplainFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// A note for people
    Table,
    /// Everything, by the schema in schema/explanation.schema.json
    Json,
}

/// Explains them.
pub(crate) fn explain(args: &Explain) -> Result<()> {
    let explanation = match &args.b {
        None => one(&args.a)?,
        Some(b) => two(args, b)?,
    };
    output::print(&match args.format {
        ExplainFormat::Table => whyslow_report::explanation(&explanation, output::look()),
        ExplainFormat::Json => serde_json::to_string_pretty(&explanation)? + "\n",
    })?;
    Ok(())
}

fn one(path: &Path) -> Result<Explanation> {
    let record = store::read(path)?;
    let name = path.display().to_string();
    Ok(explain_one(&record, &summarise(&record), &name))
}

fn two(args: &Explain, b: &PathBuf) -> Result<Explanation> {
    let (a, b) = (side(&args.a, &args.also_a)?, side(b, &args.also_b)?);
    let found = compare(&named(&a), &named(&b), &Options::default())
        .context("these records cannot be compared, so nothing can be explained")?;
    let (first_a, first_b) = a.first().zip(b.first()).context("a side has no records")?;
    Ok(explain_two(&found, &first_a.1, &first_b.1))
}

/// The records of a side with their names.
fn side(first: &PathBuf, also: &[PathBuf]) -> Result<Vec<(String, Record)>> {
    std::iter::once(first)
        .chain(also)
        .map(|path| Ok((path.display().to_string(), store::read(path)?)))
        .collect()
}

fn named(side: &[(String, Record)]) -> Vec<Named<'_>> {
    let named = side.iter().map(|(name, record)| Named { name, record });
    named.collect()
}
