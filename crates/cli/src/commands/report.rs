//! `whyslow report`: records as one HTML page.

use anyhow::{Context, Result};
use whyslow_compare::{Options, compare};
use whyslow_explain::{explain, explain_one};
use whyslow_model::Record;
use whyslow_stats::record::summarise;

use crate::args::{MOST_OF_PAGE, Report};
use crate::commands::{page, sides};

/// Writes it.
pub(crate) fn report(args: &Report) -> Result<()> {
    sides::not_too_many(
        args.records.len(),
        MOST_OF_PAGE,
        "further records of one machine go to its side with --also-a or --also-b",
    )?;
    let also = [&args.also_a[..], &args.also_b];
    let also = also.into_iter().chain(std::iter::repeat(&[][..]));
    let read = args.records.iter().zip(also);
    let sides: Vec<sides::Records> = read
        .map(|(first, also)| sides::read(first, also))
        .collect::<Result<_>>()?;
    let (mut comparisons, mut explanations) = (Vec::new(), Vec::new());
    let Some((a, rest)) = sides.split_first() else {
        // clap asks for one at least.
        return Ok(());
    };
    let first_a = &a[0];
    if rest.is_empty() {
        explanations.push(explain_one(&first_a.1, &summarise(&first_a.1), &first_a.0));
    }
    for b in rest {
        let first_b = &b[0];
        let found = compare(&sides::named(a), &sides::named(b), &Options::default())
            .with_context(|| format!("{} and {} cannot be compared", first_a.0, first_b.0))?;
        explanations.push(explain(&found, &first_a.1, &first_b.1));
        comparisons.push(found);
    }
    let sides: Vec<&[(String, Record)]> = sides.iter().map(Vec::as_slice).collect();
    page::write(
        &args.output,
        &sides,
        &comparisons,
        &explanations,
        args.no_catalog,
    )
}
