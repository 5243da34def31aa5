//! The answer first, then what differs.

use maud::{Markup, PreEscaped, html};
use whyslow_compare::Counts;
use whyslow_model::change::Quantity;
use whyslow_model::comparison::Comparison;
use whyslow_model::experiment::Experiment;
use whyslow_model::explanation::{CauseVerdict, Evidence, Explanation, Finding, Speaks};

use super::figure::{Ids, table};
use super::words::text;
use crate::Report;
use crate::charts::{Side, Table};
use crate::compare::groups;
use crate::explain::{against, by_reason, change, share_words, uncovered};
use crate::findings;
use crate::load;
use crate::numbers::counted;
use crate::summary;
use crate::view::View;

/// Entries of a list that are shown.
const MOST: usize = 60;

/// What the records say, in words, with the chart that shows it.
pub(super) fn section(report: &Report<'_>, sides: &[Side<'_>], hero: Option<Markup>) -> Markup {
    let loads: Vec<&Side<'_>> = sides.iter().filter(|s| load::is_load(s.record)).collect();
    // A command under load is no machine that something holds back.
    let explanations = match (loads.len(), report.comparisons) {
        (1.., []) => &[],
        _ => report.explanations,
    };
    // Nor are published figures that no cause speaks of: what they are is all there is to say.
    let published = match (sides, explanations) {
        ([one], [found]) if one.record.origin.is_some() && found.causes.is_empty() => {
            let lines = summary::lines(&View::new(one.record, one.summary));
            let lines = lines.iter().map(|line| line.trim_end_matches('.'));
            lines.collect::<Vec<_>>().join(". ")
        }
        _ => String::new(),
    };
    let explanations = match published.is_empty() {
        true => explanations,
        false => &[],
    };
    let each = explanations.len() > 1;
    html! {
        @for side in &loads {
            @for said in load::answers(&View::new(side.record, side.summary)) {
                p.answer { @if sides.len() > 1 { b { (side.letter) } " " } (text(&said)) }
            }
        }
        @if !published.is_empty() { p.answer { (text(&published)) "." } }
        @if !each { @for explanation in explanations { p.answer { (text(&explanation.answer)) } } }
        @if let Some(hero) = hero { div.hero { (hero) } }
        @if each {
            @for (i, explanation) in explanations.iter().enumerate() {
                details {
                    summary {
                        @if let Some(side) = sides.get(i + 1) { b { (side.letter) } " " }
                        (text(explanation.b.as_deref().unwrap_or(&explanation.a))) ": " (text(&explanation.answer))
                    }
                    @if let Some(comparison) = report.comparisons.get(i) { (counts(comparison)) (claims(comparison)) }
                    (causes(explanation))
                }
            }
        } @else {
            @for comparison in report.comparisons { (counts(comparison)) (claims(comparison)) }
            @for explanation in explanations { (causes(explanation)) }
        }
        @for side in sides { (stands_out(side, sides.len() > 1)) }
    }
}

/// How many points have which verdict.
fn counts(comparison: &Comparison) -> Markup {
    let counts = Counts::of(comparison);
    let entries = [
        (counts.worse, "▼ worse, and that is real"),
        (counts.better, "▲ better, and that is real"),
        (
            counts.differ,
            "differ, and that is real; which direction is better is not known",
        ),
        (counts.other_modes, "with other shares of modes"),
        (counts.negligible, "real but negligible"),
        (counts.same, "the same"),
        (counts.undecided, "undecided"),
        (counts.in_modes, "in shared modes"),
        (counts.untested, "not tested"),
        (counts.not_comparable, "not comparable"),
    ];
    html! {
        ul.chips {
            @for (n, what) in entries.iter().filter(|(n, _)| *n > 0) {
                li { b { (n) } " " (what) }
            }
        }
    }
}

/// What may be claimed, and what stands against it.
fn claims(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.objections.is_empty() {
            div.warn role="note" {
                strong { "Before comparing" }
                ul { @for objection in comparison.objections.iter().take(MOST) {
                    li {
                        @if objection.forbids { strong { "not comparable: " } }
                        (text(&objection.text))
                    }
                } }
            }
        }
        @for claim in comparison.scope.claims.iter().take(MOST) { p.dim { (text(claim)) } }
    }
}

