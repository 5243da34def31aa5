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
    let mut sides: Vec<Vec<(String, Record)>> = Vec::new();
    for path in &args.records {
        sides.push(read(std::slice::from_ref(path))?);
    }
    for (side, also) in sides.iter_mut().zip([&args.also_a, &args.also_b]) {
        side.extend(read(also)?);
    }
    let (mut comparisons, mut explanations) = (Vec::new(), Vec::new());
    let Some(([first_a, also_a @ ..], rest)) = sides.split_first().map(|(a, b)| (&a[..], b)) else {
        // clap asks for one at least.
        return Ok(());
    };
    if rest.is_empty() {
        explanations.push(explain_one(&first_a.1, &summarise(&first_a.1), &first_a.0));
    }
    let side_a: Vec<Named<'_>> = std::iter::once(first_a).chain(also_a).map(named).collect();
    for side in rest {
        let side_b: Vec<Named<'_>> = side.iter().map(named).collect();
        let Some(first_b) = side.first() else {
            continue;
        };
        let found = compare(&side_a, &side_b, &Options::default())
            .with_context(|| format!("{} and {} cannot be compared", first_a.0, first_b.0))?;
        explanations.push(explain(&found, &first_a.1, &first_b.1));
        comparisons.push(found);
    }
    let sides: Vec<&[(String, Record)]> = sides.iter().map(Vec::as_slice).collect();
    page::write(&args.output, &sides, &comparisons, &explanations)
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
