//! A fleet of records made from one: every node a copy, whose processes take longer or less by chance, as nodes, sessions
//! and processes do.
//!
//! `cargo run --release -p whyslow-fleet --example generate RECORD FOLDER NODES [SLOW] [PERCENT] [SEED]`: the first SLOW nodes
//! take PERCENT more in one family each.
#![allow(clippy::print_stdout, clippy::print_stderr)] // an example says what it did

#[path = "fleets/dice.rs"]
mod dice;

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use dice::Dice;
use whyslow_fleet::{FAMILIES, family_of};
use whyslow_model::host::Known;
use whyslow_model::record::{End, Line, Outcome};
use whyslow_model::store::{self, Journal};
use whyslow_model::{Point, Record};

/// Standard deviations between nodes, sessions and processes; half of the variance of the first two is common to a family.
const NODE: f64 = 0.01;
const SESSION: f64 = 0.01;
const PROCESS: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [template, folder, nodes, rest @ ..] = &args[..] else {
        eprintln!("generate RECORD FOLDER NODES [SLOW] [PERCENT] [SEED]");
        return Ok(());
    };
    let number = |at: usize, or: f64| rest.get(at).and_then(|n| n.parse().ok()).unwrap_or(or);
    let (nodes, slow, effect): (usize, usize, f64) =
        (nodes.parse()?, number(0, 0.0) as usize, number(1, 5.0));
    let template = store::read(Path::new(template))?;
    let dice = &mut Dice::new(number(2, 1.0) as u64);
    for node in 0..nodes {
        let name = format!("n{node:05}");
        let in_what = (node < slow).then(|| dice.below(FAMILIES.len()));
        let record = varied(&template, &name, in_what, effect / 100.0, dice);
        let place = PathBuf::from(folder).join(&name);
        std::fs::create_dir_all(&place)?;
        write(&record, &place.join("20260101T000000Z.whyslow"))?;
        if let Some(family) = in_what {
            println!("{name} takes {effect} % more in {}", FAMILIES[family].0);
        }
    }
    Ok(())
}

/// The template as another node would have measured it.
fn varied(
    template: &Record,
    name: &str,
    slow: Option<usize>,
    effect: f64,
    dice: &mut Dice,
) -> Record {
    let mut record = template.clone();
    if let Some(host) = &mut record.host {
        host.name = Known::Is(name.to_owned());
        host.id.id = format!("{:032x}", dice.below(usize::MAX));
    }
    let sd = (NODE * NODE + SESSION * SESSION).sqrt() * 0.5_f64.sqrt();
    let common: Vec<f64> = FAMILIES.iter().map(|_| sd * dice.normal()).collect();
    let planned = template.plan.points.iter();
    let families = planned.zip(whyslow_explain::roles(template));
    let by_point: HashMap<Point, f64> = families
        .map(|(planned, role)| {
            let own = sd * dice.normal();
            let shift = family_of(role).map_or(0.0, |family| {
                let more = if slow == Some(family) {
                    effect.ln_1p()
                } else {
                    0.0
                };
                common[family] + more
            });
            (planned.point.clone(), own + shift)
        })
        .collect();
    for process in &mut record.processes {
        let shift = by_point.get(&process.point).copied().unwrap_or(0.0);
        let times = (shift + PROCESS * dice.normal()).exp();
        if let Outcome::Draws(draws) = &mut process.outcome {
            let series = draws.iter_mut().flat_map(|draw| &mut draw.series);
            for ns in series.flat_map(|series| &mut series.ns) {
                *ns *= times;
            }
        }
    }
    record
}

fn write(record: &Record, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut journal = Journal::in_memory(path);
    journal.add(&Line::Header(record.header.clone()))?;
    let lines = record.host.iter().cloned().map(Line::Host);
    let lines = lines.chain(
        record
            .states
            .iter()
            .cloned()
            .map(|s| Line::State(Box::new(s))),
    );
    let lines = lines.chain(record.clock.map(Line::Clock));
    let lines = lines.chain([Line::Plan(record.plan.clone())]);
    let lines = lines.chain(record.calibrations.iter().cloned().map(Line::Calibration));
    let processes = record.processes.iter().cloned();
    for line in lines.chain(processes.map(|p| Line::Process(Box::new(p)))) {
        journal.add(&line)?;
    }
    journal.close(End::Complete, record.header.started.clone(), &[])?;
    Ok(())
}
