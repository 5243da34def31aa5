//! What differs between two hosts before anything is measured.

use serde_json::Value;
use whyslow_model::Record;
use whyslow_model::comparison::{HostDifferences, HostFile};
use whyslow_model::record::Origin;
use whyslow_model::state::{Change, diff, diff_hosts};

/// Facts and state that differ between two hosts, or between two looks at one.
pub fn differences(a: &HostFile, b: &HostFile) -> HostDifferences {
    HostDifferences {
        facts: diff_hosts(&a.host, &b.host),
        state: diff(&a.state, &b.state),
        looked_at: leaves(&serde_json::to_value(a).unwrap_or(Value::Null)),
    }
}

/// What may be stated of a machine that another tool measured: the name, and the path that the same fact has among
/// those of a record of ours.
pub const STATED: [(&str, &str); 19] = [
    ("kernel", "kernel.release"),
    ("cpu", "cpu.model"),
    ("cores", "cpus.online"),
    ("memory", "memory.total_bytes"),
    ("memory_kind", "memory.kind"),
    ("compiler", "compiler"),
    ("flags", "compiler.flags"),
    ("libc", "libc.version"),
    ("system", "system"),
    ("hypervisor", "machine.hypervisor"),
    ("mitigations", "mitigations"),
    ("pages", "memory.thp"),
    ("numa", "topology.nodes"),
    ("scheduler", "scheduler"),
    ("governor", "frequency.governor"),
    ("clock_ghz", "frequency.clock"),
    ("copies", "load.copies"),
    ("file_system", "mounts"),
    ("patch", "patch"),
];

/// The path of a stated fact; any other name is its own.
fn path(name: &str) -> &str {
    let known = STATED.iter().find(|(known, _)| *known == name);
    known.map_or(name, |(_, path)| *path)
}

/// What every machine has, so that a source that is silent about it states no other one.
const OF_EVERY_MACHINE: [&str; 8] = [
    "kernel",
    "cpu",
    "cores",
    "memory",
    "compiler",
    "libc",
    "system",
    "clock_ghz",
];

/// What a library or a compiler is said to be that no machine comes with: then it is what was done there.
const NOT_USUAL: [&str; 4] = ["malloc", "preload", "musl", "tunable"];

/// What is stated of both machines and differs, or of one alone.
fn stated(a: &Record, b: &Record) -> Vec<Change> {
    let (Some(a), Some(b)) = (&a.origin, &b.origin) else {
        return Vec::new();
    };
    let mut names: Vec<&String> = a.stated.keys().chain(b.stated.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let said = |origin: &Origin, name: &String| match origin.stated.get(name) {
        Some(value) => Value::from(value.as_str()).to_string(),
        None => "not stated".to_owned(),
    };
    names
        .into_iter()
        .filter(|name| a.stated.get(*name) != b.stated.get(*name))
        .filter(|name| {
            let of_both = a.stated.contains_key(*name) && b.stated.contains_key(*name);
            let text = said(a, name) + &said(b, name);
            let done = NOT_USUAL.iter().any(|word| text.contains(word));
            of_both || done || !OF_EVERY_MACHINE.contains(&name.as_str())
        })
        .map(|name| Change {
            what: path(name).to_owned(),
            before: said(a, name),
            after: said(b, name),
        })
        .collect()
}

/// The same of two records, as their runs began; of imported ones what is stated.
pub(crate) fn between(a: &Record, b: &Record) -> HostDifferences {
    let file = |record: &Record| {
        Some(HostFile {
            host: record.host.as_deref()?.clone(),
            state: record.states.first()?.state.clone(),
        })
    };
    match (file(a), file(b)) {
        (Some(a), Some(b)) => differences(&a, &b),
        _ => HostDifferences {
            facts: stated(a, b),
            ..HostDifferences::default()
        },
    }
}

/// Facts in a document: everything that has no further names below it.
fn leaves(value: &Value) -> u32 {
    match value {
        Value::Object(fields) => fields.values().map(leaves).sum(),
        _ => 1,
    }
}
