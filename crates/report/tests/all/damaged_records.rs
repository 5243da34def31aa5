//! Damaged records, and all that is printed of them; the example `fuzz_records` does the same a million times.

use crate::damage::{Dice, check, check_printed, damaged, sample};

/// Records: some seconds.
const RECORDS: usize = 1_500;

#[test]
fn no_damage_panics_or_prints_what_is_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let sample = sample(folder.path());
    let path = folder.path().join("damaged");
    let mut dice = Dice::new(5);
    let mut read = 0;
    for _ in 0..RECORDS {
        std::fs::write(&path, damaged(&sample, &mut dice)).unwrap();
        if let Some(record) = check(&path) {
            read += 1;
            if dice.below(8) == 0 {
                check_printed(record, &sample);
            }
        }
    }
    assert!(read > RECORDS / 10, "{read}");
}

/// A record of so many points with a process each.
fn many_points(count: usize) -> whyslow_model::Record {
    let (usual, _) = crate::common::usual();
    let mut record = usual.clone();
    let planned = &usual.plan.points[0];
    let process = usual.processes.iter().find(|p| p.point == planned.point);
    (record.plan.points, record.processes) = (Vec::new(), Vec::new());
    for k in 0..count {
        let point: whyslow_model::Point = format!("a.b{{x={k}}}").parse().unwrap();
        let (mut planned, mut process) = (planned.clone(), process.unwrap().clone());
        (planned.point, process.point) = (point.clone(), point);
        record.plan.points.push(planned);
        record.processes.push(process);
    }
    record
}

#[test]
fn time_grows_as_the_record_does() {
    let time = |record: &whyslow_model::Record| {
        let begun = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let summary = whyslow_stats::record::summarise(record);
        let look = crate::common::plain(80);
        let printed = [
            whyslow_report::summary(record, &summary, look),
            whyslow_report::table(record, &summary, look),
            whyslow_report::csv(record, &summary),
        ];
        assert!(printed.iter().all(|text| !text.is_empty()));
        let ended = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        (ended.tv_sec - begun.tv_sec) as f64 + (ended.tv_nsec - begun.tv_nsec) as f64 / 1e9
    };
    let (small, large) = (many_points(1_500), many_points(6_000));
    // Looking through all for each would take sixteen times as long.
    let ratio = || time(&large) / time(&small);
    let least = (0..3).map(|_| ratio()).fold(f64::INFINITY, f64::min);
    assert!(
        least < 9.0,
        "{least} times as long for 4 times as many points"
    );
}
