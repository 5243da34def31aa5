//! `whyslow fleet`: many nodes.

mod history;
mod index;
mod node;
mod report;
mod run;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::{Fleet, FleetWhat};

pub(crate) use node::node;

/// Does what was asked.
pub(crate) fn fleet(args: &Fleet) -> Result<ExitCode> {
    match &args.what {
        FleetWhat::Run(args) => run::run(args),
        FleetWhat::Report(args) => report::report(args),
        FleetWhat::Index(args) => index::index(args),
        FleetWhat::History(args) => history::history(args),
    }
}
