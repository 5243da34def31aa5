//! `whyslow catalog`: the machines that values of records are shown among.

use anyhow::Result;
use whyslow_model::catalog::Standing;
use whyslow_model::summary::Summary;

use crate::output;

/// Lists them.
pub(crate) fn catalog() -> Result<()> {
    let listing = whyslow_catalog::listing()?;
    output::print(&whyslow_report::catalog(&listing, output::look()))
}

/// Where the values of a record stand; nothing where that is not wanted.
pub(crate) fn standings(summary: &Summary, left_out: bool) -> Vec<Standing> {
    match left_out {
        true => Vec::new(),
        false => whyslow_catalog::standings(summary),
    }
}
