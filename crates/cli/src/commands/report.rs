//! `whyslow report`: records as one HTML page.

use std::path::PathBuf;

use anyhow::{Context, Result};
use whyslow_compare::{Named, Options, compare};
use whyslow_explain::{explain, explain_one};
use whyslow_model::{Record, store};
use whyslow_stats::record::summarise;

use crate::args::Report;
use crate::commands::page;

/// Writes it.
pub(crate) fn report(args: &Report) -> Result<()> {
    let records = read(&args.records)?;
    let (also_a, also_b) = (read(&args.also_a)?, read(&args.also_b)?);
    let (mut comparisons, mut explanations) = (Vec::new(), Vec::new());
    let Some((a, rest)) = records.split_first() else {
        // clap asks for one at least.
        return Ok(());
    };
    if rest.is_empty() {
        explanations.push(explain_one(&a.1, &summarise(&a.1), &a.0));
    }
    let side_a: Vec<Named<'_>> = std::iter::once(a).chain(&also_a).map(named).collect();
    for (i, b) in rest.iter().enumerate() {
        let more = if i == 0 { also_b.as_slice() } else { &[] };
        let side_b: Vec<Named<'_>> = std::iter::once(b).chain(more).map(named).collect();
        let found = compare(&side_a, &side_b, &Options::default())
            .with_context(|| format!("{} and {} cannot be compared", a.0, b.0))?;
        explanations.push(explain(&found, &a.1, &b.1));
        comparisons.push(found);
    }
    let records: Vec<&(String, Record)> = records.iter().collect();
    page::write(&args.output, &records, &comparisons, &explanations)
}

fn read(paths: &[PathBuf]) -> Result<Vec<(String, Record)>> {
    let records = paths
        .iter()
        .map(|path| Ok((path.display().to_string(), store::read(path)?)));
    records.collect()
}

fn named((name, record): &(String, Record)) -> Named<'_> {
    Named { name, record }
}
