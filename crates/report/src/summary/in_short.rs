//! The page in three lines, or four: what the machine is, what stands out most, and how sure the numbers are. They stand on top.

use whyslow_model::host::Known;
use whyslow_model::summary::{Level, PointSummary};
use whyslow_stats::quantile::quantile;

use crate::findings::{self, WIDE};
use crate::numbers::{self, Scale, counted, percent, short};
use crate::page::Screen;
use crate::text::{TIE, Text};
use crate::view::View;

/// Points that are named where there are no levels.
const FEW: usize = 3;

/// A sentence longer than this is cut where its details begin, if what is left says something.
const LONG: usize = 120;
const TELLING: usize = 25;

/// The answer on top of the page.
pub(super) fn answer(view: &View<'_>, page: &mut Screen) {
    let lines = lines(view);
    if lines.is_empty() {
        return;
    }
    page.heading("ANSWER", "");
    for line in lines {
        page.flow(0, 2, Text::plain(line));
    }
    page.line(Text::default());
}

/// The same at the end of a long page: a terminal shows the end of what a run prints.
pub(super) fn section(view: &View<'_>, page: &mut Screen) {
    if view.record.origin.is_some() {
        return;
    }
    let lines = lines(view);
    if !lines.is_empty() {
        page.heading("IN SHORT", "");
    }
    for line in lines {
        page.flow(0, 2, Text::plain(line));
    }
}

/// What it is, what stands out most, how sure it is; nothing where there are no values to shorten.
pub(crate) fn lines(view: &View<'_>) -> Vec<String> {
    if !view.processes_any() {
        return Vec::new();
    }
    let mut most = findings::foremost(view);
    // Published rows are not looked at for most of what can stand out.
    if most.is_empty() && view.record.origin.is_none() {
        most.push("Nothing stands out.".to_owned());
    }
    let most = most.iter().map(|text| shortened(text));
    let front = std::iter::once(machine(view));
    front.chain(most).chain([sure(view)]).collect()
}

/// CPU and levels; where there are none, the first points. Of published figures, the system that they are of.
fn machine(view: &View<'_>) -> String {
    let who = match &view.record.origin {
        Some(origin) if origin.system.is_empty() => vec!["published figures".to_owned()],
        Some(origin) => vec![origin.system.clone()],
        None => {
            let mut who = vec![cpu(view)];
            who.extend(view.cpus().map(|n| counted(n as u64, "CPU", "CPUs")));
            who
        }
    };
    let levels = &view.summary.levels;
    let what: Vec<String> = match levels.is_empty() {
        false => levels.iter().map(level).collect(),
        true => points(view),
    };
    match what.is_empty() {
        true => who.join(", "),
        false => format!("{}: {}", who.join(", "), what.join(", ")),
    }
}

pub(crate) fn cpu(view: &View<'_>) -> String {
    let kinds = view.host().map(|host| &host.cpu.kinds);
    let Some(Known::Is(kinds)) = kinds else {
        return "unknown CPU".to_owned();
    };
    let names = kinds
        .iter()
        .map(|kind| kind.name.value().map_or("unnamed CPU", |n| n.trim()));
    names.collect::<Vec<_>>().join(" + ")
}

/// `L2 592 KiB 3.8 ns`; memory has no size, and what holds some of the next level is not the size of one.
fn level(level: &Level) -> String {
    let size = level.capacity_bytes.as_ref().map(|bytes| {
        let scale = Scale::bytes(bytes.value);
        format!("{}{TIE}{}", numbers::parts(bytes, scale).0, scale.name)
    });
    let name = Some(level.name.clone());
    let latency = Some(short(whyslow_model::Unit::Ns, &level.latency_ns));
    let parts = match level.holds_more() {
        true => {
            let both = size.map(|size| format!("({size}{TIE}with{TIE}the{TIE}next{TIE}level)"));
            [name, latency, both]
        }
        false => [name, size, latency],
    };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(&TIE.to_string())
}