fn causes(explanation: &Explanation) -> Markup {
    let of = |verdict: CauseVerdict| {
        let found = explanation
            .causes
            .iter()
            .filter(move |c| c.verdict == verdict);
        found.collect::<Vec<&Finding>>()
    };
    let (open, unmeasured): (Vec<&Finding>, Vec<&Finding>) = of(CauseVerdict::CannotTell)
        .into_iter()
        .partition(|f| !f.covers.is_empty());
    let (undecided, unmeasured): (Vec<&Finding>, Vec<&Finding>) =
        unmeasured.into_iter().partition(|f| against(f).is_some());
    let (often, unmeasured): (Vec<&Finding>, Vec<&Finding>) =
        unmeasured.into_iter().partition(|f| f.is_by_rate());
    let contradicted = of(CauseVerdict::Contradicted);
    // Where nothing moved there is nothing that a cause could be excluded from.
    let nothing_moved = explanation.moved.is_empty() && explanation.b.is_some();
    let excluded = !nothing_moved && !contradicted.is_empty();
    html! {
        @for experiment in &explanation.experiments { (tried(experiment)) }
        @for finding in of(CauseVerdict::Confirmed) { (cause(finding, "confirmed", "good")) }
        @for finding in of(CauseVerdict::Consistent) { (cause(finding, "consistent", "")) }
        @for finding in of(CauseVerdict::Suspected) { (cause(finding, "pointed to, not confirmed", "")) }
        @if !open.is_empty() {
            details {
                summary { "Cannot be told from these records: " (counted(open.len() as u64, "cause fits, and is not shown", "causes fit, none is shown")) }
                @for finding in &open { (cause(finding, "open", "dim")) }
            }
        }
        @if !often.is_empty() {
            details {
                summary { "Often behind such rows in published results; nothing of these two speaks for it" }
                @for finding in &often { (cause(finding, "often", "dim")) }
            }
        }
        @if !undecided.is_empty() {
            details {
                summary { (counted(undecided.len() as u64, "cause", "causes")) " not excluded: what they must move is undecided" }
                (by_reasons(&undecided))
            }
        }
        @if excluded {
            details {
                summary { (counted(contradicted.len() as u64, "cause", "causes")) " excluded, and by what" }
                (by_reasons(&contradicted))
            }
        }
        @if !unmeasured.is_empty() {
            details {
                summary { (counted(unmeasured.len() as u64, "cause", "causes")) " not looked at, for want of measurements" }
                p { (text(&unmeasured.iter().map(|f| f.title.as_str()).collect::<Vec<_>>().join("; "))) }
            }
        }
        @if explanation.b.is_some() && !explanation.moved.is_empty() {
            h3 { "Left unexplained" }
            p { (text(&uncovered(explanation))) }
            (list(&explanation.unexplained))
        }
        @if !explanation.cannot_show.is_empty() {
            details {
                summary { "What these records cannot show" }
                (list(&explanation.cannot_show))
            }
        }
        @for skipped in explanation.not_tried.iter().take(MOST) {
            p.dim { "Not switched: " (text(&skipped.what)) ": " (text(&skipped.why)) }
        }
        @if !explanation.next.is_empty() {
            h3 { "What would settle it" }
            ol.next { @for step in explanation.next.iter().take(MOST) {
                li {
                    code { (text(&step.command)) } " " button.copy type="button" hidden { "copy" }
                    br; span.dim { (text(&step.settles)) }
                }
            } }
        }
    }
}

fn list(lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() { ul { @for line in lines.iter().take(MOST) { li { (text(line)) } } } }
    }
}

/// Causes, each with what speaks against it.
fn by_reasons(findings: &[&Finding]) -> Markup {
    html! {
        ul { @for (reason, titles) in by_reason(findings) {
            li { strong { (text(&titles.join("; "))) } ": " (text(reason)) }
        } }
    }
}

fn cause(finding: &Finding, tag: &str, color: &str) -> Markup {
    html! {
        div.cause {
            h3 { (text(&finding.title)) span class={ "tag " (color) } { (tag) } }
            @if let Some(share) = &finding.share {
                div { (text(&share_words(finding))) }
                (meter(share.value, share.range))
            }
            (evidence(&finding.evidence))
            @for advice in finding.advice.iter().take(MOST) { p { strong { "Do: " } (text(advice)) } }
        }
    }
}

fn evidence(lines: &[Evidence]) -> Markup {
    html! {
        ul.evidence { @for line in lines.iter().take(MOST) {
            @let (sign, says) = match line.speaks {
                Speaks::For => ("+", "for: "),
                Speaks::Against => ("−", "against: "),
                Speaks::Neither => ("·", ""),
            };
            li class=[(line.speaks == Speaks::Neither).then_some("dim")] {
                b aria-hidden="true" { (sign) } span.skip { (says) } (text(&line.text))
            }
        } }
    }
}

/// A share as a bar with its interval.
fn meter(value: f64, range: Option<[f64; 2]>) -> Markup {
    let place = |v: f64| {
        if v.is_finite() {
            (v.clamp(0.0, 1.0) * 200.0).round()
        } else {
            0.0
        }
    };
    let [from, to] = range.unwrap_or([value, value]).map(place);
    html! {
        svg.meter viewBox="0 0 200 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.zebra x="0" y="0" width="200" height="8" {}
            rect.m x="0" y="0" width="200" height="8" {}
            rect.f0 x="0" y="0" width=(place(value)) height="8" {}
            @if to > from { rect.fdim x=(from) y="3" width=(to - from) height="2" {} }
        }
    }
}

