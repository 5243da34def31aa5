//! How well planted causes were named: on the terminal, and as a page of the documentation.

use std::fmt::Write;

use whyslow_model::planted::{CausesCheck, Score};

use crate::Look;
use crate::grid::Grid;
use crate::page::Screen;
use crate::text::{Style, Text};

/// The terminal's page.
pub(crate) fn page(check: &CausesCheck, look: Look) -> String {
    let mut page = Screen::new(look);
    page.flow(
        0,
        0,
        Text::strong(format!(
            "Planted causes, explained from two short records each (seed {}, {} processes a point)",
            check.seed, check.rounds
        )),
    );
    let rows = &check.rows;
    let heads = ["times", "first", "near", "named first"].map(str::to_owned);
    let mut grid = Grid::new(heads);
    for row in rows {
        let cell = |text: String| vec![Text::plain(text)];
        grid.row(
            format!("  {}", row.plant),
            vec![
                cell(row.trials.to_string()),
                cell(row.first.to_string()),
                cell(row.near.to_string()),
                cell(answers(row)),
            ],
        );
    }
    page.heading("WHAT WAS NAMED", "near: one place further back at most");
    page.grid(&grid);
    for (kind, all) in kinds(rows) {
        page.flow(
            2,
            4,
            Text::strong(kind).and(Style::Plain, format!(": {}", summed(&all))),
        );
    }
    if !check.skipped.is_empty() {
        page.heading("NOT PLANTED", "");
        for skipped in &check.skipped {
            page.flow(
                2,
                4,
                Text::strong(&skipped.what).and(Style::Plain, format!(": {}", skipped.why)),
            );
        }
    }
    page.finish()
}

/// The same as Markdown, with the answers.
pub(crate) fn markdown(check: &CausesCheck) -> String {
    let rows = &check.rows;
    let mut out = String::from(
        "# Planted causes\n\n\
         Made by `whyslow selfcheck --causes --format markdown`. A trial measures two short records of one host, one\n\
         of them with a cause planted around the whole run, and hands both to what `whyslow explain` uses, which\n\
         knows nothing else. *First*: the planted cause, or \"nothing\" where nothing was planted, before all others;\n\
         of two planted causes, both before all others. *Named first* is what came first, with how often.\n\n",
    );
    // Writing to a text cannot fail.
    let _ = writeln!(
        out,
        "Host: {}. Seed {}, {} processes a point, two records a trial.\n",
        check.host, check.seed, check.rounds
    );
    out += "| planted | times | first | first or one back | named first |\n|---|---|---|---|---|\n";
    for row in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            row.plant,
            row.trials,
            row.first,
            row.near,
            answers(row)
        );
    }
    out.push('\n');
    for (kind, all) in kinds(rows) {
        let _ = writeln!(out, "- {kind}: {}", summed(&all));
    }
    for skipped in &check.skipped {
        let _ = writeln!(out, "- not planted: {}: {}", skipped.what, skipped.why);
    }
    out
}

/// Rows by what they are: one cause, nothing, two causes.
fn kinds(rows: &[Score]) -> Vec<(&'static str, Vec<&Score>)> {
    let of = |wanted: fn(&Score) -> bool| rows.iter().filter(|r| wanted(r)).collect::<Vec<_>>();
    let all = vec![
        (
            "one cause",
            of(|r| r.planted.len() == 1 && r.planted[0] != "nothing"),
        ),
        (
            "nothing",
            of(|r| r.planted.len() == 1 && r.planted[0] == "nothing"),
        ),
        ("two causes", of(|r| r.planted.len() > 1)),
    ];
    all.into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .collect()
}

/// `5 of 6 first (83 %), 6 of 6 first or one place back (100 %), 6 of 6 named (100 %)`.
fn summed(rows: &[&Score]) -> String {
    let sum = |f: fn(&Score) -> u32| rows.iter().map(|r| f(r)).sum::<u32>();
    let (all, first, near) = (sum(|r| r.trials), sum(|r| r.first), sum(|r| r.near));
    let named = sum(|r| r.named);
    let percent = |n: u32| 100.0 * f64::from(n) / f64::from(all.max(1));
    format!(
        "{first} of {all} first ({:.0} %), {near} of {all} first or one place back ({:.0} %), {named} of {all} named ({:.0} %)",
        percent(first),
        percent(near),
        percent(named)
    )
}

fn answers(row: &Score) -> String {
    let all = row.answers.iter();
    let each: Vec<String> = all
        .map(|(cause, n)| {
            if *n == row.trials {
                cause.clone()
            } else {
                format!("{cause} {n}")
            }
        })
        .collect();
    each.join(", ")
}
