//! Nodes of a fleet: on the terminal, and as texts for other programs.

mod drain;
mod health;
mod metrics;
pub(crate) mod words;

use whyslow_model::comparison::FamilyVerdict;
use whyslow_model::fleet::{FleetGroup, FleetNode, FleetReport, NodeVerdict};

use crate::Look;
use crate::grid::Grid;
use crate::numbers::counted;
use crate::page::Screen;
use crate::text::{Style, Text};

pub(crate) use drain::{drain, lines as drain_lines};
pub(crate) use health::health;
pub(crate) use metrics::metrics;

/// Nodes that are not slow and listed: more are counted, and are in the JSON.
const MOST_OTHERS: usize = 12;

/// The report as a page of the terminal.
pub(crate) fn page(report: &FleetReport, look: Look) -> String {
    let mut page = Screen::new(look);
    page.flow(0, 0, Text::strong(words::answer(report)));
    slow(report, &mut page);
    odd(report, &mut page);
    others(report, &mut page);
    groups(report, &mut page);
    again(report, &mut page);
    if !report.unused.is_empty() {
        page.heading("NOT USED", "files that are no whole records");
        for line in report.unused.iter().take(MOST_OTHERS) {
            page.flow(2, 4, Text::plain(line));
        }
        more(report.unused.len(), &mut page);
    }
    page.finish()
}

fn more(all: usize, page: &mut Screen) {
    if all > MOST_OTHERS {
        page.line(Text::dim(format!("  and {} more", all - MOST_OTHERS)));
    }
}

/// A line for each slow node and family, and why.
fn slow(report: &FleetReport, page: &mut Screen) {
    let slow: Vec<&FleetNode> = words::slow(report).collect();
    if slow.is_empty() {
        return;
    }
    page.heading("SLOW", "beside nodes of the same hardware");
    let mut grid = Grid::new(["node", "in", "takes", "", "sessions"].map(str::to_owned));
    for (rank, node) in slow.iter().enumerate() {
        let families = node.families.iter();
        let families = families.filter(|f| f.verdict == FamilyVerdict::Slower);
        for (at, family) in families.enumerate() {
            let (rank, name) = match at {
                0 => (format!("{:>3}", rank + 1), node.node.as_str()),
                _ => (String::new(), ""),
            };
            let (longer, range) = words::longer(family);
            grid.row(
                rank,
                vec![
                    vec![Text::strong(name)],
                    vec![Text::plain(&family.family)],
                    vec![Text::strong(longer)],
                    vec![Text::dim(range)],
                    vec![Text::dim(family.sessions.to_string())],
                ],
            );
        }
    }
    page.grid(&grid);
    for node in slow {
        let named = node.points.iter().map(|point| {
            let longer = 100.0 * (point.times_longer - 1.0);
            format!("{} {longer:+.0} %", point.point)
        });
        let named: Vec<String> = named.collect();
        if named.is_empty() && node.why.is_none() {
            continue;
        }
        page.heading(&node.node, "");
        if !named.is_empty() {
            page.flow(2, 4, Text::plain(format!("Most: {}.", named.join("; "))));
        }
        if let Some(why) = &node.why {
            page.flow(2, 4, Text::plain(format!("Why: {}", why.answer)));
            page.whole(Text::dim(format!("  {}", words::explained_by(why))));
        }
    }
}

/// In what few nodes differ from their group, the same of several nodes together.
fn odd(report: &FleetReport, page: &mut Screen) {
    let facts = words::odd(report);
    if facts.is_empty() {
        return;
    }
    page.heading(
        "DIFFERENT",
        "settings, and what was beside: suspects for a second look, no verdict",
    );
    for (nodes, fact) in facts.iter().take(MOST_OTHERS) {
        let text = Text::strong(words::some(nodes))
            .and(Style::Plain, format!("  {}", words::differs(fact)))
            .and(Style::Dim, words::may_be(fact));
        page.flow(2, 4, text);
    }
    more(facts.len(), page);
}

fn others(report: &FleetReport, page: &mut Screen) {
    let unknown: Vec<&FleetNode> = report
        .nodes
        .iter()
        .filter(|node| node.verdict == NodeVerdict::NotKnown)
        .collect();
    if unknown.is_empty() {
        return;
    }
    page.heading("NOT KNOWN", "neither shown to be slow nor to be the same");
    for node in unknown.iter().take(MOST_OTHERS) {
        let reason = node.reason.as_deref().unwrap_or_default();
        let text = Text::plain(&node.node).and(Style::Dim, format!("  {reason}"));
        page.flow(2, 4, text);
    }
    more(unknown.len(), page);
}

fn groups(report: &FleetReport, page: &mut Screen) {
    page.heading("GROUPS", "nodes of the same hardware");
    for group in report.groups.iter().take(MOST_OTHERS) {
        let nodes = counted(u64::from(group.nodes), "node", "nodes");
        let text = Text::strong(&group.id).and(
            Style::Plain,
            format!("  {nodes}: {}", words::hardware(group)),
        );
        page.flow(2, 4, text);
        page.flow(4, 4, Text::dim(scatter(group)));
    }
    more(report.groups.len(), page);
}

/// How much ordinary nodes differ, or why that is not known.
fn scatter(group: &FleetGroup) -> String {
    if let Some(why) = &group.not_judged {
        return format!("not judged: {why}");
    }
    let families = group.families.iter();
    let families: Vec<String> = families
        .map(|family| format!("{} {:.1} %", family.name, 100.0 * family.scatter))
        .collect();
    format!(
        "ordinary nodes differ by (standard deviation): {}",
        families.join(", ")
    )
}

fn again(report: &FleetReport, page: &mut Screen) {
    let Some(again) = &report.again else { return };
    page.heading(
        "MEASURE AGAIN",
        "suspects beside references settle what one session leaves open",
    );
    page.flow(
        2,
        4,
        Text::plain(format!("suspects: {}", again.suspects.join(","))),
    );
    page.flow(
        2,
        4,
        Text::plain(format!("references: {}", again.references.join(","))),
    );
    let times = counted(u64::from(again.sessions), "more session", "more sessions");
    page.flow(
        2,
        4,
        Text::dim(format!(
            "{times} of each: the launch with --confirm takes them"
        )),
    );
}
