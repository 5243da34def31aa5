//! `whyslow plot`: a chart of some points as a file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use whyslow_compare::{Named, Options, compare};
use whyslow_model::comparison::Comparison;
use whyslow_model::glob::Globs;
use whyslow_model::shell::quote;
use whyslow_model::summary::Summary;
use whyslow_model::{Record, store};
use whyslow_report::{ChartLook, Shown, Theme};
use whyslow_stats::record::summarise;

use crate::args::{MOST_RECORDS, Plot, PlotFormat, ThemeArgument};
use crate::commands::sides;
use crate::{file, globs, output};

/// Writes it.
pub(crate) fn plot(args: &Plot) -> Result<()> {
    sides::not_too_many(args.records.len(), MOST_RECORDS, "draw fewer at a time")?;
    let picture = match args.format {
        Some(PlotFormat::Svg) => Picture::Svg,
        Some(PlotFormat::Png) => Picture::Png,
        None => kind(&args.output)?,
    };
    if !args.names.is_empty() && args.names.len() != args.records.len() {
        bail!(
            "--names has {} names for {} records: one for each, with commas between",
            args.names.len(),
            args.records.len()
        );
    }
    let globs = globs::typed(Some(&args.points))?;
    let mut records: Vec<(String, Record, Summary)> = Vec::new();
    for path in &args.records {
        let record = store::read(path)?;
        let mut summary = summarise(&record);
        summary.points.retain(|p| globs.selects(&p.point));
        if summary.points.is_empty() {
            bail!(
                "no point of {} matches '{}'; `whyslow show {} --format table` lists what it has",
                path.display(),
                args.points,
                quote(&path.to_string_lossy())
            );
        }
        records.push((path.display().to_string(), record, summary));
    }
    let points = records.iter().flat_map(|(_, _, summary)| &summary.points);
    globs::all_select(&globs, points.map(|p| &p.point), "these records")?;
    let comparisons = comparisons(&records, &globs)?;
    let shown: Vec<Shown<'_>> = records
        .iter()
        .map(|(name, record, summary)| Shown {
            name,
            record,
            summary,
        })
        .collect();
    let look = ChartLook {
        theme: args.theme.into(),
        width: args.width,
        title: args.title.as_deref(),
        names: &args.names,
    };
    let charts = whyslow_report::chart(&shown, &comparisons, args.chart, &look);
    if charts.is_empty() {
        bail!(
            "'{}' has nothing that this chart could show; try --chart values",
            args.points
        );
    }
    let several = charts.len() > 1;
    for (at, (title, svg)) in charts.into_iter().enumerate() {
        let bytes = bytes(&picture, svg, f32::from(args.scale))?;
        let path = numbered(&args.output, at + 1);
        file::save(&path, &bytes)?;
        if several {
            output::print(&format!("{}: {title}\n", path.display()))?;
        }
    }
    Ok(())
}

/// The file of the chart with that number: the first has the name as given, the second of `x.svg` is
/// `x-2.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let Some(stem) = path.file_stem().filter(|_| number > 1) else {
        return path.to_owned();
    };
    let mut name = stem.to_owned();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// What a picture's file holds.
pub(crate) enum Picture {
    Svg,
    Png,
}

impl From<ThemeArgument> for Theme {
    fn from(theme: ThemeArgument) -> Theme {
        match theme {
            ThemeArgument::Light => Theme::Light,
            ThemeArgument::Dark => Theme::Dark,
        }
    }
}

/// The file of a drawing, `scale` pixels of a PNG for each unit.
pub(crate) fn bytes(picture: &Picture, svg: String, scale: f32) -> Result<Vec<u8>> {
    Ok(match picture {
        Picture::Svg => svg.into_bytes(),
        Picture::Png => whyslow_report::png(&svg, scale)?,
    })
}

/// By the end of the file's name.
pub(crate) fn kind(path: &Path) -> Result<Picture> {
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
