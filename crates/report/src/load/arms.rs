//! Arms of a load, before and after: real, user and system time, level by level.

use whyslow_model::Unit;
use whyslow_model::load::{LoadChange, LoadDesign, LoadTable, LoadVerdict};

use crate::grid::{Cell, Grid};
use crate::numbers::{Scale, counted, number};
use crate::page::Screen;
use crate::text::{Text, cleaned};

/// What a row without parameters is called.
const WHOLE: &str = "the command";

/// The table on the terminal, and what it comes to.
pub(crate) fn section(table: &LoadTable, page: &mut Screen) {
    page.heading(
        "BEFORE AND AFTER",
        &format!("{} → {}; {}", table.before, table.after, remark(table)),
    );
    let mut grid = Grid::new(["real", "user", "system"].map(str::to_owned));
    for row in &table.rows {
        let cells = row.quantities().map(|(_, change)| -> Cell {
            let gain = gain(change);
            let shown = matches!(change.verdict, LoadVerdict::Less | LoadVerdict::Longer);
            let gain = match shown {
                true => Text::plain(gain),
                false => Text::dim(gain),
            };
            vec![Text::plain(times(change)), gain]
        });
        grid.row(name(&row.name), cells.into());
    }
    page.grid(&grid);
    page.flow(0, 2, Text::plain(short(table)));
}

/// The tables as Markdown, a line a level.
pub(crate) fn markdown(tables: &[LoadTable]) -> String {
    let mut out = String::new();
    for table in tables {
        let (before, after) = (escaped(&table.before), escaped(&table.after));
        if !out.is_empty() {
            out.push('\n');
        }
        out += &format!("{before} → {after}; {}\n\n", remark(table));
        out += "| level | real | user | system |\n|---|---|---|---|\n";
        for row in &table.rows {
            let cells = row
                .quantities()
                .map(|(_, change)| format!("{}, {}", times(change), gain(change)));
            out += &format!("| {} | {} |\n", escaped(name(&row.name)), cells.join(" | "));
        }
        out += &format!("\n{}\n", escaped(&short(table)));
    }
    out
}

fn name(name: &str) -> &str {
    match name {
        "" => WHOLE,
        name => name,
    }
}

/// What the intervals are.
fn remark(table: &LoadTable) -> String {
    let units = table.rows.iter().map(|row| row.real.units).min();
    let units = u64::from(units.unwrap_or(0));
    let how = match table.design {
        LoadDesign::Blocks => counted(
            units,
            "pair of runs there and back",
            "pairs of runs there and back",
        ),
        LoadDesign::Records => counted(units, "run a side", "runs a side"),
    };
    let together = match table.corrected_for {
        0 | 1 => String::new(),
        n => format!(", all {n} together"),
    };
    format!("% of the time [95 % interval{together}; - less, + longer]; {how}")
}

/// `12.3 → 11.0 s`.
fn times(change: &LoadChange) -> String {
    let [before, after] = [change.before.mean_s, change.after.mean_s].map(|s| 1e9 * s);
    let scale = Scale::of(Unit::Ns, before.max(after));
    let told = |ns: f64| number(ns / scale.by);
    format!("{} → {} {}", told(before), told(after), scale.name)
}

/// `10.2 % less [8.1, 12.3]`.
fn gain(change: &LoadChange) -> String {
    let Some(ratio) = &change.ratio else {
        return "cannot be told".to_owned();
    };
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let [lo, hi] = ratio.range.map(percent);
    let value = percent(ratio.value);
    let small = |v: &f64| v.abs() < 9.5;
    let digits = usize::from(match change.verdict {
        LoadVerdict::Less | LoadVerdict::Longer => [lo, hi, value].iter().any(small),
        LoadVerdict::NotShown | LoadVerdict::Unknown => [lo, hi].iter().all(small),
    });
    match change.verdict {
        LoadVerdict::Less => format!(
            "{:.digits$} % less [{:.digits$}, {:.digits$}]",
            -value, -hi, -lo
        ),
        LoadVerdict::Longer => {
            format!("{value:.digits$} % longer [{lo:.digits$}, {hi:.digits$}]")
        }
        LoadVerdict::NotShown | LoadVerdict::Unknown => {
            format!("not shown [{lo:+.digits$}, {hi:+.digits$}]")
        }
    }
}

/// What all of it comes to.
pub(super) fn short(table: &LoadTable) -> String {
    let mut parts = Vec::new();
    for (verdict, word) in [(LoadVerdict::Less, "less"), (LoadVerdict::Longer, "longer")] {
        for at in 0..3 {
            let found = table.rows.iter().filter_map(|row| {
                let (quantity, change) = row.quantities()[at];
                (change.verdict == verdict).then_some((quantity, name(&row.name)))
            });
            let found: Vec<(&str, &str)> = found.collect();
            if let Some((quantity, _)) = found.first() {
                let rows: Vec<&str> = found.iter().map(|(_, row)| *row).collect();
                let rows = match rows.len() == table.rows.len() && rows.len() > 1 {
                    true => "all levels".to_owned(),
                    false => rows.join(", "),
                };
                let rows = match rows.as_str() {
                    WHOLE => String::new(),
                    rows => format!(" at {rows}"),
                };
                parts.push(format!("{word} {quantity} time{rows}"));
            }
        }
    }
    let all = || table.rows.iter().flat_map(|row| row.quantities());
    match parts.is_empty() {
        false => format!(
            "{} takes {}; no other difference is shown.",
            table.after,
            parts.join(", ")
        ),
        true if all().all(|(_, c)| c.verdict == LoadVerdict::Unknown) => {
            "Nothing can be told of so few runs: more with --repeat.".to_owned()
        }
        true => format!(
            "No difference between {} and {} is shown, in real, user or system time{}.",
            table.before,
            table.after,
            match table.rows.len() {
                1 => "",
                _ => " at any level",
            }
        ),
    }
}

/// Without what Markdown or HTML would take for markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in cleaned(text).chars() {
        if "|\\`*_<>[]#".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
