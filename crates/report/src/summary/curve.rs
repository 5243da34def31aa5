//! The latency curve.

use std::collections::BTreeMap;

use whyslow_model::id;
use whyslow_model::summary::PointSummary;

use crate::page::Screen;
use crate::plot::{self, Curve};
use crate::view::{Shown, View};

/// The parameters that set one curve apart from another.
type Kind<'a> = (&'a str, Option<&'a str>, &'a str);

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let mut kinds: Vec<(Kind<'a>, Vec<&'a PointSummary>)> = Vec::new();
    for point in view.probe(id::MEM_LATENCY) {
        let Some((kind, _)) = kind(point).zip(point.size_bytes) else {
            continue;
        };
        match kinds.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, points)) => points.push(point),
            None => kinds.push((kind, vec![point])),
        }
    }
    // The curve that the levels are cut from is the line; the others come in the order planned.
    kinds.sort_by_key(|(kind, _)| *kind != ("random", None, "4k"));
    let mut curves = Vec::new();
    for (kind, points) in kinds.iter().take(plot::MOST) {
        let values: BTreeMap<u64, f64> = points
            .iter()
            .filter_map(|p| Some((p.size_bytes?, p.value?.value)))
            .collect();
        if !values.is_empty() {
            curves.push(Curve {
                name: name(*kind),
                points: values
                    .into_iter()
                    .map(|(size, ns)| (size as f64, ns))
                    .collect(),
            });
        }
    }
    let Some(lines) = plot::plot(&curves, &view.summary.levels, page.width()) else {
        if curves.is_empty() {
            let points = || kinds.iter().flat_map(|(_, points)| points);
            let why = points()
                .next()
                .map(|p| format!("no value: {}", view.why_missing(p)));
            super::absent(
                page,
                "LATENCY",
                why.or_else(|| view.why_absent(id::MEM_LATENCY)),
            );
            shown.extend(points().map(|p| &p.point));
        }
        return;
    };
    let remark = match curves.len() {
        1 => "ns a load, by working set",
        _ => "ns a load, by working set; marks are drawn where they leave the line",
    };
    page.heading("LATENCY", remark);
    lines.into_iter().for_each(|line| page.line(line));
    page.flow(9, 9, plot::legend(&curves));
    shown.extend(
        kinds
            .iter()
            .take(plot::MOST)
            .flat_map(|(_, points)| points)
            .map(|p| &p.point),
    );
}

fn kind(point: &PointSummary) -> Option<Kind<'_>> {
    let get = |name| point.point.get(name);
    Some((get("order")?, get("stride"), get("pages")?))
}

fn name((order, stride, pages): Kind<'_>) -> String {
    let pages = match pages {
        "4k" => "4 KiB pages",
        "thp" => "huge pages (THP)",
        "hugetlb" => "huge pages (hugetlb)",
        other => other,
    };
    match stride {
        Some(stride) => format!("{stride} B forward, {pages}"),
        None => format!("{order}, {pages}"),
    }
}
