//! What one crate says of another by name is there: ids of probes, points and patterns.

use whyslow_model::id;
use whyslow_probes::registry;

use crate::sources::{Source, none, rust};

/// Families of probes: text that begins with one and a dot may be an id.
fn families() -> Vec<&'static str> {
    let mut families: Vec<_> = registry().map(|probe| probe.family()).collect();
    families.push("load");
    families.sort_unstable();
    families.dedup();
    families
}

fn is_probe(name: &str) -> bool {
    whyslow_probes::probe(name).is_some() || whyslow_runner::load::roles(name).is_some()
}

#[test]
fn every_id_is_declared() {
    let gone = id::ALL.iter().filter(|id| !is_probe(id));
    none(
        "crates/model/src/id.rs names a probe that no family declares; correct it there",
        gone.map(|id| (*id).to_owned()).collect(),
    );
}

/// Text literals of the product code of a source, with their lines.
fn literals(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in source.code() {
        let mut parts = line.split('"');
        parts.next();
        while let Some(text) = parts.next() {
            found.push((at, text.to_owned()));
            parts.next();
        }
    }
    found
}

/// Product code that speaks of probes that others declare.
fn speakers() -> Vec<Source> {
    const SPEAK: [&str; 8] = [
        "stats",
        "compare",
        "explain",
        "report",
        "runner",
        "cli",
        "host",
        "conditions",
    ];
    let sources = rust().into_iter();
    sources
        .filter(|s| s.is_product() && SPEAK.contains(&s.room()))
        .collect()
}

#[test]
fn probes_are_named_by_constants() {
    let mut offences = Vec::new();
    for source in speakers() {
        // Points of switches are texts; `explain` holds each against the registry.
        if source.path.contains("/causes/") {
            continue;
        }
        for (at, text) in literals(&source) {
            if is_probe(&text) {
                offences.push(format!("{}:{at}: \"{text}\"", source.path));
            }
        }
    }
    none(
        "a probe of another crate is named by its constant in whyslow_model::id",
        offences,
    );
}

#[test]
fn points_and_patterns_name_probes_that_are_there() {
    let families = families();
    let mut offences = Vec::new();
    for source in speakers() {
        for (at, text) in literals(&source) {
            let Some((family, rest)) = text.split_once('.') else {
                continue;
            };
            let Some((name, _)) = rest.split_once('{') else {
                continue;
            };
            let is_id = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if families.contains(&family) && is_id && !is_probe(&format!("{family}.{name}")) {
                offences.push(format!("{}:{at}: {family}.{name}", source.path));
            }
        }
    }
    none(
        "no probe of this name is declared; see `whyslow list`",
        offences,
    );
}
