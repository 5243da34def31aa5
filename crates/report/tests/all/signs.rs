//! One fact has one number: over the published cases a comparison, its explanation and the page say the same of a
//! point, in the words of its quantity and with the sign of its own values.

use std::path::{Path, PathBuf};

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_model::Better;
use whyslow_model::Record;
use whyslow_model::change::Quantity;
use whyslow_model::comparison::{Comparison, PointComparison};
use whyslow_model::explanation::Explanation;
use whyslow_report::{Look, Report, Shown};
use whyslow_stats::record::summarise;

const LOOK: Look = Look {
    width: 120,
    color: false,
    ascii: false,
};

/// Files of published cases.
fn files() -> Vec<PathBuf> {
    let open = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/open");
    let folders = std::fs::read_dir(open).unwrap().flatten();
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e != "toml"))
        .collect();
    files.sort();
    files
}

/// The first two systems of each file that has two.
fn pairs() -> Vec<(String, [Record; 2])> {
    let pair = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let imported = whyslow_import::import(&bytes, &name, None).ok()?;
        let mut records = imported.systems.into_iter();
        Some((
            path.display().to_string(),
            [records.next()?, records.next()?],
        ))
    };
    files().into_iter().filter_map(pair).collect()
}

/// Without line breaks and the spaces that keep words together.
fn flat(text: &str) -> String {
    let text = text.replace('\u{a0}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quantity(point: &PointComparison) -> Quantity {
    Quantity::of(point.unit, point.symbol.as_deref(), point.better)
}

/// The words of one point are those of its own values.
fn words_are_true(point: &PointComparison, said: &str) {
    let ratio = point.ratio.unwrap();
    let grew = said.ends_with("longer") || said.ends_with("more");
    let shrank = said.ends_with("shorter") || said.ends_with("less");
    assert!(!grew || ratio > 1.0, "{said}: {ratio}");
    assert!(!shrank || ratio < 1.0, "{said}: {ratio}");
    assert!(!said.ends_with("longer") || point.better == Better::Lower);
}

/// How many points were found alike on all screens.
fn alike(comparison: &Comparison, explanation: &Explanation, screens: [&str; 3]) -> usize {
    let [compared, explained, page] = screens;
    let mut found = 0;
    // A group of one kind with one point says what the point says.
    for group in &comparison.groups {
        for kin in group.members.iter().filter(|kin| kin.points.len() == 1) {
            let point = &comparison.points[kin.points[0] as usize];
            let said = quantity(point).said(point.ratio.unwrap().ln());
            words_are_true(point, &said);
            assert!(compared.contains(&said), "{}: {said}\n{compared}", kin.name);
            assert!(page.contains(&said) || group.members.len() > 1, "{said}");
            found += 1;
        }
    }
    // The table of the page has all points, whatever is drawn.
    for point in &comparison.points {
        if let Some(ratio) = point.ratio.filter(|r| r.is_finite() && *r > 0.0) {
            let said = quantity(point).said(ratio.ln());
            words_are_true(point, &said);
            assert!(page.contains(&said), "{}: {said}", point.point);
            found += 1;
        }
    }
    for moved in explanation.moved.iter().filter(|m| m.points.len() == 1) {
        let named = |p: &&PointComparison| p.title.as_deref() == Some(moved.points[0].as_str());
        let [point] = comparison.points.iter().filter(named).collect::<Vec<_>>()[..] else {
            continue;
        };
        let ratio = point.ratio.unwrap();
        for end in moved.times {
            assert!((end / ratio - 1.0).abs() < 1e-9, "{end} {ratio}");
        }
        let said = quantity(point).said(ratio.ln());
        assert!(explained.contains(&said), "{said}\n{explained}");
        found += 1;
    }
    found
}

#[test]
fn a_point_has_one_number_on_every_screen() {
    let (mut compared, mut points) = (0, 0);
    for (path, [a, b]) in pairs() {
        let named = |name, record| [Named { name, record }];
        let (left, right) = (named("a.whyslow", &a), named("b.whyslow", &b));
        let Ok(mut comparison) = compare(&left, &right, &Options::default()) else {
            continue;
        };
        comparison.families = whyslow_explain::families(&comparison, &a, &b);
        let explanation = explain(&comparison, &a, &b);
        let screen = flat(&whyslow_report::comparison(&comparison, LOOK));
        let explained = flat(&whyslow_report::explanation(&explanation, LOOK));
        let summaries = [summarise(&a), summarise(&b)];
        let shown = [
            ("a.whyslow", &a, &summaries[0]),
            ("b.whyslow", &b, &summaries[1]),
        ];
        let page = whyslow_report::html(&Report {
            records: &shown.map(|(name, record, summary)| Shown {
                name,
                record,
                summary,
            }),
            comparisons: std::slice::from_ref(&comparison),
            explanations: std::slice::from_ref(&explanation),
            standings: &[],
            probes: &[],
            version: "0.1.0",
        });
        println!("{path}");
        points += alike(
            &comparison,
            &explanation,
            [&screen, &explained, &flat(&page)],
        );
        compared += 1;
    }
    assert!(compared > 50 && points > 100, "{compared} {points}");
}
