//! `whyslow completions`: what a shell completes, made from the arguments as they are declared.

use anyhow::Result;

use crate::args::{Completions, shown};
use crate::output;

/// Prints them.
pub(crate) fn print(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown(), "whyslow", &mut script);
    output::print(&String::from_utf8(script)?)
}
