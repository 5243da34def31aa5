//! A record in a few lines, for a program that asks.

use whyslow_model::Unit;
use whyslow_model::record::Record;
use whyslow_model::summary::{PointSummary, Summary};

use crate::digest::Digest;
use crate::numbers;
use crate::text::{TIE, cleaned};
use crate::view::View;

/// Points that are listed before the rest is counted.
const LISTED: usize = 40;

/// Findings likewise: they are in order of importance.
const FOUND: usize = 6;

/// The text.
pub(crate) fn text(record: &Record, summary: &Summary) -> String {
    let view = View::new(record, summary);
    let digest = Digest::of(&view);
    let head = [&digest.name, &digest.machine, &digest.when];
    let head: Vec<&str> = head
        .map(String::as_str)
        .into_iter()
        .filter(|t| !t.is_empty())
        .collect();
    let mut lines = vec![head.join("; ")];
    for level in &digest.levels {
        let latency = numbers::full(Unit::Ns, &level.latency).text();
        let size = level.size.as_ref().map(|bytes| {
            let scale = numbers::Scale::bytes(bytes.value);
            format!(", effective size {}", numbers::scaled(bytes, scale).text())
        });
        lines.push(format!(
            "{}: {latency} a load{}",
            level.name,
            size.unwrap_or_default()
        ));
    }
    for figure in &digest.figures {
        let value = numbers::full(figure.unit, &figure.value).text();
        lines.push(format!("{}: {value}", figure.name));
    }
    if digest.levels.is_empty() {
        lines.extend(points(&view));
    }
    if !digest.findings.is_empty() {
        lines.push("what stands out:".to_owned());
    }
    lines.extend(
        digest
            .findings
            .iter()
            .take(FOUND)
            .map(|text| format!("- {text}")),
    );
    lines.push(format!("how sure: {}", digest.sure));
    lines.push(format!("scope: {}", scope(record)));
    lines.iter().fold(String::new(), |text, line| {
        text + &cleaned(&line.replace(TIE, " ")) + "\n"
    })
}

/// How far the numbers reach: as far as what was repeated.
fn scope(record: &Record) -> &'static str {
    match record.origin {
        Some(_) => "figures as another tool printed them; how they were measured is not checked",
        None => {
            "processes of one boot of one host, intervals of 95 % over them: it supports claims about this host as it was \
             then, not about other boots, or other machines of the model"
        }
    }
}

fn points(view: &View<'_>) -> Vec<String> {
    let points = &view.summary.points;
    let line = |point: &PointSummary| {
        let name = point
            .title
            .as_ref()
            .map_or_else(|| point.point.to_string(), Clone::clone);
        match &point.value {
            Some(value) => format!("{name}: {}", numbers::full(point.unit, value).text()),
            None if !point.classes.is_empty() => {
                let classes = point.classes.iter();
                let each: Vec<String> = classes
                    .map(|c| format!("{} {}", c.class, numbers::full(point.unit, &c.value).text()))
                    .collect();
                format!("{name}: {}", each.join("; "))
            }
            None if !point.series.is_empty() => {
                let series = point.series.iter();
                let each: Vec<String> = series
                    .map(|s| format!("{} {}", s.name, numbers::full(point.unit, &s.value).text()))
                    .collect();
                format!("{name}: {}", each.join("; "))
            }
            None => format!("{name}: no value: {}", view.why_missing(point)),
        }
    };
    let mut lines: Vec<String> = points.iter().take(LISTED).map(line).collect();
    if points.len() > LISTED {
        lines.push(format!("and {} more points", points.len() - LISTED));
    }
    lines
}
