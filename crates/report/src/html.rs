//! The report as one page: HTML that needs nothing but itself.
//!
//! Everything that is shown is written here, charts as SVG and the table behind each; the script adds
//! values under the pointer, sorting, filtering and the samples. No name, note or path of a record is
//! ever HTML: templates escape, `text` cuts, and a policy in the page lets no other script run and
//! nothing be fetched.

mod answer;
mod color;
mod figure;
mod fleet;
mod hosts;
mod method;
mod packed;
mod points;
mod ranking;
mod samples;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use whyslow_model::catalog::Standing;
use whyslow_model::explanation::Explanation;

use crate::Report;
use crate::charts::{self, Figure, Figures, Side};
use crate::drawing::{COLORS, rules};
use crate::summary::catalog::place;
pub(crate) use color::{map as color_map, page as color, run as color_run};
pub(crate) use fleet::page as fleet;
use words::{cut, text};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// For a page with the part of that anchor.
const SAMPLES: (&str, &str) = ("samples", include_str!("html/samples.js"));

/// A part of the page: its anchor, its name in the navigation, and what it says.
struct Section {
    anchor: &'static str,
    name: &'static str,
    content: Markup,
}

/// The whole page.
pub(crate) fn page(report: &Report<'_>) -> String {
    let sides = charts::sides(report.records);
    let ranking = charts::ranking(report.comparisons);
    // What can be told apart by color is drawn together; the ranking has all.
    let others = sides.len().saturating_sub(1);
    let drawn = Report {
        records: &report.records[..sides.len()],
        comparisons: &report.comparisons[..others.min(report.comparisons.len())],
        // An experiment has no record beside it.
        explanations: &report.explanations[..sides.len().max(1).min(report.explanations.len())],
        ..*report
    };
    let figures = charts::figures(&sides, drawn.comparisons);
    let mut sections = sections(&drawn, &sides, &figures, ranking.is_none());
    if let Some(ranking) = &ranking {
        ranked(&mut sections, ranking, report);
    }
    let many = report.records.len();
    let title = match many > sides.len() {
        true => format!(
            "{many} records beside {}",
            sides.first().map_or("", |a| a.short_name())
        ),
        false => title(&sides, report.explanations),
    };
    let header = html! {
        h1 { (text(&title)) }
        @if many > sides.len() {
            p { "A is " strong { (text(sides.first().map_or("", |a| a.name))) } ". Charts of several records together show \
                 the first " (sides.len()) ", which can be told apart; the ranking has all." }
        } @else {
            ul.sides.many[sides.len() > words::FEW] { @for side in &sides { li { (words::brief(side, &sides)) } } }
        }
    };
    whole(&title, &header, &sections, report.version)
}

/// A page of `sections` below `header`.
fn whole(title: &str, header: &Markup, sections: &[Section], version: &str) -> String {
    let samples = sections.iter().any(|s| s.anchor == SAMPLES.0);
    let script = format!("{SCRIPT}{}", if samples { SAMPLES.1 } else { "" });
    // The browser takes the script and the style that carry this word and no other. It is made from the page, so
    // nothing within the page can know it.
    let mut hash = blake3::Hasher::new();
    sections.iter().for_each(|s| {
        hash.update(s.content.0.as_bytes());
    });
    let nonce = hash.finalize().to_hex();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "whyslow " (version) };
                link rel="icon" href="data:,";
                title { (cut(title, 200)) }
                style nonce=(nonce) { (PreEscaped(style())) }
            }
            body {
                a.skip href={ "#" (sections.first().map_or("", |s| s.anchor)) } { "Skip to the answer" }
                header {
                    button #theme type="button" aria-label="Theme: light or dark" hidden { "◐" span.wide { " Theme" } }
                    (header)
                }
                @if sections.len() > 1 {
                    nav aria-label="Parts of this page" { div {
                        @for section in sections { a href={ "#" (section.anchor) } { (section.name) } }
                    } }
                }
                main {
                    @for (at, section) in sections.iter().enumerate() {
                        section #(section.anchor) aria-labelledby={ "h-" (section.anchor) } {
                            // The answer needs no title to be seen, and the first screen has other uses.
                            h2.skip[at == 0] id={ "h-" (section.anchor) } { (section.name) }
                            (section.content)
                        }
                    }
                }
                footer {
                    "Made by whyslow " (version) ". This page needs no network and sends nothing."
                }
                div #tip hidden {}
                div #spoken.skip role="status" aria-live="polite" {}
                script nonce=(nonce) { (PreEscaped(&script)) }
            }
        }
    };
    page.into_string()
}

/// The style with the colors of both themes.
fn style() -> String {
    let values = |dark: bool| {
        let all = COLORS
            .iter()
            .map(|(name, light, night)| format!("--{name}:{};", if dark { night } else { light }));
        all.collect::<String>()
    };
    let (light, dark) = (values(false), values(true));
    let classes = rules(|name| format!("var(--{name})"));
    format!(
        ":root{{{light}}}\n\
         @media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}\n\
         :root[data-theme=dark]{{{dark}color-scheme:dark}}\n\
         :root[data-theme=light]{{color-scheme:light}}\n\
         @media print{{:root,:root[data-theme=dark],:root:not([data-theme=light]){{{light}color-scheme:light}}}}\n\
         {classes}{STYLE}"
    )
}

