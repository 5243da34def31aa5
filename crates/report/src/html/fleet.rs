//! The page of a fleet: the answer, the ranks, a map of nodes and families, the groups.

use maud::{Markup, PreEscaped, html};
use whyslow_model::comparison::FamilyVerdict;
use whyslow_model::fleet::{FleetNode, FleetReport, NodeFamily, NodeVerdict};

use super::words::{cell, text};
use super::{Section, whole};
use crate::fleet::words;

/// Nodes on the map: those that come first in the report.
const MOST_NODES: usize = 400;

/// Settings that differ in the answer.
const MOST_NAMED: usize = 50;

/// Nodes in the table.
const MOST_ROWS: usize = 2_000;

/// A deviation of so much has the full color.
const FULL: f64 = 0.2;

/// Width and height of a cell of the map, and the width of its names.
const CELL: (usize, usize) = (84, 15);
const NAMES: usize = 150;

/// The page.
pub(crate) fn page(report: &FleetReport, version: &str) -> String {
    let title = "Fleet: which nodes are slow, in what, and why";
    let header = html! {
        h1 { (title) }
        @if let Some(newest) = &report.newest { p.dim { "Newest record: " (text(newest)) } }
    };
    let mut sections = vec![
        Section {
            anchor: "answer",
            name: "Answer",
            content: answer(report),
        },
        Section {
            anchor: "map",
            name: "Map",
            content: map(report),
        },
        Section {
            anchor: "nodes",
            name: "Nodes",
            content: nodes(report),
        },
        Section {
            anchor: "groups",
            name: "Groups",
            content: groups(report),
        },
    ];
    if !report.unused.is_empty() {
        sections.push(Section {
            anchor: "unused",
            name: "Not used",
            content: html! { ul { @for line in &report.unused { li { (text(line)) } } } },
        });
    }
    whole(title, &header, &sections, version)
}

fn answer(report: &FleetReport) -> Markup {
    html! {
        p.answer { (text(&words::answer(report))) }
        @for node in words::slow(report) {
            div.cause {
                h3 { (text(&node.node)) span.tag { "slow" } }
                p { (text(&words::in_short(node))) }
                @if let Some(why) = &node.why {
                    p { "Why: " (text(&why.answer)) }
                    p.dim { "Beside " (text(&why.against)) ", an ordinary node of its group: "
                        code { (text(&words::explained_by(why))) } }
                }
            }
        }
        @let facts = words::odd(report);
        @if !facts.is_empty() {
            h3 { "Different" }
            p.dim { "Settings in which few nodes differ from their group, and what was beside them: suspects for a second look, no verdict." }
            ul { @for (nodes, fact) in facts.iter().take(MOST_NAMED) {
                li { strong { (text(&words::some(nodes))) } " " (text(&words::differs(fact)))
                    span.dim { (text(&words::may_be(fact))) } }
            } }
            @if facts.len() > MOST_NAMED { p.dim { (facts.len() - MOST_NAMED) " more are in the JSON." } }
        }
        @if let Some(again) = &report.again {
            h3 { "Measure again" }
            p { "Suspects: " code { (text(&again.suspects.join(","))) } }
            p { "References: " code { (text(&again.references.join(","))) } }
        }
    }
}

/// The families that some node was judged in, in the order of their first group.
fn families(report: &FleetReport) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for family in report.groups.iter().flat_map(|group| &group.families) {
        if !names.contains(&family.name.as_str()) {
            names.push(&family.name);
        }
    }
    names
}