/// What switching a cause showed.
fn tried(experiment: &Experiment) -> Markup {
    let taken = if experiment.manipulation.passed {
        "The switch took: "
    } else {
        "The switch did not take: "
    };
    html! {
        div.cause {
            h3 { "Experiment: " (text(&experiment.cause)) span.tag { (text(&format!("{:?}", experiment.verdict).to_lowercase())) } }
            p { (text(&experiment.because)) }
            p.dim { (experiment.blocks) " blocks. " (text(&experiment.switch)) }
            p { (taken) (text(&experiment.manipulation.text)) }
            div.scroll tabindex="0" role="group" aria-label="Effects" { table {
                thead { tr { th scope="col" { "point" } th.n scope="col" { "off" } th.n scope="col" { "on" } th.n scope="col" { "effect" } th.n scope="col" { "remains without it" } th.n scope="col" { "after switching back" } } }
                tbody { @for effect in experiment.effects.iter().chain(&experiment.spared).take(MOST) {
                    @let times = |e: &whyslow_model::experiment::Estimated| change(effect, *e);
                    tr {
                        td { (text(&effect.point.to_string())) }
                        td.n { (text(&format!("{} {}", crate::numbers::number(effect.off), effect.unit.symbol()))) }
                        td.n { (text(&format!("{} {}", crate::numbers::number(effect.on), effect.unit.symbol()))) }
                        td.n { (text(&times(&effect.effect))) }
                        td.n { (text(&effect.remains.as_ref().map_or(String::new(), times))) }
                        td.n { (text(&effect.reversal.as_ref().map_or(String::new(), times))) }
                    }
                } }
            } }
            (list(&experiment.notes))
        }
    }
}

/// What stands out in one record.
fn stands_out(side: &Side<'_>, several: bool) -> Markup {
    let found = findings::texts(&View::new(side.record, side.summary));
    let head = match several {
        true => format!("What stands out in {}", side.letter),
        false => "What stands out".to_owned(),
    };
    html! {
        @if !found.is_empty() {
            @if several {
                details { summary { (head) } (list(&found)) }
            } @else {
                h3 { (head) }
                (list(&found))
            }
        }
    }
}

/// The ratios, what moved together, and every point.
pub(super) fn differences(
    report: &Report<'_>,
    sides: &[Side<'_>],
    drawn: Option<Markup>,
    tables: &[Table],
) -> Markup {
    // Numbers of their own, beyond those of charts.
    let mut ids = Ids::starting("d", sides);
    let picks = [
        ("bad", "worse"),
        ("good", "better"),
        ("open", "undecided or untested"),
        ("same", "the same"),
    ];
    html! {
        (drawn.unwrap_or(PreEscaped(String::new())))
        @for ((comparison, rows), side) in report.comparisons.iter().zip(tables).zip(sides.iter().skip(1)) {
            (together(comparison))
            h3 { "Every point, " (side.letter) " against A" }
            (table(rows, &format!("Every point, {} against A", side.letter), &picks, &mut ids))
            (missing(comparison))
        }
    }
}

/// What moved together.
fn together(comparison: &Comparison) -> Markup {
    let mean = mean_ratio(comparison);
    html! {
        @if let Some((worse, points)) = mean {
            p.dim { "Over all " (points) " points, of unlike things and so for an idea only: in the geometric mean B takes "
                (text(&Quantity::Time.said(worse.ln()))) "." }
        }
        @if let Some(first) = comparison.groups.first() {
            h3 { "What moved together" }
            p.dim { "B against A" @if !first.real { "; no claim about chance" } }
            ul { @for group in comparison.groups.iter().take(MOST) {
                li {
                    strong { (text(&groups::span(comparison, [group.low, group.high], &groups::all(group)))) } ": "
                    (text(&group.members.iter().map(|kin| {
                        let many = if kin.points.len() > 1 { format!(" ({})", kin.points.len()) } else { String::new() };
                        format!("{}{many}", kin.name)
                    }).collect::<Vec<_>>().join(", ")))
                }
            } }
        }
    }
}

/// How many times worse B is in the geometric mean, and over how many points.
fn mean_ratio(comparison: &Comparison) -> Option<(f64, usize)> {
    let logs = comparison.points.iter().filter_map(|point| {
        let worse = point.better.worse(point.ratio?.ln())?;
        worse.is_finite().then_some(worse)
    });
    let logs: Vec<f64> = logs.collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    (logs.len() >= 5).then(|| (mean.exp(), logs.len()))
}

/// Points that one side alone has.
fn missing(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.missing.is_empty() {
            details {
                summary { (counted(comparison.missing.len() as u64, "point", "points")) " without a value on both sides" }
                ul { @for point in comparison.missing.iter().take(MOST * 4) {
                    li {
                        (text(&point.title.clone().unwrap_or_else(|| point.point.to_string())))
                        span.dim { ": without it in " (text(&point.lacks)) @if let Some(why) = &point.why { ", " (text(why)) } }
                    }
                } }
            }
        }
    }
}
