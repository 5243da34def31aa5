//! Nothing at all: what differs is no more than chance and drift do.

use whyslow_model::change::apart;
use whyslow_model::comparison::Verdict;
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::{Case, Moved};
use crate::cause::{Cause, Judgement};
use crate::words;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "nothing",
    title: "nothing but chance and drift",
    said: "",
    reaches: &[],
    what: "Two runs of the same machine differ too: a few points in a hundred, by a little.",
    advice: &[],
    judge,
    switch: None,
    plants: &[],
};

/// So many of the tested points move by chance and drift between two runs, at most.
const FEW: f64 = 0.03;

/// And by so little.
const LITTLE: f64 = 0.05;

/// Weight where one side could not measure a point: below that of a cause that tells why.
const LOST: f64 = 0.5;

/// An undecided difference that may be this far (a half and more) is not called chance where something changed.
const FAR: f64 = 0.4;

/// A difference whose interval begins at this share of it, in logarithms, is four standard errors or more.
const FAR_OFF: f64 = 0.5;

/// Weight where it may be more than chance: below that of any cause that a fact speaks for.
const DOUBT: f64 = 0.1;

/// Weight where nothing was repeated and points differ by more than such rows do: a doubt that stays.
const SINGLE: f64 = 0.05;

/// How well the rows of single runs agree, by themselves.
fn repeats(case: &Case<'_>) -> String {
    let mut off: Vec<f64> = case.points.iter().map(|p| p.worse.abs()).collect();
    off.sort_by(f64::total_cmp);
    let half = off.get(off.len() / 2).copied().unwrap_or(0.0);
    format!(
        "one value a side, so chance is not excluded, and half of the rows agree within {}",
        apart(half)
    )
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let tested = case
        .points
        .iter()
        .filter(|p| !matches!(p.point.verdict, Verdict::Untested { .. }))
        .count();
    // What the scheduler does with processes that it may put anywhere is drift of its own.
    let placed = case.placed_by_chance();
    let moved: Vec<&Moved<'_>> = case
        .points
        .iter()
        .filter(|p| p.moved && !p.role.is_stated() && !(placed > 0 && p.is_free()))
        .collect();
    let most = moved.iter().map(|p| p.worse.abs()).fold(0.0, f64::max);
    let text = match moved.len() {
        0 => format!("none of {} points was shown to differ", case.points.len()),
        n => format!(
            "{n} of {} points differ, by up to {}",
            case.points.len(),
            apart(most)
        ),
    };
    let few = moved.len() as f64 <= (tested as f64 * FEW).max(1.0) && tested > moved.len();
    // A point that one side could not measure is a difference, and none of chance.
    let lost = case
        .comparison
        .missing
        .iter()
        .any(|m| m.why.is_some() && !m.unknown);
    // The least that each differs by: an interval that hardly leaves out "no difference" is one that chance makes.
    let least = moved.iter().map(|p| p.least()).fold(0.0, f64::max);
    let chance = moved.is_empty() || (few && least <= LITTLE);
    let hosts = &case.comparison.hosts;
    let changed = hosts.facts.len() + hosts.state.len();
    let untested = case.points.len() - tested;
    // Modes that came four times of five against none may be chance, and may not.
    let open = |verdict: &Verdict| {
        matches!(
            verdict,
            Verdict::Undecided { .. } | Verdict::Modes { real: false }
        )
    };
    let far = case
        .points
        .iter()
        .filter(|p| open(&p.point.verdict) && p.reach() >= FAR);
    let far = far.count();
    // Of a few rows none is one of a hundred, and one whose interval is far from "no difference" is none by chance.
    let shown =
        (tested as f64) * FEW < 1.0 && moved.iter().any(|p| p.least() > FAR_OFF * p.worse.abs());
    let doubt = if shown {
        Some(format!(
            "{text}: more than chance explains, but drift could"
        ))
    } else if untested > tested {
        Some(format!("{text}, but {untested} could not be tested"))
    } else if let Some([a, b]) = case.somebody_came() {
        // Batches beside that work are left out of the values, and it is a difference all the same.
        Some(format!(
            "{text}, but others used {a:.2} CPUs in A and {b:.2} in B"
        ))
    } else if changed > 0 && far > 0 {
        Some(format!(
            "{text}, but {far} may by half and more, and not all facts and settings are the same"
        ))
    } else {
        None
    };
    // One value a side excludes nothing by chance.
    let single = untested > tested && !chance;
    let mut judgement = if single {
        Judgement::new(CauseVerdict::CannotTell, SINGLE).with(
            Speaks::Neither,
            EvidenceKind::Signature,
            format!("{text}; {}", repeats(case)),
        )
    } else if let Some(text) = doubt.filter(|_| chance) {
        Judgement::new(CauseVerdict::CannotTell, DOUBT).with(
            Speaks::Neither,
            EvidenceKind::Signature,
            text,
        )
    } else if chance {
        Judgement::new(
            CauseVerdict::Consistent,
            match (moved.is_empty() && placed == 0, lost) {
                (_, true) => LOST,
                (true, false) => 1.0,
                (false, false) => 0.9,
            },
        )
        .with(Speaks::For, EvidenceKind::Signature, text)
    } else {
        Judgement::new(CauseVerdict::Contradicted, 0.0).with(
            Speaks::Against,
            EvidenceKind::Signature,
            text,
        )
    };
    if hosts.looked_at > 0 {
        let speaks = if changed == 0 {
            Speaks::For
        } else {
            Speaks::Neither
        };
        let text = format!("{changed} of {} facts and settings differ", hosts.looked_at);
        judgement = judgement.with(speaks, EvidenceKind::Fact, text);
    }
    if placed > 0 {
        let text = format!(
            "{placed} left to the scheduler differ besides: it puts processes on one CPU or on two, and nothing has changed"
        );
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, text);
    }
    if chance && moved.len() + placed > 0 {
        let roles: Vec<_> = case.moved_roles();
        let names: Vec<&str> = roles.iter().map(|r| r.name()).collect();
        let text = format!("they have to do with {}", words::list(&names));
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, text);
        judgement.covers = roles.into_iter().map(|r| (r, None)).collect();
        judgement = judgement.then("whether they come again", "whyslow selfcheck");
    }
    Some(judgement)
}
