//! How well published cases are explained: on the terminal, and as a page of the documentation.

use std::fmt::Write;

use whyslow_model::cases::{CaseKind, CaseScore, CasesCheck};

use crate::Look;
use crate::grid::Grid;
use crate::page::Screen;
use crate::text::{Style, Text};

fn kind(case: &CaseScore) -> &'static str {
    match case.kind {
        CaseKind::Explained if case.knowable => "a cause",
        CaseKind::Explained => "not knowable",
        CaseKind::Null => "nothing",
        CaseKind::Disputed => "disputed",
    }
}

/// `first`, `second`, `4th`, `-`.
fn rank(case: &CaseScore) -> String {
    match case.rank {
        _ if case.kind == CaseKind::Disputed => "-".to_owned(),
        Some(1) => "first".to_owned(),
        Some(2) => "second".to_owned(),
        Some(more) => format!("place {more}"),
        None => "not named".to_owned(),
    }
}

/// Of how many, how many.
fn share<'c>(
    cases: impl Iterator<Item = &'c CaseScore>,
    good: impl Fn(&CaseScore) -> bool,
) -> String {
    let (mut all, mut right) = (0u32, 0u32);
    for case in cases {
        all += 1;
        right += u32::from(good(case));
    }
    let percent = 100.0 * f64::from(right) / f64::from(all.max(1));
    format!("{right} of {all} ({percent:.0} %)")
}

/// The half of the corpus that is scored and not looked at: its cases are not listed.
const SEALED: &str = "sealed";

/// The cases by the half that they are in, in the order of the folders.
fn halves(check: &CasesCheck) -> Vec<(&str, Vec<&CaseScore>)> {
    let mut halves: Vec<(&str, Vec<&CaseScore>)> = Vec::new();
    for case in &check.cases {
        match halves.iter_mut().find(|(half, _)| *half == case.half) {
            Some((_, cases)) => cases.push(case),
            None => halves.push((&case.half, vec![case])),
        }
    }
    halves
}

fn totals(cases: &[&CaseScore]) -> Vec<(&'static str, String)> {
    let cases = || cases.iter().copied();
    let files: u32 = cases().map(|c| c.files).sum();
    let read: u32 = cases().map(|c| c.files_read).sum();
    vec![
        ("files read", format!("{read} of {files}")),
        (
            "cases with every value, to a tenth",
            share(cases(), CaseScore::is_imported),
        ),
        ("compared right", share(cases(), CaseScore::is_compared)),
        (
            "of these, with rows whose direction is not known",
            share(cases().filter(|c| c.is_compared()), |c| {
                c.rows_undirected > 0
            }),
        ),
        (
            "right cause first",
            share(cases().filter(|c| c.has_cause()), |c| c.rank == Some(1)),
        ),
        (
            "right cause first or second",
            share(cases().filter(|c| c.has_cause()), CaseScore::is_explained),
        ),
        (
            "of these, named by how often causes are behind such rows alone",
            share(
                cases().filter(|c| c.has_cause() && c.is_explained()),
                CaseScore::is_by_rate,
            ),
        ),
        (
            "nothing said of nothing",
            share(cases().filter(|c| c.kind == CaseKind::Null), |c| {
                c.wrong.is_empty()
            }),
        ),
        ("confidently wrong", share(cases(), |c| !c.wrong.is_empty())),
    ]
}

fn cells(case: &CaseScore) -> [String; 5] {
    [
        kind(case).to_owned(),
        format!("{} of {}", case.values_read, case.values),
        format!("{} of {}", case.rows_right, case.rows),
        rank(case),
        match (case.named.first(), case.wrong.is_empty()) {
            (Some(first), true) => first.clone(),
            (_, false) => format!("wrong: {}", case.wrong.join(", ")),
            (None, true) => "-".to_owned(),
        },
    ]
}

const HEADS: [&str; 5] = ["known", "values", "rows", "the cause", "named first"];

/// The terminal's page.
pub(crate) fn page(check: &CasesCheck, look: Look) -> String {
    let mut page = Screen::new(look);
    page.heading("PUBLISHED CASES", &check.folder);
    let mut grid = Grid::new(HEADS.map(str::to_owned));
    for case in check.cases.iter().filter(|c| c.half != SEALED) {
        let cells = cells(case).map(|text| vec![Text::plain(text)]);
        grid.row(format!("  {}", case.name), cells.to_vec());
    }
    if !grid.is_empty() {
        page.grid(&grid);
    }
    for (half, cases) in halves(check) {
        page.heading("IN SHORT", half);
        for (what, text) in totals(&cases) {
            page.flow(
                2,
                4,
                Text::strong(what).and(Style::Plain, format!(": {text}")),
            );
        }
    }
    page.finish()
}

/// The same as Markdown.
pub(crate) fn markdown(check: &CasesCheck) -> String {
    let mut out = String::from(
        "# Published cases\n\n\
         Made by `whyslow selfcheck --cases cases --format markdown`: results that others published, each with a cause\n\
         known to its author or reviewers ([cases/](../cases/README.md)). The tool is given the files and what the\n\
         publication says of the machines. Cases of the sealed half are scored and not listed: they are not looked at while the\n\
         engine changes.\n",
    );
    for (half, cases) in halves(check) {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "\n## The {half} half\n");
        for (what, text) in totals(&cases) {
            let _ = writeln!(out, "- {what}: {text}");
        }
        if half == SEALED {
            continue;
        }
        let _ = writeln!(
            out,
            "\n| case | {} |\n|---{}|",
            HEADS.join(" | "),
            "|---".repeat(HEADS.len())
        );
        for case in cases {
            let _ = writeln!(out, "| {} | {} |", case.name, cells(case).join(" | "));
        }
    }
    out
}
