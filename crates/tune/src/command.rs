//! What settings did to the user's own command, from runs that took turns.

use std::collections::BTreeMap;

use whyslow_model::tune::CommandGain;
use whyslow_model::{Record, id};

use crate::trial::{ratio, time};

/// What points call the command as it is, and with the settings.
pub const NAMES: [&str; 2] = ["default", "tuned"];

/// The ratio of both, by rounds that have both; nothing with fewer than three.
pub fn gain(record: &Record, command: &str) -> Option<CommandGain> {
    let mut rounds: BTreeMap<u32, [Vec<f64>; 2]> = BTreeMap::new();
    let real = record.processes.iter();
    // Round 0 warms up.
    for process in real.filter(|p| p.point.probe == id::LOAD_REAL && p.round > 0) {
        let name = process.point.get("cmd").unwrap_or_default();
        let side = NAMES.iter().position(|known| *known == name);
        if let (Some(side), Some(ns)) = (side, time(process)) {
            rounds.entry(process.round).or_default()[side].push(ns.ln());
        }
    }
    let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len() as f64;
    let whole = rounds
        .values()
        .filter(|both| both.iter().all(|b| !b.is_empty()));
    let pairs: Vec<[f64; 2]> = whole.map(|[a, b]| [mean(a), mean(b)]).collect();
    let logs: Vec<f64> = pairs.iter().map(|[a, b]| b - a).collect();
    let of = |side: usize| {
        let logs: Vec<f64> = pairs.iter().map(|pair| pair[side]).collect();
        mean(&logs).exp() / 1e9
    };
    Some(CommandGain {
        command: command.to_owned(),
        runs: logs.len() as u32,
        before_s: of(0),
        after_s: of(1),
        ratio: ratio(&logs, 0.95)?,
    })
}
