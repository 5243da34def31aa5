//! `whyslow card`: one record, or two compared, as a picture for a post or a slide.

use anyhow::{Context, Result};
use whyslow_compare::{Options, compare};
use whyslow_report::Shown;
use whyslow_stats::record::summarise;

use crate::args::Card;
use crate::commands::{plot, sides};
use crate::file;

/// Writes it.
pub(crate) fn card(args: &Card) -> Result<()> {
    let picture = plot::kind(&args.output)?;
    let paths = std::iter::once(&args.record).chain(&args.against);
    let mut records = Vec::new();
    for path in paths {
        let record = sides::one(path)?;
        let summary = summarise(&record);
        records.push((path.display().to_string(), record, summary));
    }
    let shown: Vec<Shown<'_>> = records
        .iter()
        .map(|(name, record, summary)| Shown {
            name,
            record,
            summary,
        })
        .collect();
    // The first is the baseline, as everywhere.
    let comparison = match records.as_slice() {
        [(a_name, a, _), (b_name, b, _)] => {
            let named = |name, record| [whyslow_compare::Named { name, record }];
            let (a, b) = (named(a_name, a), named(b_name, b));
            let found = compare(&a, &b, &Options::default())
                .with_context(|| format!("{a_name} and {b_name} cannot be compared"))?;
            Some(found)
        }
        _ => None,
    };
    let version = env!("CARGO_PKG_VERSION");
    let svg = whyslow_report::card(&shown, comparison.as_ref(), args.theme.into(), version)?;
    file::save(&args.output, &plot::bytes(&picture, svg, 1.0)?)
}
