//! Every sample: drawn in time order, and to be taken along.

use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::packed::pack;
use super::words::shown;
use crate::Report;
use crate::charts::{Side, certain_first};

/// The part of the page with the samples; none where nothing was measured.
pub(super) fn section(report: &Report<'_>, sides: &[Side<'_>]) -> Option<Markup> {
    // Published figures of one run are their own samples; the tables have them.
    let repeated = |side: &Side<'_>| {
        let mut points = side.summary.points.iter();
        points.any(|p| p.samples > 1 || p.processes.len() > 1)
    };
    if !sides.iter().any(repeated) {
        return None;
    }
    let packed: Vec<_> = sides.iter().map(|side| (side, pack(side))).collect();
    if packed.iter().all(|(_, p)| p.points == 0) {
        return None;
    }
    let left_out: usize = packed.iter().map(|(_, p)| p.left_out).sum();
    let data = json!({
        "first": first(report, sides),
        "sides": packed.iter().map(|(side, packed)| json!({
            "letter": side.letter,
            "color": side.color,
            "name": side.name.chars().take(200).collect::<String>(),
            "data": packed.data,
        })).collect::<Vec<_>>(),
    });
    Some(html! {
        p { "Every sample of every point is in this page: pick a point to see its samples in time order, or \
             take all of them along. Open marks are samples that something happened to (they are left out of \
             the values by that mark alone, never by their time); triangles were taken while the CPUs were \
             not near each other. Stripes are processes, gaps are draws." }
        @if left_out > 0 {
            p { (left_out) " points have more samples than a page can carry; all are in " (shown(sides, "json")) "." }
        }
        p #unpacking.dim {
            span { "Unpacking the samples… this part needs JavaScript." }
            " Without it: " (shown(sides, "json"))
        }
        div #raw hidden {
            h3 #of-point tabindex="-1" {}
            div.tools {
                label { "Find " input #find type="search" placeholder="words of a point"; }
                label { "Point " select #point {} }
                label { "Series " select #series {} }
            }
            div #order {}
            div #shares {}
            div.scroll #figures tabindex="0" role="group" aria-label="Figures of the samples" {}
            div.tools {
                button #csv type="button" { "All samples as CSV" }
                button #json type="button" { "All samples as JSON" }
                button #csv-point type="button" { "This point as CSV" }
            }
        }
        script #samples-data type="application/json" { (PreEscaped(harmless(&data.to_string()))) }
    })
}

/// The point that is shown first: the surest difference, or the first.
fn first(report: &Report<'_>, sides: &[Side<'_>]) -> Option<String> {
    let surest = report.comparisons.first().and_then(|c| {
        let found = certain_first(c);
        found.first().map(|p| p.point.to_string())
    });
    let plain = || {
        sides
            .first()?
            .summary
            .points
            .first()
            .map(|p| p.point.to_string())
    };
    surest
        .or_else(plain)
        .map(|name| name.chars().take(300).collect())
}

/// JSON that cannot end the element that it stands in: `<` can only be within a string.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_end_its_element() {
        let text = json!({"name": "</script><script>x"}).to_string();
        let safe = harmless(&text);
        assert!(!safe.contains('<'));
        let back: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(back["name"], "</script><script>x");
    }
}
