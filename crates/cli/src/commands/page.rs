//! The HTML page behind `report`, and behind `--html` of `compare` and `explain`.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use whyslow_model::comparison::Comparison;
use whyslow_model::explanation::Explanation;
use whyslow_model::summary::Summary;
use whyslow_model::{Point, Record};
use whyslow_probes::registry;
use whyslow_report::{ProbeText, Report, Shown};
use whyslow_stats::record::summarise;

use crate::commands::catalog;
use crate::{file, output};

/// Writes the page of some sides, of which each after the first has a comparison with the first. A single one is shown
/// among the machines of the catalog, unless these are not wanted.
pub(crate) fn write(
    path: &Path,
    sides: &[&[(String, Record)]],
    comparisons: &[Comparison],
    explanations: &[Explanation],
    no_catalog: bool,
) -> Result<()> {
    let records: Vec<(&str, Record)> = sides.iter().filter_map(|side| together(side)).collect();
    let summaries: Vec<Summary> = records.iter().map(|r| summarise(&r.1)).collect();
    let shown: Vec<Shown<'_>> = records
        .iter()
        .zip(&summaries)
        .map(|((name, record), summary)| Shown {
            name,
            record,
            summary,
        })
        .collect();
    let standings = match summaries.as_slice() {
        [one] => catalog::standings(one, no_catalog),
        _ => Vec::new(),
    };
    let page = whyslow_report::html(&Report {
        records: &shown,
        comparisons,
        explanations,
        standings: &standings,
        probes: &probes(),
        version: env!("CARGO_PKG_VERSION"),
    });
    if path == Path::new("-") {
        return output::print(&page);
    }
    file::save(path, page.as_bytes())
}

/// The records of a side as one to look at: the first, with what the others have beside it. What
/// several of them measured is compared over all, and drawn of the first.
fn together(side: &[(String, Record)]) -> Option<(&str, Record)> {
    let ((name, first), more) = side.split_first()?;
    let mut all = first.clone();
    for (_, record) in more {
        let known: HashSet<Point> = all.plan.points.iter().map(|p| p.point.clone()).collect();
        let is_new = |point: &Point| !known.contains(point);
        let points = record.plan.points.iter().filter(|p| is_new(&p.point));
        all.plan.points.extend(points.cloned());
        let processes = record.processes.iter().filter(|p| is_new(&p.point));
        all.processes.extend(processes.cloned());
        all.notes.extend(record.notes.iter().cloned());
    }
    Some((name, all))
}

/// The registry's texts.
fn probes() -> Vec<ProbeText> {
    let texts = registry().map(|probe| ProbeText {
        id: probe.id,
        title: probe.title,
        what: probe.what,
        how: probe.how,
        params: probe.params.to_vec(),
        names: [
            ("lmbench", probe.names.lmbench),
            ("BYTE or UnixBench", probe.names.byte),
            ("RAMspeed", probe.names.ramspeed),
        ]
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(suite, rows)| (suite, rows.join(", ")))
        .collect(),
    });
    texts.collect()
}
