//! From the third record on: their order, and a small chart of each.

use maud::{Markup, PreEscaped, html};

use super::words::{cell, cut, text};
use crate::charts::{Figure, Rank, Ranking, Table, curve};
use crate::compare::words::{BETTER, WORSE};
use crate::drawing::{ChartRow, Curve, Drawing, Mark, Minis, RowScale, Rows};
use crate::numbers::counted;
use crate::{Report, Shown};

/// Longest name of a record in the answer.
const NAME: usize = 80;

/// Longest reason in the table; the record's own page has all of it.
const REASON: usize = 220;

/// Sizes of a curve that is worth a chart.
const FEWEST: usize = 3;

/// What the records come to, in a sentence.
pub(super) fn answer(ranking: &Ranking, report: &Report<'_>) -> Option<Markup> {
    let (best, last) = (ranking.ranks.first()?, ranking.ranks.last()?);
    let names = names(report.records);
    let said = |rank: &Rank| match rank.record {
        0 => "which all are compared with".to_owned(),
        _ => {
            let said = format!("{} than A", ranking.said(rank));
            let said = said.replace("the same than", "the same as");
            match shown(rank) {
                true => said,
                false => format!("{said} (no point of it is shown to differ)"),
            }
        }
    };
    let name = |rank: &Rank| names.get(rank.record).cloned().unwrap_or_default();
    Some(html! {
        p.answer {
            "Best of " (ranking.ranks.len()) ": " strong { (cut(&name(best), NAME)) } ", " (said(best)) "; last: "
            strong { (cut(&name(last), NAME)) } ", " (said(last)) ". By the geometric mean over "
            (counted(ranking.points as u64, "point", "points")) " that all have, each probe counting once."
        }
    })
}

/// Is a difference from the first record shown?
fn shown(rank: &Rank) -> bool {
    let counts = rank.counts.as_ref();
    counts.is_some_and(|counts| counts.worse + counts.better > 0)
}

/// Records that a chart takes in at one look.
const CHARTED: usize = 16;

/// Each record beside the first, in their order; none of more than are read at one look.
pub(super) fn chart(ranking: &Ranking, report: &Report<'_>) -> Option<Figure> {
    if ranking.ranks.len() > CHARTED {
        return None;
    }
    let names = names(report.records);
    let row = |rank: &Rank| {
        let name = names.get(rank.record).map_or("", String::as_str);
        let name = format!("{} {name}", letter(rank.record));
        let said = match rank.record {
            0 => "A".to_owned(),
            _ => ranking.said(rank),
        };
        let color = match (shown(rank), rank.worse > 0.0) {
            (false, _) => "open",
            (true, true) => "bad",
            (true, false) => "good",
        };
        ChartRow {
            marks: vec![Mark {
                color: color.to_owned(),
                value: (-rank.worse).exp(),
                range: None,
                open: !shown(rank),
                others: Vec::new(),
                tip: format!("{name}\n{said}").into(),
            }],
            text: said,
            name,
        }
    };
    Some(Figure {
        title: "Each record beside A".into(),
        reading: "The geometric mean over all points (right: better). Filled marks: points are shown to differ; open marks: \
                  none is."
            .into(),
        // The ranking below has the numbers.
        table: Table::default(),
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Ratio,
            axis: "beside A, logarithmic:  ← worse · better →".into(),
            band: None,
            rows: ranking.ranks.iter().map(row).collect(),
            whole: true,
            legend: Vec::new(),
        }),
    })
}

/// All records in their order.
pub(super) fn table(ranking: &Ranking, report: &Report<'_>) -> Markup {
    let names = names(report.records);
    html! {
        div.scroll tabindex="0" role="group" aria-label="Ranking" {
            table.sort.ranking {
                thead { tr {
                    th.n scope="col" { "rank" }
                    th scope="col" { "record" }
                    th.n scope="col" { "beside A" }
                    th.n scope="col" { (WORSE) " worse" }
                    th.n scope="col" { (BETTER) " better" }
                    th.n scope="col" { "undecided" }
                    th scope="col" { "why" }
                } }
                tbody { @for (at, rank) in ranking.ranks.iter().enumerate() {
                    @let class = match shown(rank) {
                        false => "n",
                        true if rank.worse > 0.0 => "n bad",
                        true => "n good",
                    };
                    tr {
                        td.n data-v=(at + 1) { (at + 1) }
                        td.p { (letter(rank.record)) " " (cell(names.get(rank.record).map_or("", String::as_str))) }
                        td class=(class) data-v=(format!("{:.5}", rank.worse)) {
                            @if rank.record == 0 { "A" } @else { (ranking.said(rank)) }
                        }
                        @if let Some(counts) = &rank.counts {
                            td.n { (counts.worse) }
                            td.n { (counts.better) }
                            td.n { (counts.undecided) }
                        } @else { td.n {} td.n {} td.n {} }
                        td.w { @if let Some(why) = rank.record.checked_sub(1).and_then(|i| report.explanations.get(i)) {
                            // Which is which stands in the row.
                            (cut(why.answer.strip_prefix("B against A: ").unwrap_or(&why.answer), REASON))
                        } }
                    }
                } }
            }
        }
    }
}

/// A chart a record, in their order, on the same axes; none where they have no curves.
pub(super) fn charts(ranking: &Ranking, report: &Report<'_>) -> Option<Markup> {
    let curves: Vec<Curve> = report.records.iter().map(|r| curve(r.summary)).collect();
    if curves.iter().any(|curve| curve.len() < FEWEST) {
        return None;
    }
    let axes = Minis::over(&curves)?;
    let names = names(report.records);
    Some(html! {
        p { "Latency of a random load, ns, over the working set: each record over A, which is gray. The axes are the same." }
        div.minis {
            @for (at, rank) in ranking.ranks.iter().enumerate() {
                @let name = names.get(rank.record).cloned().unwrap_or_default();
                @let title = format!("{}. {name}: latency over the working set", at + 1);
                div {
                    div.mini-name { b { (at + 1) "." } " " (letter(rank.record)) " " (cut(&name, NAME)) }
                    (PreEscaped(axes.svg(&title, &curves[rank.record], rank.record)))
                    @if rank.record > 0 { div.dim { (text(&ranking.said(rank))) } } @else { div.dim { "all beside this one" } }
                }
            }
        }
    })
}

/// `A`, `B`, ... up to `H`, and `#9` beyond: further ones have no color of their own.
fn letter(record: usize) -> String {
    let letters = "ABCDEFGH";
    let letter = letters.chars().nth(record).map(String::from);
    letter.unwrap_or_else(|| format!("#{}", record + 1))
}

/// What the records are called: by what they are of where that tells them apart, else by their files.
fn names(records: &[Shown<'_>]) -> Vec<String> {
    let system = |shown: &Shown<'_>| {
        let origin = shown.record.origin.as_ref();
        let host = shown.record.host.as_ref().and_then(|h| h.name.value());
        let system = origin.map(|o| &o.system).filter(|s| !s.is_empty());
        system.or(host).cloned()
    };
    let systems: Vec<Option<String>> = records.iter().map(system).collect();
    let mut known: Vec<&String> = systems.iter().flatten().collect();
    known.sort();
    known.dedup();
    if known.len() == records.len() {
        return systems.into_iter().flatten().collect();
    }
    let files = records.iter().map(|r| r.name.rsplit('/').next());
    files
        .map(|name| name.unwrap_or_default().to_owned())
        .collect()
}
