//! What was noted, and how each row is measured.

use std::collections::BTreeSet;

use maud::{Markup, html};
use whyslow_model::record::Outcome;

use super::words::text;
use crate::Report;
use crate::charts::Side;

/// Notes of a side.
const MOST: usize = 80;

/// Notes, failures and what was not measured, with the reasons.
pub(super) fn notes(sides: &[Side<'_>]) -> Option<Markup> {
    let all: Vec<(&Side<'_>, Vec<(String, String)>)> =
        sides.iter().map(|side| (side, of_side(side))).collect();
    if all.iter().all(|(_, notes)| notes.is_empty()) {
        return None;
    }
    Some(html! {
        @for (side, notes) in all.iter().filter(|(_, notes)| !notes.is_empty()) {
            @if sides.len() > 1 { h3 { (side.letter) } }
            ul { @for (about, note) in notes.iter().take(MOST) {
                li { strong { (text(about)) } ": " (text(note)) }
            } }
            @if notes.len() > MOST { p.dim { (notes.len() - MOST) " more are in the record." } }
        }
    })
}

fn of_side(side: &Side<'_>) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let mut notes = Vec::new();
    let mut add = |about: &str, text: &str| {
        if seen.insert((about.to_owned(), text.to_owned())) {
            notes.push((about.to_owned(), text.to_owned()));
        }
    };
    for note in &side.record.notes {
        add(&note.about, &note.text);
    }
    for note in &side.summary.notes {
        add("summary", note);
    }
    for skipped in &side.record.plan.skipped {
        add(&skipped.what, &format!("not measured: {}", skipped.why));
    }
    for process in &side.record.processes {
        if let Outcome::Failed(failure) = &process.outcome {
            add(&process.point.to_string(), &failure.why);
        }
    }
    notes
}

/// The registry's texts on every probe that the records have.
pub(super) fn section(report: &Report<'_>, sides: &[Side<'_>]) -> Option<Markup> {
    let points = sides.iter().flat_map(|s| &s.summary.points);
    let used: BTreeSet<&str> = points.map(|p| p.point.probe.as_str()).collect();
    let probes: Vec<_> = report
        .probes
        .iter()
        .filter(|p| used.contains(p.id))
        .collect();
    let measured = sides.iter().any(|s| s.record.origin.is_none());
    if probes.is_empty() && !measured {
        return None;
    }
    let over = sides.iter().map(|s| s.summary.moderated_over);
    let over = over.max().unwrap_or_default();
    Some(html! {
        @if measured {
            p { "Every point is measured in fresh processes, once a round, in random order; a value is the \
                 geometric mean over processes of what its draws and samples give, with its 95 % interval over \
                 processes" @if over > 0 { ", variances moderated over " (over) " points (empirical Bayes)" } ". \
                 Samples that the kernel's counters mark (switched out, moved, faults, waiting, \
                 steal, stolen) are left out by these marks alone. Nothing is dropped silently." }
        }
        dl.method { @for probe in probes {
            dt id={ "probe-" (probe.id) } { (text(probe.title)) " " span.mono.name { (probe.id) } }
            dd { (text(probe.what)) }
            dd { (text(probe.how)) }
            @for (name, meaning) in &probe.params { dd.dim { code { (text(name)) } ": " (text(meaning)) } }
            @for (name, rows) in &probe.names { dd.dim { (text(name)) " calls it " (text(rows)) } }
        } }
    })
}
