//! A comparison as Markdown, for tickets and mails.

use std::fmt::Write;

use whyslow_compare::is_real;
use whyslow_model::comparison::{Comparison, Verdict};

use super::groups::{all, span};
use super::real::{ordered, sized};
use super::rest::{by_family, in_modes, mode, more_modes};
use super::words;
use crate::numbers::counted;
use crate::text::{TIE, cleaned};

/// The text. Names are escaped, so that no record can add markup.
pub(crate) fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(comparison, &mut out);
    out.replace(TIE, " ")
}

fn write(comparison: &Comparison, out: &mut String) -> std::fmt::Result {
    let side = |side: &whyslow_model::comparison::Side| {
        let systems = side.systems.join(", ");
        let records = side.records.join(", ");
        escaped(&if systems.is_empty() {
            records
        } else {
            format!("{systems} ({records})")
        })
    };
    writeln!(
        out,
        "- A: {}\n- B: {}",
        side(&comparison.a),
        side(&comparison.b)
    )?;
    for claim in &comparison.scope.claims {
        writeln!(out, "- {}", escaped(claim))?;
    }
    for objection in &comparison.objections {
        let mark = if objection.forbids {
            "**not comparable:** "
        } else {
            ""
        };
        writeln!(out, "- {mark}{}", escaped(&objection.text))?;
    }
    let changes = comparison.hosts.state.iter().chain(&comparison.hosts.facts);
    let changes: Vec<_> = changes.collect();
    if !changes.is_empty() {
        writeln!(out, "\n| differs | A | B |\n|---|---|---|")?;
        for change in changes {
            writeln!(
                out,
                "| {} | {} | {} |",
                escaped(&change.what),
                escaped(&words::fact(&change.before)),
                escaped(&words::fact(&change.after))
            )?;
        }
    }
    let real = ordered(comparison);
    let count = comparison
        .points
        .iter()
        .filter(|p| is_real(&p.verdict))
        .count();
    writeln!(
        out,
        "\n{}: **{}**",
        counted(comparison.points.len() as u64, "point", "points"),
        match (count, comparison.rules.tested) {
            (_, 0) => "no test".to_owned(),
            (0, _) => "no real difference".to_owned(),
            (n, _) => counted(n as u64, "real difference", "real differences"),
        }
    )?;
    for said in words::conditions(comparison) {
        writeln!(out, "\n{}", escaped(&said))?;
    }
    if let Some(table) = &comparison.load {
        write!(
            out,
            "\n{}",
            crate::load::markdown(std::slice::from_ref(table))
        )?;
    }
    if !real.is_empty() {
        let coverage = words::share(comparison.rules.selected_coverage);
        writeln!(
            out,
            "\n| point | | B against A | {coverage} | A to B | |\n|---|---|--:|---|---|---|"
        )?;
        for point in real {
            let ratio = point.ratio.unwrap_or(1.0);
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                escaped(&words::name(point)),
                words::direction(point),
                words::ratio(ratio),
                point
                    .range
                    .map_or(String::new(), |r| words::range(ratio, r)),
                escaped(&words::values(point)),
                sized(point)
            )?;
        }
    }
    groups(comparison, out)?;
    let (points, more) = in_modes(comparison);
    for (point, real) in points {
        writeln!(out, "\nModes: {}", escaped(&mode(point, real).text()))?;
    }
    if more > 0 {
        writeln!(out, "\n{}", more_modes(more))?;
    }
    let margin = words::share(comparison.rules.margin);
    for (what, wanted) in [
        (format!("the same within ±{margin}"), false),
        ("undecided".to_owned(), true),
    ] {
        let families = by_family(comparison, |v| match v {
            Verdict::Same => !wanted,
            Verdict::Undecided { .. } => wanted,
            _ => false,
        });
        if !families.is_empty() {
            let parts = families
                .iter()
                .map(|(name, points)| format!("{} {}", escaped(name), points.len()));
            writeln!(out, "\n{what}: {}", parts.collect::<Vec<_>>().join(", "))?;
        }
    }
    Ok(())
}

fn groups(comparison: &Comparison, out: &mut String) -> std::fmt::Result {
    let Some(first) = comparison.groups.first() else {
        return Ok(());
    };
    let remark = if first.real {
        ""
    } else {
        " (ratios alone, no claim about chance)"
    };
    writeln!(out, "\nMoved together, B against A{remark}:\n")?;
    for group in &comparison.groups {
        let members: Vec<String> = group
            .members
            .iter()
            .map(|m| {
                format!(
                    "{} {} ({})",
                    escaped(&m.name),
                    span(comparison, [m.low, m.high], &m.points),
                    m.points.len()
                )
            })
            .collect();
        writeln!(
            out,
            "- {}: {}",
            span(comparison, [group.low, group.high], &all(group)),
            members.join(", ")
        )?;
    }
    Ok(())
}

/// Without what Markdown or HTML would take for markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in cleaned(text).chars() {
        if matches!(
            c,
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
