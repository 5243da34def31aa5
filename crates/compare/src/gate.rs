//! What stands against comparing: different builds, and factors that vary within a side.

use std::collections::BTreeMap;

use whyslow_model::comparison::Objection;
use whyslow_model::record::{End, Record};
use whyslow_model::state::diff;

use crate::Named;
use crate::side::Gathered;

/// Hidden factors that are named before the rest is counted.
const NAMED: usize = 6;

/// All objections, those that forbid verdicts first.
pub(crate) fn objections(a: &Gathered<'_>, b: &Gathered<'_>) -> Vec<Objection> {
    let mut found = builds(a.records, b.records);
    for (name, side) in [("A", a.records), ("B", b.records)] {
        found.extend(hidden(name, side));
        found.extend(side.iter().filter_map(unfinished).map(warning));
        found.extend(side.iter().filter_map(changed).map(warning));
        for note in side.iter().flat_map(|named| &named.record.notes) {
            let told = found.iter().any(|o| o.text == note.text);
            if SAID.contains(&note.about.as_str()) && !told {
                found.push(warning(note.text.clone()));
            }
        }
    }
    found.sort_by_key(|o| !o.forbids);
    found
}

/// What the notes of an imported record are about whose direction of good is assumed, whose columns no line names, whose
/// rows lack cells, or of whose source rows were refused.
const SAID: [&str; 4] = ["direction", "columns", "cells", "rows"];

pub(crate) fn warning(text: String) -> Objection {
    Objection {
        forbids: false,
        text,
    }
}

/// What is told of a build: a title, and how it is read from a record.
type Trait = (&'static str, fn(&Record) -> String, bool);

/// Differences between the sides, and whether they forbid.
const TRAITS: [Trait; 6] = [
    (
        "measured loops",
        |r| r.header.build.kernels.clone(),
        // Assembly and what the compiler makes of the same words are two things to measure.
        true,
    ),
    // Loops of a debug build wait for their own checks.
    ("builds", |r| r.header.build.profile.clone(), true),
    ("versions of whyslow", |r| r.header.version.clone(), false),
    ("record formats", |r| r.header.schema.to_string(), false),
    ("C libraries", |r| r.header.build.libc.clone(), false),
    ("instruction sets", |r| r.header.build.arch.clone(), false),
];

fn builds(a: &[Named<'_>], b: &[Named<'_>]) -> Vec<Objection> {
    let mut found = Vec::new();
    let published = |side: &[Named<'_>]| side.iter().filter(|n| n.record.origin.is_some()).count();
    let (one, two) = (published(a), published(b));
    if one + two > 0 {
        // An imported record names no build that measured.
        if one + two < a.len() + b.len() {
            found.push(warning(
                "some figures were measured by whyslow and others are published: \
                 what they measure may differ under the same name"
                    .into(),
            ));
        }
        let format = |n: &Named<'_>| n.record.origin.as_ref().map(|o| o.format.clone());
        let formats = distinct(a.iter().chain(b).filter_map(format));
        if formats.len() > 1 {
            found.push(warning(format!(
                "the figures come from different tools: {}",
                formats.join(", ")
            )));
        }
        return found;
    }
    for (what, of, forbids) in TRAITS {
        let of_side = |side: &[Named<'_>]| distinct(side.iter().map(|n| of(n.record)));
        let (one, two) = (of_side(a), of_side(b));
        if one != two {
            found.push(Objection {
                forbids,
                text: format!(
                    "different {what}: {} in A, {} in B",
                    one.join(" and "),
                    two.join(" and ")
                ),
            });
        } else if one.len() > 1 {
            found.push(Objection {
                forbids,
                text: format!("{what} vary within the sides: {}", one.join(" and ")),
            });
        } else if what == "builds" && one[0] == "debug" {
            found.push(warning(
                "both sides were measured by a debug build; measure with a release build".into(),
            ));
        }
    }
    found
}

/// State that varies among the records of one side.
fn hidden(name: &str, side: &[Named<'_>]) -> Option<Objection> {
    let state = |n: &Named<'_>| n.record.states.first().map(|at| at.state.clone());
    let first = state(side.first()?)?;
    let mut varies: BTreeMap<String, u32> = BTreeMap::new();
    for other in side.iter().skip(1).filter_map(state) {
        for change in diff(&first, &other) {
            *varies.entry(change.what).or_default() += 1;
        }
    }
    if varies.is_empty() {
        return None;
    }
    let named: Vec<&str> = varies.keys().take(NAMED).map(String::as_str).collect();
    let more = match varies.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(warning(format!(
        "hidden factors: the records of {name} differ in {}{more}",
        named.join(", ")
    )))
}

fn unfinished(named: &Named<'_>) -> Option<String> {
    match named.record.footer.as_ref().map(|f| f.end) {
        Some(End::Complete | End::Budget) => None,
        _ if named.record.origin.is_some() => None,
        _ => Some(format!(
            "{} is unfinished: later rounds are missing",
            named.name
        )),
    }
}

/// State that changed while a record was made.
fn changed(named: &Named<'_>) -> Option<String> {
    let states = &named.record.states;
    let (first, last) = states.first().zip(states.last())?;
    let changes: Vec<String> = diff(&first.state, &last.state)
        .into_iter()
        .map(|c| c.what)
        .collect();
    (!changes.is_empty()).then(|| {
        format!(
            "state changed while {} was measured: {}",
            named.name,
            changes.join(", ")
        )
    })
}

fn distinct(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = items.collect();
    all.sort();
    all.dedup();
    all
}
