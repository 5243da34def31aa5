//! `whyslow plot`: a chart of some points as a file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use whyslow_compare::{Named, Options, compare};
use whyslow_model::comparison::Comparison;
use whyslow_model::glob::Globs;
use whyslow_model::summary::Summary;
use whyslow_model::{Record, store};
use whyslow_report::{Shown, Theme};
use whyslow_stats::record::summarise;

use crate::args::{Plot, ThemeArgument};
use crate::file;

/// Writes it.
pub(crate) fn plot(args: &Plot) -> Result<()> {
    let picture = kind(&args.output)?;
    let globs = Globs::parse(&args.points);
    let mut records: Vec<(String, Record, Summary)> = Vec::new();
    for path in &args.records {
        let record = store::read(path)?;
        let mut summary = summarise(&record);
        summary.points.retain(|p| globs.selects(&p.point));
        if summary.points.is_empty() {
            bail!(
                "no point of {} matches '{}'; `whyslow show --format table` lists what it has",
                path.display(),
                args.points
            );
        }
        records.push((path.display().to_string(), record, summary));
    }
    let comparisons = comparisons(&records, &globs)?;
    let shown: Vec<Shown<'_>> = records
        .iter()
        .map(|(name, record, summary)| Shown {
            name,
            record,
            summary,
        })
        .collect();
    let theme = match args.theme {
        ThemeArgument::Light => Theme::Light,
        ThemeArgument::Dark => Theme::Dark,
    };
    let Some(svg) = whyslow_report::chart(&shown, &comparisons, args.chart, theme) else {
        bail!(
            "'{}' has nothing that this chart could show; try --chart values",
            args.points
        );
    };
    let bytes = match picture {
        Picture::Svg => svg.into_bytes(),
        Picture::Png => whyslow_report::png(&svg, f32::from(args.scale))?,
    };
    file::save(&args.output, &bytes)
}

enum Picture {
    Svg,
    Png,
}

fn kind(path: &Path) -> Result<Picture> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => Ok(Picture::Svg),
        Some("png") => Ok(Picture::Png),
        _ => bail!(
            "{}: the name of a picture ends in .svg or .png",
            path.display()
        ),
    }
}

/// Every further record against the first, where there is something in common.
fn comparisons(records: &[(String, Record, Summary)], globs: &Globs) -> Result<Vec<Comparison>> {
    let Some(((a_name, a_record, _), rest)) = records.split_first() else {
        return Ok(Vec::new());
    };
    let options = Options {
        only: globs.clone(),
        ..Options::default()
    };
    let side_a = [Named {
        name: a_name,
        record: a_record,
    }];
    let mut found = Vec::new();
    for (name, record, _) in rest {
        let comparison = compare(&side_a, &[Named { name, record }], &options)
            .with_context(|| format!("{a_name} and {name} cannot be compared"))?;
        found.push(comparison);
    }
    Ok(found)
}
