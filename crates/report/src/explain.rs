//! An explanation on the terminal, as a note that an engineer would write: the answer, what moved, the
//! evidence for each likely cause, what was excluded and by which line, what is left, what to do.

mod experiment;
mod prices;

pub(crate) use experiment::change;

use whyslow_model::explanation::{CauseVerdict, Evidence, Explanation, Finding, Speaks};

use crate::Look;
use crate::compare::words;
use crate::page::Screen;
use crate::text::{Style, Text};

/// Points that a group names before it counts.
const NAMED: usize = 4;

/// Lines of evidence that are shown of a cause that is open.
const OPEN_LINES: usize = 3;

/// The whole page.
pub(crate) fn page(explanation: &Explanation, look: Look) -> String {
    let mut page = Screen::new(look);
    page.field(0, 1, "A", Text::strong(&explanation.a));
    if let Some(b) = &explanation.b {
        page.field(0, 1, "B", Text::strong(b));
    }
    page.heading("ANSWER", "");
    page.flow(2, 2, Text::plain(&explanation.answer));
    experiment::experiments(explanation, &mut page);
    moved(explanation, &mut page);
    prices::section(explanation, &mut page);
    likely(explanation, &mut page);
    open(explanation, &mut page);
    excluded(explanation, &mut page);
    left(explanation, &mut page);
    next(explanation, &mut page);
    page.finish()
}

fn of(explanation: &Explanation, wanted: CauseVerdict) -> impl Iterator<Item = &Finding> {
    explanation
        .causes
        .iter()
        .filter(move |c| c.verdict == wanted)
}

fn moved(explanation: &Explanation, page: &mut Screen) {
    if explanation.moved.is_empty() {
        return;
    }
    page.heading("WHAT MOVED", "B against A");
    for group in &explanation.moved {
        let span = group.quantity.span(group.times.map(f64::ln));
        let mut names = group.points.iter().take(NAMED).cloned().collect::<Vec<_>>();
        if group.points.len() > NAMED {
            names.push(format!("{} more", group.points.len() - NAMED));
        }
        let claim = if group.real { "" } else { ", untested" };
        page.flow(
            2,
            4,
            Text::strong(&group.name)
                .and(Style::Plain, format!(": {span}{claim}{} ", words::GAP))
                .and(Style::Dim, names.join(", ")),
        );
    }
}

fn likely(explanation: &Explanation, page: &mut Screen) {
    for verdict in [
        CauseVerdict::Confirmed,
        CauseVerdict::Consistent,
        CauseVerdict::Suspected,
    ] {
        let found: Vec<&Finding> = of(explanation, verdict).collect();
        if found.is_empty() {
            continue;
        }
        let (title, gloss) = match verdict {
            CauseVerdict::Confirmed => ("CONFIRMED", ""),
            CauseVerdict::Consistent => ("CONSISTENT WITH THESE RECORDS", ""),
            _ => (
                "POINTED TO BY WHAT IS SAID OF THE TWO SIDES",
                "one value a side confirms nothing",
            ),
        };
        page.heading(title, gloss);
        for finding in found {
            page.flow(
                2,
                4,
                Text::strong(&finding.title).and(Style::Plain, share_words(finding)),
            );
            evidence(&finding.evidence, usize::MAX, page);
            for advice in &finding.advice {
                page.flow(4, 6, Text::dim("do: ").and(Style::Plain, advice));
            }
        }
    }
}

/// ` covers 64 % of the difference [58, 70]: program start`.
pub(crate) fn share_words(finding: &Finding) -> String {
    let Some(share) = finding.share else {
        return String::new();
    };
    let percent = |v: f64| format!("{:.0}", v * 100.0);
    // A signature reaches whole groups and cannot tell how much of them it is.
    let verb = match finding.verdict {
        CauseVerdict::Confirmed => "covers",
        _ => "would cover up to",
    };
    let mut text = format!(" {verb} {}\u{a0}% of the difference", percent(share.value));
    let ends = share.range.map(|range| range.map(percent));
    if let Some([lo, hi]) = ends.filter(|[lo, hi]| lo != hi) {
        text += &format!(" [{lo},\u{a0}{hi}]");
    }
    if !finding.covers.is_empty() {
        text += &format!(": {}", finding.covers.join(", "));
    }
    text
}

fn evidence(lines: &[Evidence], most: usize, page: &mut Screen) {
    for line in lines.iter().take(most) {
        let sign = match line.speaks {
            Speaks::For => "+ ",
            Speaks::Against => "- ",
            Speaks::Neither => "  ",
        };
        let style = match line.speaks {
            Speaks::Neither => Style::Dim,
            _ => Style::Plain,
        };
        page.flow(
            4,
            6,
            Text::plain(sign.replace(' ', "\u{a0}")).and(style, &line.text),
        );
    }
}

