//! `whyslow fleet`: many nodes.

mod history;
mod index;
mod report;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::{Fleet, FleetWhat};

/// Does what was asked.
pub(crate) fn fleet(args: &Fleet) -> Result<ExitCode> {
    match &args.what {
        FleetWhat::Report(args) => report::report(args),
        FleetWhat::Index(args) => index::index(args),
        FleetWhat::History(args) => history::history(args),
    }
}
