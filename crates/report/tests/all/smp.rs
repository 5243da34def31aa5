//! The table of loads on several CPUs.

use crate::common::{Maker, check, page, plain};
use whyslow_model::Unit;

/// Loads whose speed-up at two CPUs is as given.
fn maker(loads: &[(&str, f64)]) -> Maker {
    let mut maker = Maker::new();
    for (load, speed_up) in loads {
        maker.single(&format!("smp.{load}{{procs=1}}"), Unit::Ns, 100.0);
        maker.single(
            &format!("smp.{load}{{procs=2}}"),
            Unit::Ns,
            100.0 / speed_up,
        );
    }
    maker
}

#[test]
fn says_what_limits_each_load() {
    let mut maker = maker(&[
        ("mandelbrot", 2.0),
        ("sieve", 1.98),
        ("stream", 1.2),
        ("chase", 1.99),
    ]);
    let (record, summary) = maker.done();
    let text = page(&record, &summary);
    assert!(
        text.contains("triad (beyond the caches) on 2 CPUs: 1.2 times one"),
        "{text}"
    );
    assert!(
        text.contains("bound by memory that the CPUs share"),
        "{text}"
    );
    assert!(
        text.contains("sieve (1 MiB each) on 2 CPUs: 2.0 times one"),
        "{text}"
    );
    assert_eq!(text.matches("not bound by memory").count(), 2, "{text}");
    check(&whyslow_report::summary(&record, &summary, plain(70)), 70);
}

#[test]
fn says_nothing_of_the_cause_without_a_control_or_digits() {
    let (record, summary) = maker(&[("stream", 1.2)]).done();
    assert!(page(&record, &summary).contains("Without the Mandelbrot control"));
    let mut noisy = maker(&[]);
    noisy.noise = 0.5;
    for load in ["mandelbrot", "stream"] {
        noisy.single(&format!("smp.{load}{{procs=1}}"), Unit::Ns, 100.0);
        noisy.single(&format!("smp.{load}{{procs=2}}"), Unit::Ns, 55.0);
    }
    let (record, summary) = noisy.done();
    let text = page(&record, &summary);
    assert!(text.contains("not known well enough"), "{text}");
}

#[test]
fn is_not_there_without_its_points() {
    let (record, summary) = Maker::new().all().done();
    assert!(!page(&record, &summary).contains("SAME WORK"));
}
