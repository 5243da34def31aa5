//! What differs between two hosts before anything is measured.

use serde_json::Value;
use whyslow_model::Record;
use whyslow_model::comparison::{HostDifferences, HostFile};
use whyslow_model::state::{diff, diff_hosts};

/// Facts and state that differ between two hosts, or between two looks at one.
pub fn differences(a: &HostFile, b: &HostFile) -> HostDifferences {
    HostDifferences {
        facts: diff_hosts(&a.host, &b.host),
        state: diff(&a.state, &b.state),
        looked_at: leaves(&serde_json::to_value(a).unwrap_or(Value::Null)),
    }
}

/// The same of two records, as their runs began; nothing where a record has no host or state.
pub(crate) fn between(a: &Record, b: &Record) -> HostDifferences {
    let file = |record: &Record| {
        Some(HostFile {
            host: record.host.as_deref()?.clone(),
            state: record.states.first()?.state.clone(),
        })
    };
    match (file(a), file(b)) {
        (Some(a), Some(b)) => differences(&a, &b),
        _ => HostDifferences::default(),
    }
}

/// Facts in a document: everything that has no further names below it.
fn leaves(value: &Value) -> u32 {
    match value {
        Value::Object(fields) => fields.values().map(leaves).sum(),
        _ => 1,
    }
}
