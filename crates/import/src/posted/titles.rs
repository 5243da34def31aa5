//! What a figure of a posted table is called: its system and its row.

use std::collections::BTreeSet;

use super::names::{is_run, is_statistic};
use super::{Header, PostedRow, Section, Whose};

/// Its system and its row.
pub(crate) struct Named {
    pub(crate) system: String,
    pub(crate) title: String,
}

/// What the figure of `row` below `column` is called.
pub(crate) fn named(
    row: &PostedRow,
    column: &str,
    header: &Header,
    whose: Whose,
    section: &Section,
    dashed: &BTreeSet<String>,
) -> Named {
    if let Some((test, side)) = row.label.rsplit_once(" - ")
        && dashed.contains(side)
    {
        return Named {
            system: side.to_owned(),
            title: test.to_owned(),
        };
    }
    if let Some((what, side)) = header.crossed().and_then(|mut all| all.remove(column)) {
        return Named {
            system: side,
            title: format!("{} {what}", row.label),
        };
    }
    let numeric = !row.label.chars().any(char::is_alphabetic);
    let label = if numeric && !header.label.is_empty() {
        format!("{} {}", header.label, row.label)
    } else {
        row.label.clone()
    };
    let plain = [
        "value", "result", "results", "score", "mean", "average", "avg",
    ];
    // Beside `min` and `max` the mean needs its name.
    let summed = header.names().filter(|name| is_statistic(name)).count() > 1;
    let nameless =
        column.is_empty() || (!summed && plain.iter().any(|p| p.eq_ignore_ascii_case(column)));
    match whose {
        Whose::Sides => {
            let title = match (nameless, section.name.as_str()) {
                (false, _) => column.to_owned(),
                (true, section) if header.keyed => format!("{section} {column}"),
                (true, "") => "result".to_owned(),
                (true, section) => section.to_owned(),
            };
            Named {
                system: without_run(&label).to_owned(),
                title,
            }
        }
        // Below `Runs   Time(ns)` each row is a run.
        Whose::Tests if numeric && is_run(&label) && (header.quantities || nameless) => Named {
            system: String::new(),
            title: match (column, section.name.as_str()) {
                ("", "") => "result".to_owned(),
                ("", section) => section.to_owned(),
                (column, _) => column.to_owned(),
            },
        },
        // Rows of runs are one row again.
        Whose::Tests if is_run(&label) => Named {
            system: column.to_owned(),
            title: match section.name.as_str() {
                "" => "result".to_owned(),
                section => section.to_owned(),
            },
        },
        Whose::Tests if header.quantities && header.names().count() > 1 => Named {
            system: String::new(),
            title: format!("{label} {column}"),
        },
        Whose::Tests => Named {
            // Beside another side the name is one itself.
            system: if (nameless && header.names().count() < 2) || header.quantities {
                String::new()
            } else {
                column.to_owned()
            },
            // Figures without a label are of what stands above them.
            title: match (label.as_str(), section.name.as_str()) {
                ("", "") => "result".to_owned(),
                ("", section) => section.to_owned(),
                (label, _) => label.to_owned(),
            },
        },
    }
}

/// The name of a side without the number of its run, `glibc 2.30 run 2`.
fn without_run(label: &str) -> &str {
    let Some((name, number)) = label.rsplit_once([' ', '#']) else {
        return label;
    };
    let name = name.trim_end();
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match name.strip_suffix("run").map(str::trim_end) {
        Some(name) if is_number && !name.is_empty() => name,
        _ => label,
    }
}
