//! The HTML page behind `report`, and behind `--html` of `compare` and `explain`.

use std::path::Path;

use anyhow::{Context, Result};
use whyslow_model::Record;
use whyslow_model::comparison::Comparison;
use whyslow_model::explanation::Explanation;
use whyslow_model::summary::Summary;
use whyslow_probes::registry;
use whyslow_report::{ProbeText, Report, Shown};
use whyslow_stats::record::summarise;

use crate::output;

/// Writes the page of `records`, of which each after the first has a comparison with the first.
pub(crate) fn write(
    path: &Path,
    records: &[&(String, Record)],
    comparisons: &[Comparison],
    explanations: &[Explanation],
) -> Result<()> {
    let summaries: Vec<Summary> = records.iter().map(|r| summarise(&r.1)).collect();
    let shown: Vec<Shown<'_>> = records
        .iter()
        .zip(&summaries)
        .map(|(one, summary)| Shown {
            name: &one.0,
            record: &one.1,
            summary,
        })
        .collect();
    let page = whyslow_report::html(&Report {
        records: &shown,
        comparisons,
        explanations,
        probes: &probes(),
        version: env!("CARGO_PKG_VERSION"),
    });
    if path == Path::new("-") {
        return output::print(&page);
    }
    std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))
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
