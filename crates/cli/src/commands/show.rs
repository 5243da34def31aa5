//! `whyslow show`: a record on the terminal or for other programs.

use std::path::PathBuf;

use anyhow::{Result, bail};
use whyslow_model::Record;
use whyslow_model::document::Document;
use whyslow_model::shell::quote;
use whyslow_model::store;
use whyslow_model::summary::Summary;

use crate::args::{Show, ShowFormat};
use crate::commands::{catalog, run};
use crate::output;

/// Shows it.
pub(crate) fn show(args: &Show) -> Result<()> {
    let mut records: Vec<(Record, Summary)> = Vec::new();
    for path in &args.records {
        let record = store::read(path)?;
        let summary = whyslow_stats::record::summarise(&record);
        records.push((record, summary));
    }
    let look = output::look();
    if args.format == ShowFormat::Lmbench {
        let rows: Vec<(&Record, &Summary)> = records.iter().map(|(r, s)| (r, s)).collect();
        return output::print(&whyslow_report::lmbench(&rows, look));
    }
    let (Some((record, summary)), None) = (records.pop(), records.pop()) else {
        let name = |at: usize| {
            let path = args.records.get(at);
            path.map_or_else(String::new, |path| quote(&path.to_string_lossy()))
        };
        bail!(
            "show takes one record; only --format lmbench has a row for each of several (to compare \
             two: `whyslow compare {} {}`)",
            name(0),
            name(1)
        );
    };
    output::print(&match args.format {
        // What a command did under load has its own table.
        ShowFormat::Summary if whyslow_report::is_load(&record) => {
            whyslow_report::load(&record, &summary, look)
        }
        ShowFormat::Summary | ShowFormat::Lmbench => {
            let among = catalog::standings(&summary, args.no_catalog);
            let page = whyslow_report::summary_among(&record, &summary, &among, look);
            page + &next(&record, &args.records)
        }
        ShowFormat::Table => whyslow_report::table(&record, &summary, look),
        ShowFormat::Csv => whyslow_report::csv(&record, &summary),
        ShowFormat::Byte => whyslow_report::byte(&record, &summary, look),
        ShowFormat::Json => {
            let load = whyslow_compare::load::arms(&record);
            let document = Document {
                record,
                summary,
                load,
            };
            serde_json::to_string_pretty(&document)? + "\n"
        }
    })
}

/// The next command, for a run of this tool that measured something.
fn next(record: &Record, paths: &[PathBuf]) -> String {
    let is_run = record.origin.is_none() && !record.processes.is_empty();
    let path = paths.first().filter(|_| is_run);
    path.map_or_else(String::new, |path| run::next(path, &record.header.suite))
}
