//! What changed between two states.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::State;
use crate::host::Host;

/// One fact that differs between two states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Change {
    /// The fact, as the path of its fields, such as `memory.thp.enabled`.
    pub what: String,
    /// Its value before, as JSON, or `absent`.
    pub before: String,
    /// Its value after, as JSON, or `absent`.
    pub after: String,
}

/// The facts that differ, in the order of the record; empty if nothing changed.
///
/// Leaves out [`State::now`], which changes constantly. Works for two snapshots of one host as well
/// as for two hosts.
pub fn diff(before: &State, after: &State) -> Vec<Change> {
    let mut changes = vec![];
    // A state contains only strings, numbers and maps with string keys, which always become values;
    // `Null` for both would only show no change.
    let value = |state: &State| serde_json::to_value(state).unwrap_or(Value::Null);
    let (mut before, mut after) = (value(before), value(after));
    for state in [&mut before, &mut after] {
        if let Value::Object(fields) = state {
            fields.remove("now");
        }
    }
    keep_what_both_could_say(&mut before, &mut after);
    compare("", Some(&before), Some(&after), &mut changes);
    changes
}

/// Facts that records of before do not have at all, by the fields that they are in: no machine lacks them, so that they
/// are no change.
const LATER: [(&str, &str); 3] = [
    ("libc", "routines"),
    ("process", "huge_pages"),
    ("process", "open_file_slots"),
];

fn keep_what_both_could_say(before: &mut Value, after: &mut Value) {
    for (within, name) in LATER {
        let has = |state: &Value| state.get(within).is_some_and(|own| own.get(name).is_some());
        if has(before) == has(after) {
            continue;
        }
        for state in [&mut *before, &mut *after] {
            if let Some(Value::Object(own)) = state.get_mut(within) {
                own.remove(name);
            }
        }
    }
}

/// The facts that differ between two hosts, in the order of the record; empty if they are equal.
///
/// Leaves out identifiers: the id and the boot.
pub fn diff_hosts(before: &Host, after: &Host) -> Vec<Change> {
    let mut changes = vec![];
    // As in `diff`: facts always become values.
    let value = |host: &Host| serde_json::to_value(host).unwrap_or(Value::Null);
    let (mut before, mut after) = (value(before), value(after));
    for host in [&mut before, &mut after] {
        if let Value::Object(fields) = host {
            fields.remove("id");
            fields.remove("boot_id");
        }
    }
    compare("", Some(&before), Some(&after), &mut changes);
    changes
}

/// Descends while both sides are objects, and reports the first difference on each path.
fn compare(what: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    if before == after {
        return;
    }
    if let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) {
        let below = |key: &str| {
            if what.is_empty() {
                key.to_owned()
            } else {
                format!("{what}.{key}")
            }
        };
        for (key, value) in before {
            compare(&below(key), Some(value), after.get(key), changes);
        }
        for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
            compare(&below(key), None, Some(value), changes);
        }
        return;
    }
    let text = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
    changes.push(Change {
        what: what.to_owned(),
        before: text(before),
        after: text(after),
    });
}