fn open(explanation: &Explanation, page: &mut Screen) {
    // What was switched stands under the experiments already.
    let switched = |f: &&Finding| explanation.experiments.iter().all(|e| e.cause != f.cause);
    let (fits, rest): (Vec<&Finding>, Vec<&Finding>) = of(explanation, CauseVerdict::CannotTell)
        .filter(|f| !f.covers.is_empty() || switched(f))
        .partition(|f| !f.covers.is_empty());
    if !fits.is_empty() {
        page.heading(
            "CANNOT BE TOLD FROM THESE RECORDS",
            "each fits, none is shown",
        );
        for finding in fits {
            page.flow(
                2,
                4,
                Text::strong(&finding.title).and(Style::Plain, share_words(finding)),
            );
            evidence(&finding.evidence, OPEN_LINES, page);
        }
    }
    let (often, rest): (Vec<&Finding>, Vec<&Finding>) =
        rest.into_iter().partition(|f| f.is_by_rate());
    let speaks_for = |f: &&Finding| f.evidence.iter().any(|e| e.speaks == Speaks::For);
    let (seen, rest): (Vec<&Finding>, Vec<&Finding>) = rest.into_iter().partition(speaks_for);
    if !seen.is_empty() {
        page.heading("SEEN, AND NOT SHOWN TO MATTER", "");
        for finding in seen {
            page.flow(2, 4, Text::strong(&finding.title));
            evidence(&finding.evidence, OPEN_LINES, page);
        }
    }
    let (undecided, rest): (Vec<&Finding>, Vec<&Finding>) =
        rest.into_iter().partition(|f| against(f).is_some());
    if !undecided.is_empty() {
        page.heading(
            "NOT EXCLUDED",
            "nothing speaks for these; what they must move is undecided",
        );
        by_reasons(&undecided, page);
    }
    if !often.is_empty() {
        page.heading(
            "OFTEN BEHIND SUCH ROWS",
            "in published results; nothing of these two speaks for it",
        );
        for finding in often {
            page.flow(2, 4, Text::strong(&finding.title));
            evidence(&finding.evidence, OPEN_LINES, page);
        }
    }
    // A list of all that was not measured tells nothing; a measurement that would open them does.
    if let (more @ 1.., Some(_)) = (rest.len(), &explanation.b) {
        let causes = if more == 1 { "cause" } else { "causes" };
        page.heading("NOT JUDGED", "");
        page.flow(
            2,
            2,
            Text::dim(format!(
                "{more} more {causes}, for want of rows or facts: two records of `whyslow run` have them"
            )),
        );
    }
}

fn excluded(explanation: &Explanation, page: &mut Screen) {
    let found: Vec<&Finding> = of(explanation, CauseVerdict::Contradicted).collect();
    if found.is_empty() || explanation.moved.is_empty() && explanation.b.is_some() {
        return;
    }
    let of_what = match &explanation.b {
        Some(_) => "as causes of what moved",
        None => "",
    };
    page.heading("EXCLUDED", of_what);
    by_reasons(&found, page);
}

/// Causes, each with what speaks against it.
fn by_reasons(findings: &[&Finding], page: &mut Screen) {
    for (reason, titles) in by_reason(findings) {
        page.flow(
            2,
            4,
            Text::plain(titles.join("; ")).and(Style::Dim, format!(": {reason}")),
        );
    }
}

/// The first line against a cause, if there is one.
pub(crate) fn against(finding: &Finding) -> Option<&str> {
    let mut lines = finding.evidence.iter();
    let line = lines.find(|e| e.speaks == Speaks::Against)?;
    Some(&line.text)
}

/// Titles of causes by what speaks against them, in the order of the first of each: several ask the same rows.
pub(crate) fn by_reason<'a>(findings: &[&'a Finding]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for finding in findings {
        let first = || finding.evidence.first().map(|e| e.text.as_str());
        let reason = against(finding).or_else(first).unwrap_or_default();
        match groups.iter_mut().find(|(r, _)| *r == reason) {
            Some((_, titles)) => titles.push(&finding.title),
            None => groups.push((reason, vec![&finding.title])),
        }
    }
    groups
}

/// `37 % of the difference [30, 44]`: what no consistent cause covers.
pub(crate) fn uncovered(explanation: &Explanation) -> String {
    let Some(share) = explanation.unexplained_share else {
        return String::new();
    };
    let percent = |v: f64| format!("{:.0}", v * 100.0);
    let range = share.range.map_or(String::new(), |[lo, hi]| {
        format!(" [{}, {}]", percent(lo), percent(hi))
    });
    format!(
        "{} % of the difference{range}, by logarithms over the groups that moved",
        percent(share.value)
    )
}

fn left(explanation: &Explanation, page: &mut Screen) {
    if explanation.b.is_some() {
        page.heading("LEFT UNEXPLAINED", &uncovered(explanation));
        if explanation.unexplained.is_empty() {
            let text = match explanation.unexplained_share {
                Some(share) if share.value >= 0.005 => {
                    "a part of what moved, and of no group more than a fifth"
                }
                _ => "nothing that was shown to differ",
            };
            page.flow(2, 2, Text::plain(text));
        }
        for line in &explanation.unexplained {
            page.flow(2, 4, Text::plain(line));
        }
    }
    if !explanation.cannot_show.is_empty() {
        page.heading("WHAT THESE RECORDS CANNOT SHOW", "");
        for line in &explanation.cannot_show {
            page.flow(2, 4, Text::plain(line));
        }
    }
}

fn next(explanation: &Explanation, page: &mut Screen) {
    if explanation.next.is_empty() {
        return;
    }
    page.heading("NEXT", "the cheapest and most telling first");
    for (i, step) in explanation.next.iter().enumerate() {
        // As it is, however long: a command that is wrapped cannot be pasted.
        let number = Text::default()
            .pad(2)
            .and(Style::Plain, format!("{}. ", i + 1));
        page.whole(number.and(Style::Strong, &step.command));
        page.flow(5, 5, Text::dim(&step.settles));
    }
}