fn title(sides: &[Side<'_>], explanations: &[Explanation]) -> String {
    let names: Vec<String> = sides.iter().map(words::system).collect();
    let what = |side: &Side<'_>| match &side.record.origin {
        Some(_) => "published figures",
        None if crate::load::is_load(side.record) => "a command under load",
        None => "what whyslow measured",
    };
    match names.as_slice() {
        // Causes were switched on the host, and no record is beside them.
        [] => match explanations.first().map(|found| found.a.as_str()) {
            Some(host) => format!("Experiments on {host}"),
            None => "whyslow report".to_owned(),
        },
        [one] => format!("{one}: {}", sides.first().map_or("", what)),
        [a, b] if a == b => format!("{a}: two records compared"),
        [a, rest @ ..] if rest.iter().all(|b| b == a) => {
            format!("{a}: {} records compared", names.len())
        }
        [a, rest @ ..] => format!("{a} against {}", rest.join(", ")),
    }
}

/// Puts the order of several records in front of what is said of pairs.
fn ranked(sections: &mut Vec<Section>, ranking: &charts::Ranking, report: &Report<'_>) {
    let charts = ranking::charts(ranking, report);
    let mut first = vec![Section {
        anchor: "answer",
        name: "Answer",
        content: html! {
            @if let Some(answer) = ranking::answer(ranking, report) { (answer) }
            @if let Some(chart) = ranking::chart(ranking, report) {
                div.hero { (figure::hero(&chart, &mut figure::Ids::starting("r", &[]))) }
            }
            (ranking::table(ranking, report))
        },
    }];
    first.extend(charts.map(|content| Section {
        anchor: "each",
        name: "Each record",
        content,
    }));
    sections.splice(0..0, first);
}

/// The parts that these records have something for; `alone` where no ranking stands in front of them.
fn sections(
    report: &Report<'_>,
    sides: &[Side<'_>],
    figures: &Figures,
    alone: bool,
) -> Vec<Section> {
    let mut heroes = figure::Ids::starting("h", sides);
    let tried = charts::experiments(report.explanations);
    let hero = tried.as_ref().or_else(|| figures.hero(report.comparisons));
    let hero = hero.map(|one| figure::hero(one, &mut heroes));
    let (anchor, name) = match alone {
        true => ("answer", "Answer"),
        false => ("pairs", "Beside A"),
    };
    let mut sections = vec![Section {
        anchor,
        name,
        content: answer::section(report, sides, hero),
    }];
    let mut add = |anchor, name, content: Option<Markup>| {
        sections.extend(content.map(|content| Section {
            anchor,
            name,
            content,
        }));
    };
    let mut ids = figure::Ids::starting("t", sides);
    let mut charts = |figures: &[&Figure]| {
        (!figures.is_empty()).then(|| {
            html! { @for one in figures { (figure::figure(one, &mut ids)) } }
        })
    };
    let forest: Vec<&Figure> = figures.forest.iter().collect();
    let drawn = charts(&forest);
    add(
        "differences",
        "Differences",
        (!figures.ratios.is_empty())
            .then(|| answer::differences(report, sides, drawn, &figures.ratios)),
    );
    add("load", "Load", charts(&refs(&figures.load)));
    let latency: Vec<&Figure> = figures.latency.iter().chain(&figures.strides).collect();
    add("latency", "Latency", charts(&latency));
    let bandwidth: Vec<&Figure> = figures.bandwidth.iter().collect();
    add("bandwidth", "Bandwidth", charts(&bandwidth));
    add("cores", "Core to core", charts(&refs(&figures.cores)));
    let among = charts::catalog(report.standings);
    add(
        "catalog",
        "Catalog",
        catalog(report.standings, charts(&refs(&among))),
    );
    let others: Vec<&Figure> = figures.values.iter().chain(&figures.families).collect();
    add("values", "Other values", charts(&others));
    let strip: Vec<&Figure> = figures.strip.iter().collect();
    add("run", "The run", charts(&strip));
    let spread: Vec<&Figure> = figures.variance.iter().chain(&figures.rounds).collect();
    add("variance", "Variance", charts(&spread));
    add("points", "Every point", points::section(sides));
    add(SAMPLES.0, "Samples", samples::section(report, sides));
    let cards = html! { @for side in sides { (words::side(side, sides.len() > 1)) } };
    add("records", "Records", (!sides.is_empty()).then_some(cards));
    add("hosts", "Hosts", hosts::section(sides));
    add("notes", "Notes", method::notes(sides));
    add(
        "method",
        "How it is measured",
        method::section(report, sides),
    );
    sections
}

/// Where the values stand, in words and as charts.
fn catalog(standings: &[Standing], drawn: Option<Markup>) -> Option<Markup> {
    let drawn = drawn?;
    Some(html! {
        ul { @for standing in standings {
            li { (text(&standing.title)) ": " strong { (text(&place(standing))) } }
        } }
        (drawn)
    })
}

fn refs(figures: &[Figure]) -> Vec<&Figure> {
    figures.iter().collect()
}
