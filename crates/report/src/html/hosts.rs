//! Facts and state of the hosts side by side, with what differs marked.

use maud::{Markup, html};
use serde_json::Value;

use super::words::{cell, text};
use crate::charts::Side;
use crate::compare::words::plain;
use crate::numbers;

/// Rows; a host of a thousand CPUs says no more than this.
const MOST: usize = 700;

/// Entries of a list that get rows of their own.
const ENTRIES: usize = 12;

/// The table of all facts.
pub(super) fn section(sides: &[Side<'_>]) -> Option<Markup> {
    let columns: Vec<Vec<(String, String)>> = sides.iter().map(facts).collect();
    if columns.iter().all(Vec::is_empty) {
        return None;
    }
    // In the order in which they are first met.
    let mut names: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (name, _) in columns.iter().flatten() {
        if seen.insert(name.as_str()) {
            names.push(name);
        }
    }
    let maps: Vec<std::collections::HashMap<&str, &str>> = columns
        .iter()
        .map(|c| c.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect())
        .collect();
    let of = |name: &str| -> Vec<&str> {
        maps.iter()
            .map(|m| m.get(name).copied().unwrap_or(""))
            .collect()
    };
    let differs = |name: &str| {
        let values = of(name);
        // What is only a name, or measured anew at every look, is no difference.
        let bears = [
            "host.",
            "state.",
            "run.version",
            "run.build.",
            "run.intensity",
            "run.rounds",
        ];
        let is_a_name = ["host.id", "host.boot_id", "state.now"];
        bears.iter().any(|n| name.starts_with(n))
            && !is_a_name.iter().any(|n| name.starts_with(n))
            && values.windows(2).any(|w| w[0] != w[1])
    };
    let different = names.iter().filter(|n| differs(n)).count();
    let several = sides.len() > 1;
    Some(html! {
        p {
            "Facts are what only buying, flashing or rebooting changes; state is what can be changed on a \
             running host, as it was at the start of the run."
            @if several { " " strong { (different) " of " (names.len()) " differ" } ", marked with ≠." }
        }
        div.tools data-for="facts" hidden {
            label { "Filter " input type="search" placeholder="words, such as thp or cache"; }
            @if several && different > 0 {
                label { input type="checkbox" checked; " only what differs" }
            }
            output {}
        }
        div.scroll tabindex="0" role="group" aria-label="Facts and state of the hosts" {
            table.sort #facts {
                thead { tr {
                    th scope="col" { "fact" }
                    @for side in sides {
                        th scope="col" { @if several { (side.letter) } @else { "value" } }
                    }
                } }
                tbody { @for name in names.iter().take(MOST) {
                    tr class=[differs(name).then_some("differs")] {
                        th scope="row" { (cell(name)) }
                        @for value in of(name) { td { (text(value)) } }
                    }
                } }
            }
        }
        @if names.len() > MOST { p.dim { (names.len() - MOST) " more are in the record." } }
    })
}

/// Everything that a record says of its host, by the path of its fields, in words.
fn facts(side: &Side<'_>) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let record = side.record;
    if let Some(host) = &record.host {
        let value = serde_json::to_value(host).unwrap_or(Value::Null);
        flatten("host", &value, &mut rows);
    }
    if let Some(state) = record.states.first() {
        let value = serde_json::to_value(&state.state).unwrap_or(Value::Null);
        flatten("state", &value, &mut rows);
    }
    if rows.is_empty() {
        return rows;
    }
    let header = serde_json::to_value(&record.header).unwrap_or(Value::Null);
    flatten("run", &header, &mut rows);
    if let Some(clock) = &record.clock {
        flatten(
            "clock",
            &serde_json::to_value(clock).unwrap_or(Value::Null),
            &mut rows,
        );
    }
    if let Some(neighbours) = &record.neighbours {
        let value = serde_json::to_value(neighbours).unwrap_or(Value::Null);
        flatten("neighbors", &value, &mut rows);
    }
    rows
}

fn flatten(path: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    if rows.len() > MOST * 2 {
        return;
    }
    match value {
        Value::Object(fields) => match fields.get("unknown") {
            Some(Value::String(why)) if fields.len() == 1 => {
                rows.push((path.to_owned(), format!("unknown: {why}")));
            }
            _ => {
                for (name, value) in fields {
                    flatten(&format!("{path}.{name}"), value, rows);
                }
            }
        },
        Value::Array(items) if items.iter().any(Value::is_object) && items.len() <= ENTRIES => {
            for (i, item) in items.iter().enumerate() {
                rows.push((format!("{path}[{i}]"), plain(item)));
            }
        }
        Value::Number(number) if path.ends_with("_bytes") => {
            let said = number.as_u64().map_or(number.to_string(), |bytes| {
                format!("{} ({bytes})", numbers::size(bytes))
            });
            rows.push((path.to_owned(), said));
        }
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|v| format!("{v:.4e}"));
            let rounded = rounded.and_then(|text| text.parse::<f64>().ok());
            rows.push((
                path.to_owned(),
                rounded.map_or(String::new(), |v| v.to_string()),
            ));
        }
        other => rows.push((path.to_owned(), plain(other))),
    }
}
