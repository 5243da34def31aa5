//! `whyslow show`: a record on the terminal or for other programs.

use anyhow::Result;
use whyslow_model::document::Document;
use whyslow_model::store;

use crate::args::{Show, ShowFormat};
use crate::output;

/// Shows it.
pub(crate) fn show(args: &Show) -> Result<()> {
    let record = store::read(&args.record)?;
    let summary = whyslow_stats::record::summarise(&record);
    let look = output::look();
    output::print(&match args.format {
        ShowFormat::Summary => whyslow_report::summary(&record, &summary, look),
        ShowFormat::Table => whyslow_report::table(&record, &summary, look),
        ShowFormat::Csv => whyslow_report::csv(&summary),
        ShowFormat::Json => serde_json::to_string_pretty(&Document { record, summary })? + "\n",
    })
}
