//! From which share of mispredictions on a conditional move is faster than a branch.

use crate::common::{Maker, page};
use whyslow_model::Unit;
use whyslow_model::summary::Interval;

/// A record of selections with these values by share of mispredictions, each known to so many percent.
fn selections(rows: &[(u32, f64, f64)], percent: f64) -> String {
    let mut maker = Maker::new();
    for (miss, branch, choice) in rows {
        maker.single(
            &format!("cpu.select{{form=branch,miss={miss}}}"),
            Unit::Ns,
            *branch,
        );
        maker.single(
            &format!("cpu.select{{form=cmov,miss={miss}}}"),
            Unit::Ns,
            *choice,
        );
    }
    let (record, mut summary) = maker.done();
    for point in &mut summary.points {
        let value = point.value.as_ref().unwrap().value;
        let ends = [1.0 - percent / 100.0, 1.0 + percent / 100.0].map(|share| share * value);
        point.value = Some(Interval {
            value,
            range: (percent > 0.0).then_some(ends),
        });
    }
    page(&record, &summary)
}

#[test]
fn where_a_move_is_faster_than_a_branch_is_said_only_where_it_can_be_told() {
    let rows = [(0, 0.3, 0.6), (10, 1.2, 0.6), (50, 4.8, 0.6)];
    for (rows, percent, text) in [
        (
            &rows[..],
            1.0,
            "a conditional move is faster than a branch from 3.3",
        ),
        (&rows[..], 1.0, "a branch takes 0.3"),
        (&rows[..], 300.0, "cannot be told"),
        (&rows[..], 0.0, "cannot be told"),
        (&rows[1..], 1.0, "even where all are predicted"),
        (
            &[(0, 0.3, 9.0), (50, 4.8, 9.0)],
            1.0,
            "a branch is faster than a conditional move up to 50",
        ),
    ] {
        let page = selections(rows, percent);
        assert!(page.contains(text), "no '{text}' in {page}");
    }
    assert!(!selections(&rows[..1], 1.0).contains("conditional move"));
}
