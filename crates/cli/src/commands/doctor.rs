//! `whyslow doctor`: what on this host would spoil a run.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use whyslow_host::{HostRoot, doctor};

use crate::args::{Doctor, DoctorFormat};
use crate::commands::restore;
use crate::exit;
use crate::output;

/// Looks for two seconds and says what it found.
pub(crate) fn doctor(args: &Doctor) -> Result<ExitCode> {
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let mut seen = doctor::look(&HostRoot::live(), &here, &env::temp_dir());
    seen.changes = restore::outstanding();
    let diagnosis = doctor::diagnose(&seen);
    output::print(&match args.format {
        DoctorFormat::Table => whyslow_report::doctor(&diagnosis, output::look()),
        DoctorFormat::Json => serde_json::to_string_pretty(&diagnosis)? + "\n",
    })?;
    Ok(match diagnosis.troubles().next() {
        Some(_) => ExitCode::from(exit::FOUND),
        None => ExitCode::SUCCESS,
    })
}
