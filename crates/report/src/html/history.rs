//! The page of one node over time: the answer, a chart for each family, the records.

use maud::{Markup, html};
use whyslow_model::history::{HistorySeries, HistoryStep, NodeHistory};
use whyslow_model::time::seconds;

use super::words::{cell, text};
use super::{Section, whole};
use crate::history as words;

/// Series that are drawn, those with steps first: more are in the JSON.
const MOST: usize = 60;

/// Records that get a mark of their own in a chart: of more, the line alone is drawn.
const MARKS: usize = 400;

/// Width and height of a chart, and the margins at its left and above and below its values.
const WIDE: f64 = 860.0;
const HIGH: f64 = 120.0;
const LEFT: f64 = 64.0;
const ABOVE: f64 = 8.0;
const BELOW: f64 = 20.0;

/// The page.
pub(crate) fn page(history: &NodeHistory, version: &str) -> String {
    let title = format!("{}: one node over time", history.node);
    let header = html! { h1 { (text(&title)) } };
    let mut series: Vec<&HistorySeries> = history.series.iter().collect();
    series.sort_by_key(|one| one.steps.is_empty());
    let sections = [
        Section {
            anchor: "answer",
            name: "Answer",
            content: answer(history),
        },
        Section {
            anchor: "time",
            name: "Over time",
            content: html! {
                p.dim { "How many percent longer a record took than the median of its series; higher is slower. Lines across \
                         are levels between steps. Times are UTC." }
                @for one in series.iter().take(MOST) { (chart(one)) }
                @if series.len() > MOST { p.dim { (series.len() - MOST) " more series are in the JSON." } }
            },
        },
    ];
    whole(&title, &header, &sections, version)
}

fn answer(history: &NodeHistory) -> Markup {
    let averages: Vec<(&str, String)> = history
        .series
        .iter()
        .filter_map(|one| Some((one.name.as_str(), words::improve(one)?)))
        .collect();
    html! {
        p.answer { (text(&words::answer(history))) }
        @if history.other_hardware > 0 {
            p.dim { (history.other_hardware) " records of other hardware are left out." }
        }
        @if history.series.iter().any(|one| !one.steps.is_empty()) {
            h3 { "Steps" }
            p.dim { (format!("{:.0}", 100.0 * history.false_share)) " % of nodes without one would show one somewhere." }
            ul { @for one in &history.series { @for step in &one.steps {
                li { strong { (text(&one.name)) } ": " (text(&words::said(step)))
                    @if one.wanders { span.dim { "; values follow each other between steps, which may be parts of a drift" } } }
            } } }
        }
        @if !averages.is_empty() {
            h3 { "Averages" }
            ul { @for (name, said) in &averages { li { strong { (text(name)) } ": " (text(said)) } } }
        }
    }
}

/// A value with its place in time, seconds.
type Spot<'s> = (f64, f64, &'s str);

fn chart(series: &HistorySeries) -> Markup {
    let spots: Vec<Spot<'_>> = series
        .values
        .iter()
        .filter_map(|v| {
            Some((
                seconds(&v.started)?,
                100.0 * (v.times_longer - 1.0),
                v.started.as_str(),
            ))
        })
        .filter(|(_, value, _)| value.is_finite())
        .collect();
    let ends = |of: fn(&Spot<'_>) -> f64| {
        let [lo, hi] = [f64::min, f64::max].map(|end| spots.iter().map(of).reduce(end));
        Some([lo?, hi?])
    };
    let (Some([from, to]), Some([least, most])) = (ends(|s| s.0), ends(|s| s.1)) else {
        return html! {};
    };
    // Values that are all alike are in the middle.
    let (span, rise) = ((to - from).max(1.0), (most - least).max(0.01));
    let x = |at: f64| LEFT + (WIDE - LEFT - 8.0) * (at - from) / span;
    let y = |value: f64| ABOVE + (HIGH - ABOVE - BELOW) * (1.0 - (value - least) / rise);
    let line: Vec<String> = spots
        .iter()
        .map(|(at, value, _)| format!("{:.1},{:.1}", x(*at), y(*value)))
        .collect();
    html! {
        h3 { (text(&series.name)) @if !series.steps.is_empty() { span.tag { "step" } } }
        svg.chart viewBox=(format!("0 0 {WIDE} {HIGH}")) role="img" aria-label=(format!("{} over time", series.name)) {
            @for value in [least, most] {
                line x1=(LEFT) x2=(WIDE - 8.0) y1=(format!("{:.1}", y(value))) y2=(format!("{:.1}", y(value))) stroke="var(--grid)" {}
                text.s x=(LEFT - 6.0) y=(format!("{:.1}", y(value) + 4.0)) text-anchor="end" { (format!("{value:+.1} %")) }
            }
            @for (at, end, anchor) in [(from, series.values.first(), "start"), (to, series.values.last(), "end")] {
                @if let Some(value) = end {
                    text.s x=(format!("{:.1}", x(at))) y=(HIGH - 4.0) text-anchor=(anchor) { (cell(&words::minute(&value.started))) }
                }
            }
            polyline points=(line.join(" ")) fill="none" stroke="var(--c0)" stroke-width="1" stroke-opacity="0.5" {}
            @if spots.len() <= MARKS {
                @for (at, value, started) in &spots {
                    circle cx=(format!("{:.1}", x(*at))) cy=(format!("{:.1}", y(*value))) r="2" fill="var(--c0)" {
                        title { (cell(&words::minute(started))) (format!(": {value:+.1} %")) }
                    }
                }
            }
            @for (from, to, level) in levels(&spots, &series.steps) {
                line x1=(format!("{:.1}", x(from))) x2=(format!("{:.1}", x(to))) y1=(format!("{:.1}", y(level))) y2=(format!("{:.1}", y(level)))
                    stroke="var(--ink)" stroke-width="2" {}
            }
        }
    }
}

/// The stretches between steps with the mean of each; none without a step.
fn levels(spots: &[Spot<'_>], steps: &[HistoryStep]) -> Vec<(f64, f64, f64)> {
    let mut left = spots;
    let mut found = Vec::new();
    let ends = steps.iter().map(|step| seconds(&step.before)).chain([None]);
    for end in ends.filter(|_| !steps.is_empty()) {
        let count = end.map_or(left.len(), |end| left.partition_point(|(at, ..)| *at < end));
        let (own, rest) = left.split_at(count);
        if let ([first, ..], [.., last]) = (own, own) {
            let mean = own.iter().map(|(_, value, _)| value).sum::<f64>() / own.len() as f64;
            found.push((first.0, last.0, mean));
        }
        left = rest;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_drawn_on_each_side_of_a_step() {
        let spots: Vec<Spot<'_>> = (0..10)
            .map(|n| {
                (
                    seconds("2026-01-01T00:00:00Z").unwrap_or(0.0) + 60.0 * f64::from(n),
                    if n < 6 { 0.0 } else { 4.0 },
                    "",
                )
            })
            .collect();
        let step = HistoryStep {
            after: "2026-01-01T00:05:00Z".to_owned(),
            before: "2026-01-01T00:06:00Z".to_owned(),
            times_longer: 1.04,
            range: None,
            p: 0.001,
        };
        let found = levels(&spots, &[step]);
        let means: Vec<f64> = found.iter().map(|(.., mean)| *mean).collect();
        assert_eq!(means, [0.0, 4.0]);
        assert_eq!((found[0].1, found[1].0), (spots[5].0, spots[6].0));
        assert!(levels(&spots, &[]).is_empty());
    }
}
