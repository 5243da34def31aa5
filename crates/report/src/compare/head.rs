//! What is known before any number: the sides, the scope, what stands against comparing, and how the
//! hosts differ.

use whyslow_compare::Counts;
use whyslow_model::comparison::{Comparison, HostDifferences, PointComparison, Side, Verdict};
use whyslow_model::state::Change;

use super::words;
use crate::numbers::counted;
use crate::page::Screen;
use crate::text::{Style, Text};

/// Records that are named before the rest is counted.
const NAMED: usize = 3;

/// Differences between hosts that are listed before the rest is counted.
const LISTED: usize = 24;

/// Columns that hold most names of facts.
const FACT_COLUMNS: usize = 28;

pub(crate) fn sides(comparison: &Comparison, page: &mut Screen) {
    for (name, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        page.field(
            0,
            1,
            name,
            Text::strong(system(side)).and(Style::Dim, records(side)),
        );
    }
    for claim in &comparison.scope.claims {
        page.flow(2, 2, Text::plain(claim));
    }
}

fn system(side: &Side) -> String {
    match side.systems.as_slice() {
        [] => side.records.first().cloned().unwrap_or_default(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

fn records(side: &Side) -> String {
    if side.systems.is_empty() && side.records.len() == 1 {
        return String::new();
    }
    let named = side.records.iter().take(NAMED).cloned();
    let mut text = named.collect::<Vec<_>>().join(", ");
    if side.records.len() > NAMED {
        text += &format!(", ... ({} records)", side.records.len());
    }
    format!("{}{text}", words::GAP)
}

pub(crate) fn objections(comparison: &Comparison, page: &mut Screen) {
    if comparison.objections.is_empty() {
        return;
    }
    page.heading("BEFORE COMPARING", "");
    for objection in &comparison.objections {
        let text = if objection.forbids {
            Text::strong("not comparable: ").and(Style::Plain, &objection.text)
        } else {
            Text::plain(&objection.text)
        };
        page.flow(2, 4, text);
    }
}

pub(crate) fn hosts(differences: &HostDifferences, page: &mut Screen) {
    if differences.looked_at == 0 {
        return;
    }
    let all = differences.state.len() + differences.facts.len();
    let remark = format!(
        "{all} of {} facts and settings differ",
        differences.looked_at
    );
    page.heading("HOSTS", &remark);
    list(&differences.state, page);
    list(&differences.facts, page);
}

fn list(changes: &[Change], page: &mut Screen) {
    for change in changes.iter().take(LISTED) {
        let text = Text::dim("A ")
            .and(Style::Plain, words::fact(&change.before))
            .and(Style::Dim, format!("{}B ", words::GAP))
            .and(Style::Plain, words::fact(&change.after));
        let columns = FACT_COLUMNS.max(change.what.chars().count());
        page.field(2, columns, &change.what, text);
    }
    if changes.len() > LISTED {
        let more = changes.len() - LISTED;
        page.flow(
            2,
            2,
            Text::dim(format!("and {more} more; --format json has them all")),
        );
    }
}

pub(crate) fn counts(comparison: &Comparison, page: &mut Screen) {
    let counts = Counts::of(comparison);
    let tested = comparison.rules.tested > 0;
    let mut parts = Vec::new();
    if tested && counts.real() == 0 {
        // Said, as it is what was asked.
        parts.push("no real difference".to_owned());
    }
    let differences = match counts.real() {
        1 => "real difference",
        _ => "real differences",
    };
    for (count, text) in [
        (counts.real(), differences),
        (counts.negligible, "real but negligible"),
        (counts.same, "the same"),
        (counts.undecided, "undecided"),
        (counts.in_modes, "in shared modes"),
        (counts.untested, "without a test"),
        (counts.not_comparable, "not comparable"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {text}"));
        }
    }
    let points = counted(comparison.points.len() as u64, "point", "points");
    page.heading(&format!("{points}: {}", parts.join(", ")), "");
    if tested {
        let rules = &comparison.rules;
        page.flow(
            2,
            2,
            Text::dim(format!(
                "tested together: on average at most {} of the differences called real are false; \
             differences below ±{} do not matter",
                words::share(rules.q),
                words::share(rules.margin)
            )),
        );
    }
    for said in words::conditions(comparison) {
        page.flow(2, 2, Text::dim(said));
    }
}

/// Does a point bear on what is shown as a real difference?
pub(crate) fn is_shown(point: &PointComparison) -> bool {
    matches!(
        point.verdict,
        Verdict::Slower { .. } | Verdict::Faster { .. } | Verdict::Differs { .. }
    )
}
