//! `whyslow list`: the registry in words.

use std::fmt::Write;

use anyhow::{Result, bail};
use whyslow_model::glob::Globs;
use whyslow_model::record::Estimator;
use whyslow_probes::{Intensity, Probe, registry};

use crate::args::{List, Origin};
use crate::globs;
use crate::output;

/// Prints the probes that match.
pub(crate) fn list(args: &List) -> Result<()> {
    let globs = globs::typed(args.glob.as_deref())?;
    if args.points {
        return points(&globs, args.suite.as_deref());
    }
    if let Some(glob) = globs
        .each()
        .iter()
        .find(|g| !registry().any(|p| g.may_select(p.id)))
    {
        let nothing = glob.selects_nothing(registry().map(|p| p.id));
        bail!("no probe matches: {nothing}; `whyslow list` names them all");
    }
    let mut text = String::new();
    for probe in registry().filter(|p| globs.may_select(p.id) && from(p, args.origin)) {
        describe(&mut text, probe)?;
    }
    if text.is_empty() {
        bail!("none of these probes has a name in that suite; `whyslow list` names them all");
    }
    output::print(&text)
}

/// Prints the points that a quick run would measure, one a line.
fn points(globs: &Globs, suite: Option<&str>) -> Result<()> {
    let outlook = whyslow_runner::outlook(Intensity::Quick, globs, suite)?;
    let mut text = String::new();
    for plan in &outlook.points {
        writeln!(text, "{}", plan.point)?;
    }
    for probe in &outlook.by_levels {
        writeln!(
            text,
            "{probe}{{...}}  (its sizes follow the levels that a run finds)"
        )?;
    }
    for skipped in &outlook.skipped {
        writeln!(text, "{}  (left out: {})", skipped.what, skipped.why)?;
    }
    if text.is_empty() {
        bail!("a run would measure nothing here; `whyslow list` names the probes");
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

/// What stands for a draw where it is not the median of its batches.
const LOW: &str = "10th percentile of the times of a draw's batches";

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
    let points = probe.complete_points(Intensity::Rigorous);
    let low = points
        .iter()
        .filter(|plan| plan.estimator == Estimator::Low);
    field(
        "estimator",
        &match (low.count(), points.len()) {
            (0, _) => String::new(),
            (low, all) if low == all => LOW.to_owned(),
            _ => format!("{LOW}, where the working set fits the private caches"),
        },
    )?;
    let between = points.iter().map(|plan| plan.between_runs);
    let between = between.fold(0.0_f64, f64::max);
    field(
        "between runs",
        &match between > 0.0 {
            true => format!(
                "a standard deviation of {} %, which comparisons add for every run",
                100.0 * between
            ),
            false => String::new(),
        },
    )?;
    field("needs", &probe.needs.join("; "))?;
    field("lmbench", &probe.names.lmbench.join(", "))?;
    field("byte", &probe.names.byte.join(", "))?;
    field("ramspeed", &probe.names.ramspeed.join(", "))?;
    text.push('\n');
    Ok(())
}
