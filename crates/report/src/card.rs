//! A card of one record, or of two compared: machine, latency curve, levels, bandwidth, a switch, one sentence.

use whyslow_compare::Counts;
use whyslow_model::comparison::{Comparison, Verdict};
use whyslow_model::id;
use whyslow_model::summary::{Interval, Summary};

use crate::digest::Digest;
use crate::drawing::{Card, CardRow, Theme};
use crate::numbers;
use crate::summary::shortened;
use crate::text::TIE;
use crate::view::View;
use crate::{Shown, findings};

/// Fewer sizes are no curve.
const FEWEST: usize = 3;

/// Levels that have room for a row.
const LEVELS: usize = 5;

/// A card has nothing to draw: the record of that name has no latency curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCard(String);

impl std::fmt::Display for NoCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} has no latency curve, which a card is drawn from; a plain `whyslow run` measures one",
            self.0
        )
    }
}

impl std::error::Error for NoCard {}

pub(crate) fn svg(
    records: &[Shown<'_>],
    comparison: Option<&Comparison>,
    theme: Theme,
    version: &str,
) -> Result<String, NoCard> {
    let views: Vec<View<'_>> = records
        .iter()
        .map(|shown| View::new(shown.record, shown.summary))
        .collect();
    let digests: Vec<Digest<'_>> = views.iter().map(Digest::of).collect();
    let mut curves = Vec::new();
    for shown in records {
        let curve = curve(shown.summary);
        if curve.len() < FEWEST {
            return Err(NoCard(shown.name.to_owned()));
        }
        curves.push(curve);
    }
    let flags = digests.iter().enumerate().flat_map(|(side, digest)| {
        let levels = digest.levels.iter();
        levels.filter_map(move |level| Some((level.size?.value, level.name.clone(), side)))
    });
    let mut card = Card {
        curves,
        flags: flags.collect(),
        ..Card::default()
    };
    match (digests.as_slice(), comparison) {
        ([a, b], Some(comparison)) => two(&mut card, [a, b], records, comparison),
        ([one, ..], _) => single(&mut card, one),
        ([], _) => {}
    }
    card.sure = format!("{}; whyslow {version}", card.sure);
    Ok(card.svg(theme))
}

/// Random loads on ordinary pages, by size.
fn curve(summary: &Summary) -> Vec<(f64, f64)> {
    let points = summary.points.iter().filter(|p| {
        let get = |name| p.point.get(name);
        p.point.probe == id::MEM_LATENCY
            && get("order").is_none_or(|order| order == "random")
            && get("stride").is_none()
            && get("pages").is_none_or(|pages| pages == "4k")
    });
    let values = points.filter_map(|p| Some((p.size_bytes? as f64, p.value?.value)));
    let mut curve: Vec<(f64, f64)> = values
        .filter(|(size, ns)| *size > 0.0 && *ns > 0.0)
        .collect();
    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    curve
}

fn single(card: &mut Card, digest: &Digest<'_>) {
    card.label = format!("{}: latency, levels and bandwidth", digest.name);
    card.names = vec![digest.name.clone()];
    card.under = under(&[&digest.machine, &digest.when]);
    card.heads = vec!["a load takes".into(), "effective size".into()];
    for level in digest.levels.iter().take(LEVELS) {
        card.rows.push(CardRow {
            name: level.name.clone(),
            cells: vec![level.latency(), level.size().unwrap_or_default()],
            color: "ink",
        });
    }
    for figure in &digest.figures {
        card.rows.push(CardRow {
            name: figure.name.into(),
            cells: vec![String::new(), figure.short()],
            color: "ink",
        });
    }
    let found = digest.findings.first().map(|text| shortened(text));
    card.sentence = found
        .unwrap_or_else(|| "Nothing stands out.".into())
        .replace(TIE, " ");
    card.sure = digest.sure.replace(TIE, " ");
}

fn two(card: &mut Card, [a, b]: [&Digest<'_>; 2], records: &[Shown<'_>], comparison: &Comparison) {
    let names: Vec<&str> = records.iter().map(|shown| shown.name).collect();
    card.label = format!("{} compared", names.join(" and "));
    card.names = [a, b]
        .iter()
        .zip("AB".chars())
        .zip(&names)
        .map(|((digest, letter), name)| format!("{letter}  {} ({name})", digest.name))
        .collect();
    card.under = match a.machine == b.machine {
        true => under(&[&a.machine, &format!("{} and {}", a.when, b.when)]),
        false => under(&[&format!("A {}", a.machine), &format!("B {}", b.machine)]),
    };
    card.heads = ["A", "B", "B / A"].map(str::to_owned).to_vec();
    for level in a.levels.iter().take(LEVELS) {
        let Some(other) = b.levels.iter().find(|l| l.name == level.name) else {
            continue;
        };
        let differs = findings::apart(&level.latency, &other.latency);
        let better = other.latency.value < level.latency.value;
        card.rows.push(CardRow {
            name: level.name.clone(),
            cells: vec![
                level.latency(),
                other.latency(),
                ratio(&level.latency, &other.latency),
            ],
            color: if differs { good(better) } else { "dim" },
        });
    }
    for figure in &a.figures {
        let Some(other) = b.figures.iter().find(|f| f.point == figure.point) else {
            continue;
        };
        let mut points = comparison.points.iter();
        let verdict = points.find(|p| p.point == *figure.point && p.part.is_none());
        let color = match verdict.map(|p| &p.verdict) {
            Some(Verdict::Faster { .. }) => good(true),
            Some(Verdict::Slower { .. }) => good(false),
            _ => "dim",
        };
        card.rows.push(CardRow {
            name: figure.name.split(',').next().unwrap_or_default().into(),
            cells: vec![
                figure.short(),
                other.short(),
                ratio(&figure.value, &other.value),
            ],
            color,
        });
    }
    card.sentence = sentence(comparison);
    card.sure = comparison.scope.claims.first().cloned().unwrap_or_default();
}

fn good(better: bool) -> &'static str {
    if better { "good" } else { "bad" }
}

fn ratio(a: &Interval, b: &Interval) -> String {
    format!("{}×", numbers::number(b.value / a.value))
}

fn under(parts: &[&str]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts
        .copied()
        .collect::<Vec<_>>()
        .join("; ")
        .replace(TIE, " ")
}

/// How many points differ, and which way.
fn sentence(comparison: &Comparison) -> String {
    let counts = Counts::of(comparison);
    let points = numbers::counted(comparison.points.len() as u64, "point", "points");
    if comparison.objections.iter().any(|o| o.forbids) || counts.untested == comparison.points.len()
    {
        return format!("{points} in both; nothing can be said about chance.");
    }
    match (counts.worse, counts.better) {
        (0, 0) if counts.differ > 0 => format!(
            "Of {points}, {} differ, and which direction is better is not known; {} are the same, {} undecided.",
            counts.differ,
            counts.same + counts.negligible,
            counts.undecided
        ),
        (0, 0) => format!(
            "No real difference in {points}; {} undecided.",
            counts.undecided
        ),
        (worse, better) => format!(
            "Of {points}, B is slower in {worse} and faster in {better}; {} are the same, {} undecided.",
            counts.same + counts.negligible,
            counts.undecided
        ),
    }
}
