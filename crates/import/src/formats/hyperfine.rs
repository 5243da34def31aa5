//! hyperfine's `--export-json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use whyslow_model::Better::Lower;

use crate::pattern::holds;
use crate::reader::marks;
use crate::sheet::unusable;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "hyperfine",
    what: "JSON that hyperfine exports",
    repeats: "runs of the command",
    silent: "machine, shell, or what the commands are",
    roles: &[],
    looks,
    part: None,
    known: &[],
    read,
};

fn looks(text: &Text) -> usize {
    let begins = text.whole().trim_start().starts_with(['{', '[']);
    let keys = ["\"results\"", "\"command\"", "\"mean\"", "\"times\""];
    let named = |line: &str| keys.iter().any(|key| holds(line, key));
    // Results of other programs have no commands with their times.
    let has = |key: &str| text.lines().any(|(_, line)| holds(line, key));
    let begins = begins && (has(keys[1]) || has(keys[2]) || has(keys[3]));
    if begins { marks(text, named) * 2 } else { 0 }
}

#[derive(Deserialize)]
struct Export {
    results: Vec<Timing>,
}

#[derive(Deserialize)]
struct Timing {
    command: String,
    mean: Option<f64>,
    #[serde(default)]
    times: Option<Vec<f64>>,
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Parameter {
    Text(String),
    Number(serde_json::Number),
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let export: Export = serde_json::from_str(text.whole())
        .map_err(|why| Fault::of_json(&why, "JSON as hyperfine exports it"))?;
    // Where each result begins; JSON on one line has them all there.
    let mut begins = text
        .lines()
        .filter(|(_, line)| line.contains("\"command\""))
        .map(|(number, _)| number);
    for timing in &export.results {
        // JSON that can be read is whole, whatever its last line looks like.
        let line = 0;
        let begins = begins.next().unwrap_or(text.count());
        let figures = timing.times.iter().flatten().chain(&timing.mean);
        if let Some(why) = figures.copied().find_map(unusable) {
            sheet.refuse(begins, why);
            continue;
        }
        let row = || {
            let row = Row::new("hyperfine", &timing.command, "s", Lower);
            timing.parameters.iter().fold(row, |row, (name, value)| {
                let value = match value {
                    Parameter::Text(text) => text.clone(),
                    Parameter::Number(number) => number.to_string(),
                };
                row.with(&crate::slug::slug(name), &value)
            })
        };
        match (&timing.times, timing.mean) {
            (Some(times), _) if !times.is_empty() => {
                sheet.entry();
                for &time in times {
                    sheet.add("", row(), time, line)?;
                }
            }
            (_, Some(mean)) => {
                sheet.entry();
                let note = "only the mean of the runs is there, not the runs";
                sheet.note(
                    "hyperfine",
                    format!("{}: {note}", crate::error::quote(&timing.command)),
                );
                sheet.add("", row(), mean, line)?;
            }
            _ => {
                let command = crate::error::quote(&timing.command);
                sheet.refuse(begins, format!("'{command}' has neither times nor a mean"));
            }
        }
    }
    Ok(())
}