/// Nodes by families; red is slower, green is faster, a frame is a verdict.
fn map(report: &FleetReport) -> Markup {
    let families = families(report);
    let judged = report.nodes.iter().filter(|node| !node.families.is_empty());
    let shown: Vec<&FleetNode> = judged.take(MOST_NODES).collect();
    let (wide, high) = (NAMES + CELL.0 * families.len(), 24 + CELL.1 * shown.len());
    if shown.is_empty() {
        return html! { p { "No node could be judged." } };
    }
    html! {
        p.dim { "Red is slower than the group and green is faster, full from " (format!("{:.0}", 100.0 * FULL))
            " % on; what is shown to be slow has a frame. "
            @if shown.len() == MOST_NODES { "The first " (MOST_NODES) " nodes." } }
        svg.chart viewBox=(format!("0 0 {wide} {high}")) role="img" aria-label="Deviation of nodes by family" {
            @for (column, name) in families.iter().enumerate() {
                text.s x=(NAMES + column * CELL.0) y="14" { (short(name)) }
            }
            @for (row, node) in shown.iter().enumerate() {
                @let y = 24 + row * CELL.1;
                text.s x="0" y=(y + 11) { (cell(&node.node)) }
                @for (column, name) in families.iter().enumerate() {
                    @if let Some(family) = node.families.iter().find(|f| f.family == **name) {
                        (square(family, &node.node, NAMES + column * CELL.0, y))
                    }
                }
            }
        }
    }
}

/// What of a family's name fits above its column.
fn short(name: &str) -> String {
    name.chars().take(13).collect()
}

fn square(family: &NodeFamily, node: &str, x: usize, y: usize) -> Markup {
    let log = family.times_longer.ln();
    let fill = if log > 0.0 {
        "var(--bad)"
    } else {
        "var(--good)"
    };
    let opacity = format!("{:.2}", (log.abs() / FULL.ln_1p()).min(1.0));
    let (longer, range) = words::longer(family);
    let frame = family.verdict == FamilyVerdict::Slower;
    html! {
        rect x=(x) y=(y) width=(CELL.0 - 2) height=(CELL.1 - 2) fill=(fill) fill-opacity=(opacity)
            stroke=(if frame { "var(--ink)" } else { "var(--grid)" }) stroke-width=(if frame { "2" } else { "1" }) {
            title { (cell(node)) ", " (cell(&family.family)) ": " (longer) " " (range) }
        }
    }
}

fn nodes(report: &FleetReport) -> Markup {
    let verdict = |node: &FleetNode| match node.verdict {
        NodeVerdict::Slow => "slow",
        NodeVerdict::Same => "same",
        NodeVerdict::NotKnown => "not known",
    };
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Rank" } th { "Node" } th { "Verdict" } th { "Slowest in" } th { "Takes" } th { "Remark" } th { "Group" } } }
            tbody { @for (rank, node) in report.nodes.iter().take(MOST_ROWS).enumerate() {
                tr {
                    td { (rank + 1) }
                    td { (cell(&node.node)) }
                    td { (verdict(node)) }
                    @if let Some(family) = node.families.first() {
                        @let (longer, range) = words::longer(family);
                        td { (cell(&family.family)) }
                        td { (longer) " " (PreEscaped("&nbsp;")) span.dim { (range) } }
                    } @else { td {} td {} }
                    td { (cell(node.reason.as_deref().unwrap_or_default())) }
                    td.mono { (cell(&node.group)) }
                }
            } }
        } }
        @if report.nodes.len() > MOST_ROWS {
            p.dim { (report.nodes.len() - MOST_ROWS) " more nodes are in the JSON." }
        }
    }
}

fn groups(report: &FleetReport) -> Markup {
    html! {
        @for group in &report.groups {
            div.cause {
                h3 { code { (cell(&group.id)) } " " (group.nodes) " nodes" }
                p { (text(&words::hardware(group))) }
                @if let Some(why) = &group.not_judged { p { "Not judged: " (text(why)) } }
                @if let Some(medoid) = &group.medoid { p.dim { "Most ordinary node: " (text(medoid)) } }
                @if !group.families.is_empty() {
                    table {
                        thead { tr { th { "Family" } th { "Points" } th { "Ordinary nodes differ by" } } }
                        tbody { @for family in &group.families {
                            tr { td { (cell(&family.name)) } td { (family.points) }
                                td { (format!("{:.1} %", 100.0 * family.scatter)) } }
                        } }
                    }
                }
            }
        }
    }
}
