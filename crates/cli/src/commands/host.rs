//! `whyslow host`: facts and state of this host.

use std::env;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use whyslow_host::HostRoot;

use crate::args::{Host, HostFormat};
use crate::output;

/// Prints them.
pub(crate) fn host(args: &Host) -> Result<()> {
    let root = HostRoot::live();
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let (host, state) = (root.facts(), root.state(&here, &env::temp_dir()));
    output::print(&match args.format {
        HostFormat::Json => {
            serde_json::to_string_pretty(&json!({ "host": host, "state": state }))? + "\n"
        }
        HostFormat::Table => whyslow_report::host(&host, &state, output::look()),
    })
}
