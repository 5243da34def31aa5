//! What a look at a comparison settles: what is beyond the bound or within the margin, and nothing else.

use std::collections::BTreeSet;

use crate::common::{add, empty, named};
use whyslow_compare::{Options, compare, open};
use whyslow_model::record::Record;
use whyslow_model::{Better, Point, Unit};

/// Values around `middle` that vary by `spread` of it.
fn values(middle: f64, spread: f64, count: usize) -> Vec<f64> {
    let off = [0.3, -1.0, 0.8, -0.5, 1.1, -0.9, 0.2, -0.2, 0.6, -0.4];
    let off = off.iter().cycle().take(count);
    off.map(|off| middle * (1.0 + spread * off)).collect()
}

fn record(points: &[(&str, f64, f64)], count: usize) -> Record {
    let mut record = empty();
    for (point, middle, spread) in points {
        let values = values(*middle, *spread, count);
        add(&mut record, point, Unit::Ns, Better::Lower, None, &values);
    }
    record
}

#[test]
fn a_look_settles_what_is_beyond_the_bound_or_within_the_margin() {
    let a = [
        ("x.real", 100.0, 0.01),
        ("x.alike", 100.0, 0.002),
        ("x.open", 100.0, 0.05),
    ];
    let b = [
        ("x.real", 150.0, 0.01),
        ("x.alike", 100.1, 0.002),
        ("x.open", 104.0, 0.05),
    ];
    let (a, b) = (record(&a, 20), record(&b, 10));
    let found = compare(&[named("a", &a)], &[named("b", &b)], &Options::default()).unwrap();
    // What has no value yet is open too.
    let asked = ["x.real", "x.alike", "x.open", "x.later"];
    let asked: BTreeSet<Point> = asked.iter().map(|point| point.parse().unwrap()).collect();
    let open = open(&found, &asked, |_| 20);
    let open: Vec<String> = open.iter().map(ToString::to_string).collect();
    assert_eq!(open, ["x.later", "x.open"]);
}
