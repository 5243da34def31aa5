//! Where what was measured lies among placements.

use anyhow::{Context, Result, bail};
use whyslow_model::simulation::TraceSimulation;
use whyslow_sim::{MachineSpec, Outcome};

use crate::args::Sim;

/// What was measured.
pub(super) struct Measured {
    /// ns an access.
    pub(super) ns: Option<f64>,
    /// Misses by the level's place.
    misses: Vec<(usize, f64)>,
}

/// Reads `--measured`.
pub(super) fn parse(args: &Sim, spec: &MachineSpec) -> Result<Measured> {
    let mut found = Measured {
        ns: None,
        misses: Vec::new(),
    };
    for text in &args.measured {
        let (level, value) = text.split_once('=').unwrap_or(("", text));
        let number: f64 = value
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
            .with_context(|| format!("--measured {text}: {value} is no number"))?;
        if level.is_empty() {
            if args.latency.is_empty() {
                bail!("--measured {text}: times need --latency; misses are given as LEVEL=MISSES");
            }
            found.ns = Some(number);
            continue;
        }
        let at = spec.caches.iter().position(|own| own.name == level);
        let at = at.with_context(|| format!("--measured {text}: there is no level {level}"))?;
        found.misses.push((at, number));
    }
    Ok(found)
}

/// A value, and the share of placements that are below it.
pub(super) fn among(value: f64, all: &[f64]) -> [f64; 2] {
    let below = all.iter().filter(|own| **own < value).count();
    [value, below as f64 / all.len().max(1) as f64]
}

/// Puts measured misses among those of the placements.
pub(super) fn place(measured: &Measured, outcomes: &[Outcome], found: &mut TraceSimulation) {
    for (at, misses) in &measured.misses {
        let all: Vec<f64> = outcomes
            .iter()
            .map(|outcome| outcome.caches[*at].misses() as f64)
            .collect();
        found.levels[*at].measured = Some(among(*misses, &all));
    }
}