fn points(view: &View<'_>) -> Vec<String> {
    let valued: Vec<(&PointSummary, String)> =
        valued(view).filter_map(|p| Some((p, said(p)?))).collect();
    let is_published = view.record.origin.is_some();
    let mut texts: Vec<String> = valued
        .iter()
        .take(FEW)
        .map(|(p, value)| match &p.title {
            Some(title) if is_published => format!("{title} {value}"),
            _ => format!("{} {value}", p.point),
        })
        .collect();
    if valued.len() > FEW {
        let more = (valued.len() - FEW) as u64;
        texts.push(counted(more, "more point", "more points"));
    }
    texts
}

/// The value of a point in its own unit, or in that of its source.
fn said(point: &PointSummary) -> Option<String> {
    let value = short(point.unit, point.value.as_ref()?);
    Some(match &point.symbol {
        Some(symbol) => format!("{}{TIE}{symbol}", value.trim_end()),
        None => value,
    })
}

fn valued<'a>(view: &View<'a>) -> impl Iterator<Item = &'a PointSummary> {
    view.summary.points.iter().filter(|p| p.value.is_some())
}

/// The first sentence, and of a long one what stands before its details.
pub(crate) fn shortened(text: &str) -> String {
    let mut ends = text.match_indices(". ").map(|(at, _)| at + 1);
    // What follows a full stop begins with a capital; after an abbreviation it does not.
    let end = ends.find(|at| {
        let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
        next.is_some_and(char::is_uppercase)
    });
    let sentence = end.and_then(|end| text.get(..end)).unwrap_or(text);
    if sentence.chars().count() <= LONG {
        return sentence.to_owned();
    }
    match sentence.split_once(": ") {
        Some((head, _)) if head.chars().count() >= TELLING => {
            format!("{}.", head.trim_end_matches(", worst"))
        }
        _ => sentence.to_owned(),
    }
}

/// Processes a point, and how wide the intervals are.
pub(crate) fn sure(view: &View<'_>) -> String {
    if let Some(origin) = &view.record.origin {
        let rows = counted(view.summary.points.len() as u64, "row", "rows");
        return match view.process_range() {
            Some((_, most)) if most > 1 => format!(
                "{rows} as published, up to {most} {} a row",
                origin.unit_of_repetition
            ),
            _ => format!("{rows} as published, one figure each: how they vary is unknown"),
        };
    }
    let processes = match view.process_range() {
        Some((few, many)) if few < many => format!("{few} to {many} processes a point"),
        Some((_, many)) => counted(many, "process a point", "processes a point"),
        None => "no processes".to_owned(),
    };
    // A run that ends early leaves points out, which no interval tells.
    let unreached = match view.unreached() {
        0 => String::new(),
        n => format!(
            ", {} of {} points not reached",
            numbers::count(n),
            numbers::count(view.summary.points.len() as u64)
        ),
    };
    let processes = format!("{processes}{unreached}");
    let shares: Vec<f64> = valued(view).filter_map(findings::share).collect();
    let Some(half) = quantile(&shares, 0.5) else {
        return format!("{processes}; no intervals");
    };
    let wide = shares.iter().filter(|share| **share > WIDE).count();
    let alone = valued(view).filter(|p| p.value.is_some_and(|v| v.range.is_none()));
    // Where some points have no interval, half of the intervals is not half of the points.
    let (what, without) = match alone.count() as u64 {
        0 => ("points", String::new()),
        n => ("intervals", format!(", {} without one", numbers::count(n))),
    };
    format!(
        "{processes}; half of the {what} within ±{}, {} of {} wider than ±{}{without}",
        percent(half),
        numbers::count(wide as u64),
        numbers::count(valued(view).count() as u64),
        percent(WIDE),
    )
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn one_sentence_without_its_details() {
        assert_eq!(
            shortened("It is 3.5 ns. Waking is a candidate."),
            "It is 3.5 ns."
        );
        assert_eq!(shortened("As in e.g. this."), "As in e.g. this.");
        let details = "x; ".repeat(60);
        assert_eq!(
            shortened(&format!(
                "41 of 110 points are known to no better than ±10 %, worst: {details}."
            )),
            "41 of 110 points are known to no better than ±10 %."
        );
        let list = format!("Not measured here: {details}.");
        assert_eq!(shortened(&list), list);
    }
}
