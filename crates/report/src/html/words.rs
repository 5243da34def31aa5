//! Text in the page, and what the sides are called.

use maud::{Markup, PreEscaped, html};
use whyslow_model::shell::quote;

use crate::charts::Side;
use crate::drawing::{glyph, sign};
use crate::summary::entries;
use crate::view::View;

/// Longest running text, in characters: evidence takes some hundreds.
const LONGEST: usize = 1_500;

/// Longest text of a cell.
const CELL: usize = 240;

/// What ids of points begin with.
pub(super) const PLACE: &str = "point=";

/// Longest name of a point in a link.
const POINT: usize = 300;

/// Any text of a record, made harmless: escaped, without control characters, and cut where it is
/// longer than anything that whyslow writes. Commands between backticks are set as code.
pub(super) fn text(text: &str) -> Markup {
    // A number and its sign stay on one line.
    let PreEscaped(escaped) = cut(&text.replace(" %", "\u{a0}%"), LONGEST);
    let parts: Vec<&str> = escaped.split('`').collect();
    // Whatever is not in pairs stays as it is.
    if parts.len().is_multiple_of(2) {
        return PreEscaped(escaped);
    }
    let mut out = String::with_capacity(escaped.len());
    for (at, part) in parts.iter().enumerate() {
        match (at % 2 == 1, part.starts_with("whyslow ")) {
            (false, _) => out += part,
            (true, true) => out += &format!("<code>{part}</code>"),
            (true, false) => out += &format!("`{part}`"),
        }
    }
    PreEscaped(out)
}

/// The same for a cell of a table.
pub(super) fn cell(text: &str) -> Markup {
    cut(text, CELL)
}

/// The same with a limit.
pub(super) fn cut(text: &str, longest: usize) -> Markup {
    PreEscaped(crate::drawing::escaped(text, longest))
}

/// What a record says that it is of, or its file.
pub(super) fn system(side: &Side<'_>) -> String {
    let origin = side.record.origin.as_ref().map(|o| o.system.as_str());
    let host = || side.record.host.as_ref()?.name.value().map(String::as_str);
    let name = origin.filter(|s| !s.is_empty()).or_else(host);
    name.unwrap_or(side.name).to_owned()
}

/// The machine of a side, without its name.
fn machine(side: &Side<'_>) -> Option<String> {
    let known = entries(&View::new(side.record, side.summary));
    let (_, text) = known.into_iter().find(|(name, _)| *name == "machine")?;
    Some(
        text.split_once(": ")
            .map_or(text.clone(), |(_, of)| of.to_owned()),
    )
}

/// The mark of a side in charts, so many pixels wide.
pub(super) fn colored(side: &Side<'_>, wide: u32) -> Markup {
    let class = format!("f{}", side.color);
    html! {
        svg width=(wide) height=(wide) viewBox="0 0 16 16" aria-hidden="true" {
            (PreEscaped(sign(glyph(side.color), &class, (8.0, 8.0), 6.0, "")))
        }
    }
}

/// Where a point stands in the page: the id of its row, and what a link has behind `#`.
pub(super) fn anchor(point: &str) -> String {
    let words: Vec<&str> = point.split_whitespace().collect();
    let name: String = words.join("_").chars().take(POINT).collect();
    format!("{PLACE}{}", name.replace('%', "_"))
}

/// Sides that have a line each in the head of the page; of more, the name alone.
pub(super) const FEW: usize = 3;

/// A side in the head of the page: a line.
pub(super) fn brief(side: &Side<'_>, all: &[Side<'_>]) -> Markup {
    let several = all.len() > 1;
    let short = all.len() > FEW;
    // A phone leaves out the files where something else tells the sides apart.
    let apart = all.iter().filter(|s| system(s) == system(side)).count() == 1;
    // One machine on all sides is said below, with the records.
    let own = machine(side);
    let machine =
        own.filter(|own| !several || all.iter().any(|s| machine(s).as_ref() != Some(own)));
    // Of published figures it would be the day of their import.
    let measured = side.record.origin.is_none();
    let began = side.record.header.started.get(..10).filter(|_| measured);
    html! {
        @if several {
            b { (side.letter) } " "
            (colored(side, 12))
            " "
        }
        @if short {
            (text(side.name))
        } @else {
            strong { (text(&system(side))) }
            span.dim {
                @if side.name != system(side) { span.file[apart] { " " (text(side.name)) } }
                @if let Some(machine) = &machine { " · " (text(machine)) }
                @if let Some(day) = began { " · " span.day { (text(day)) } }
            }
        }
    }
}

/// A side with all that is known of its record.
pub(super) fn side(side: &Side<'_>, several: bool) -> Markup {
    let view = View::new(side.record, side.summary);
    html! {
        div.side.alone[!several] {
            @if several {
                div.letter {
                    (side.letter)
                    (colored(side, 16))
                }
            }
            div {
                strong { (text(&system(side))) }
                " " span.dim.mono { (text(side.name)) }
                dl {
                    @for (name, value) in entries(&view) {
                        dt { (name) } dd { (text(&value)) }
                    }
                    @for (name, value) in published(side) {
                        dt { (name) } dd { (text(&value)) }
                    }
                }
            }
        }
    }
}

/// Commands that list all of each side.
pub(super) fn shown(sides: &[Side<'_>], format: &str) -> Markup {
    html! {
        @for (i, side) in sides.iter().enumerate() {
            @if i > 0 { ", " }
            code { "whyslow show " (cell(&quote(side.name))) " --format " (format) }
        }
    }
}

/// Where published figures come from.
fn published(side: &Side<'_>) -> Vec<(&'static str, String)> {
    let Some(origin) = &side.record.origin else {
        return Vec::new();
    };
    let mut entries = vec![("source", format!("{} ({})", origin.file, origin.format))];
    let sources = side.record.notes.iter().filter(|n| n.about == "source");
    entries.extend(sources.map(|n| ("from", n.text.clone())).take(2));
    entries.push((
        "figures",
        format!(
            "{} rows, published, not measured by whyslow",
            side.summary.points.len()
        ),
    ));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_code_and_nothing_else_is() {
        for (said, shown) in [
            (
                "see `whyslow host`, <b>",
                "see <code>whyslow host</code>, &lt;b&gt;",
            ),
            ("`whyslow host", "`whyslow host"),
            (
                "`rm` and `whyslow <i>`",
                "`rm` and <code>whyslow &lt;i&gt;</code>",
            ),
        ] {
            assert_eq!(text(said).0, shown);
        }
    }

    #[test]
    fn a_point_has_a_place_without_blanks() {
        assert_eq!(anchor("os.read"), "point=os.read");
        assert_eq!(anchor("Pipe latency 5 %"), "point=Pipe_latency_5__");
    }
}
