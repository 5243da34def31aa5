//! `whyslow list`: the registry in words.

use std::fmt::Write;

use anyhow::{Result, bail};
use whyslow_model::glob::Globs;
use whyslow_probes::{Probe, registry};

use crate::args::{List, Origin};
use crate::output;

/// Prints the probes that match.
pub(crate) fn list(args: &List) -> Result<()> {
    let globs = Globs::parse(args.glob.as_deref().unwrap_or_default());
    let mut text = String::new();
    for probe in registry().filter(|p| globs.may_select(p.id) && from(p, args.origin)) {
        describe(&mut text, probe)?;
    }
    if text.is_empty() {
        bail!(
            "no probe matches '{}'; `whyslow list` names them all",
            args.glob.as_deref().unwrap_or("*")
        );
    }
    output::print(&text)
}

fn from(probe: &Probe, origin: Option<Origin>) -> bool {
    match origin {
        None => true,
        Some(Origin::Lmbench) => !probe.names.lmbench.is_empty(),
        Some(Origin::Byte) => !probe.names.byte.is_empty(),
        Some(Origin::Ramspeed) => !probe.names.ramspeed.is_empty(),
    }
}

fn describe(text: &mut String, probe: &Probe) -> Result<()> {
    let width = output::look().width;
    writeln!(
        text,
        "{}  {} ({})",
        probe.id,
        probe.title,
        probe.unit.symbol()
    )?;
    let mut field = |name: &str, value: &str| -> Result<()> {
        if !value.is_empty() {
            text.push_str(&whyslow_report::paragraph(name, value, width));
        }
        Ok(())
    };
    field("what", probe.what)?;
    field("how", probe.how)?;
    for (name, meaning) in probe.params {
        field(name, meaning)?;
    }
    field("needs", &probe.needs.join("; "))?;
    field("lmbench", &probe.names.lmbench.join(", "))?;
    field("byte", &probe.names.byte.join(", "))?;
    field("ramspeed", &probe.names.ramspeed.join(", "))?;
    text.push('\n');
    Ok(())
}
