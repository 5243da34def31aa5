//! System calls: by the bare instruction, and through the C library.

use whyslow_model::summary::PointSummary;

use super::value;
use crate::numbers::{percent, short};
use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

/// From this share on a difference between the two ways is said.
const LARGE: f64 = 0.15;

/// Where the kernel names the mitigations of returns, and what it calls those after which the program's next `ret` is
/// predicted wrongly.
const RETURNS: [&str; 2] = ["spec_rstack_overflow", "retbleed"];
const SLOW_RETURNS: [&str; 2] = ["safe ret", "untrained return"];

/// A call, by one way or both.
struct Call<'a> {
    name: String,
    bare: Option<&'a PointSummary>,
    libc: Option<&'a PointSummary>,
}

pub(super) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let calls = calls(view);
    if calls.is_empty() {
        let skipped = view.record.plan.skipped.iter();
        let ids = skipped
            .map(|s| s.what.as_str())
            .filter(|w| w.starts_with("os.") && !w.contains('{'));
        let ids: Vec<&str> = ids.collect();
        super::absent(page, "SYSTEM CALLS", view.all_absent(&ids));
        return;
    }
    let both = calls.iter().any(|c| c.libc.is_some());
    page.heading(
        "SYSTEM CALLS",
        match both {
            true => "time a call [95 % interval over processes]; libc: through the C library",
            false => "time a call [95 % interval over processes]",
        },
    );
    let tiles: Vec<(String, Text)> = calls
        .iter()
        .map(|call| (call.name.clone(), call.tile(view)))
        .collect();
    page.tiles(&tiles);
    if let Some(text) = differences(view, &calls) {
        page.flow(0, 0, Text::plain(text));
    }
    let points = calls.iter().flat_map(|c| c.bare.into_iter().chain(c.libc));
    shown.extend(points.map(|p| &p.point));
}

/// The calls in the order planned, the two ways of each together.
fn calls<'a>(view: &View<'a>) -> Vec<Call<'a>> {
    let mut calls: Vec<Call<'a>> = Vec::new();
    let points = view.summary.points.iter();
    for point in points.filter(|p| p.point.probe.starts_with("os.")) {
        let through = match point.point.params.as_slice() {
            [] => false,
            [(name, value)] if name == "via" && value == "libc" => true,
            _ => continue,
        };
        let name = match point.point.probe.trim_start_matches("os.") {
            "open_close" => "open, close".to_owned(),
            other => other.replace('_', " "),
        };
        let at = calls
            .iter()
            .position(|c| c.name == name)
            .unwrap_or_else(|| {
                calls.push(Call {
                    name,
                    bare: None,
                    libc: None,
                });
                calls.len() - 1
            });
        match through {
            true => calls[at].libc = Some(point),
            false => calls[at].bare = Some(point),
        }
    }
    calls
}

impl Call<'_> {
    /// `130 ns [128, 132]; libc 186 ns`.
    fn tile(&self, view: &View<'_>) -> Text {
        let through = match (self.bare, self.libc) {
            (None, Some(libc)) => return Text::plain("libc ").then(value(view, libc)),
            (_, libc) => libc.and_then(|p| Some(short(p.unit, p.value.as_ref()?))),
        };
        let bare = self
            .bare
            .map_or_else(Text::default, |bare| value(view, bare));
        match through {
            Some(text) => bare.and(Style::Plain, format!("; libc {text}")),
            None => bare,
        }
    }

    /// How much longer the call through the C library takes, as a share of the bare one.
    fn longer(&self) -> Option<f64> {
        let value = |p: Option<&PointSummary>| Some(p?.value.as_ref()?.value);
        Some(value(self.libc)? / value(self.bare).filter(|ns| *ns > 0.0)? - 1.0)
    }
}

/// Which calls the C library makes much longer; and why, where the host says so.
fn differences(view: &View<'_>, calls: &[Call<'_>]) -> Option<String> {
    let longer: Vec<String> = calls
        .iter()
        .filter_map(|c| Some((c, c.longer().filter(|share| *share > LARGE)?)))
        .map(|(c, share)| format!("{} {}", c.name, percent(share)))
        .collect();
    let which = (!longer.is_empty()).then(|| longer.join("; "))?;
    Some(match returns_are_slow(view) {
        true => format!(
            "Longer through the C library: {which}. The C library's call returns through a `ret`, which the return mitigation makes slow."
        ),
        false => format!("Longer through the C library: {which}."),
    })
}

/// Does the kernel mitigate returns in a way that the program's next one pays for?
fn returns_are_slow(view: &View<'_>) -> bool {
    let mitigations = view.state().and_then(|state| state.mitigations.value());
    mitigations.is_some_and(|by_name| {
        RETURNS
            .iter()
            .filter_map(|name| by_name.get(*name))
            .map(|text| text.to_lowercase())
            .any(|text| SLOW_RETURNS.iter().any(|slow| text.contains(slow)))
    })
}
