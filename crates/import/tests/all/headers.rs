//! Rows of posted tables whose labels and names are not where they seem to be.

use whyslow_import::import;
use whyslow_model::record::Outcome;

/// The rows of all systems of a page with their first values.
fn all(text: &str) -> Vec<String> {
    let imported =
        import(text.as_bytes(), "x.txt", None).unwrap_or_else(|why| panic!("{why:.60} in {text}"));
    let mut found = Vec::new();
    for record in &imported.systems {
        let system = &record.origin.as_ref().unwrap().system;
        for planned in &record.plan.points {
            let process = record.processes.iter().find(|p| p.point == planned.point);
            let Some(Outcome::Draws(draws)) = process.map(|p| &p.outcome) else {
                continue;
            };
            let title = planned.title.as_deref().unwrap_or_default();
            found.push(format!("{system}| {title}: {}", draws[0].series[0].ns[0]));
        }
    }
    found
}

#[test]
fn labels_and_names() {
    for (text, wanted) in [
        // The colon of a label between bars ends no row.
        (
            "| Benchmark | Time | Time Old | Time New |\n|---|---|---|---|\n| send | -0.0288 | 966 | 938 |\n| send/threads:4 | +0.0164 | 425 | 432 |\n",
            vec!["Time Old| send: 966", "Time Old| send/threads:4: 425"],
        ),
        // One space parts the label of one row from its first figure.
        (
            "           min      max      avg\nSLAB       22.75    23.25    22.98\nSLUB       22.80    25.75    23.46\nSLUB (new) 22.74    23.54    23.00\n",
            vec!["SLUB (new)| min: 22.74", "SLUB (new)| avg: 23"],
        ),
        // One space parts two names.
        (
            "# test     alloc   time  rss     faults reclaims\n\ncfrac      je      04.08 2896    374    19\ncfrac      mi      02.70 22592   1595   21\n",
            vec!["time| cfrac je: 4.08", "reclaims| cfrac mi: 21"],
        ),
        // What an arrow points from says nothing that was measured, and a missing figure names no column.
        (
            "orbint: 3.5 s\npotcode: 6.5 s    <=== much slower\ntree: N/A\nlast: 2.5 s\n",
            vec!["| potcode: 6.5", "| last: 2.5"],
        ),
        // Minutes with a change behind them.
        (
            "index-pack\n    sha1dc: 4m19s\n  openssl: 2m19s (-42%)\n",
            vec!["| openssl: 139"],
        ),
        // A label may end with an option.
        (
            "- -n 1024 -r 100: 2.75s\n- -n 1024 -r 100 -M: 2.5s\n",
            vec!["| n 1024 -r 100: 2.75", "| n 1024 -r 100 -M: 2.5"],
        ),
    ] {
        let found = all(text);
        for row in wanted {
            assert!(found.iter().any(|own| own == row), "{row} in {found:#?}");
        }
    }
}
