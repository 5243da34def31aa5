//! What stands out of the C library's routines: copies that are slow at a distance, and tunables that the environment set.

use crate::common::{Maker, page};
use whyslow_model::Unit;
use whyslow_model::host::Known;
use whyslow_model::record::ValueRule;

/// The usual machine with copies of these values (GB/s) at two distances, by a library with this threshold.
fn copies(alike: f64, apart: f64, movsb: u64) -> String {
    let mut maker = Maker::new();
    for (distance, value) in [(0, alike), (8, apart)] {
        for size in ["8KiB", "32KiB"] {
            let point = format!("mem.libc{{op=memcpy,size={size},distance={distance}}}");
            maker.point(&point, Unit::GbPerS, ValueRule::Single, &[("", value)]);
        }
    }
    let mut record = maker.record;
    let libc = &mut record.states[0].state.libc;
    libc.routines = Some(Known::Is(
        [("rep_movsb_threshold".to_owned(), movsb)].into(),
    ));
    let summary = whyslow_stats::record::summarise(&record);
    page(&record, &summary)
}

#[test]
fn copies_are_slow_at_a_distance() {
    let text = copies(200.0, 8.0, 2112);
    assert!(
        text.contains("memcpy takes up to 25 times as long where its destination begins 8 bytes after the source"),
        "{text}"
    );
    assert!(
        text.contains("holds for blocks of 4 KiB to 16 KiB"),
        "{text}"
    );
    assert!(
        text.contains("glibc 2.40 copies by REP MOVSB from 2,112 bytes on; GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824"),
        "{text}"
    );
    assert!(text.contains("COPIES"), "{text}");
    assert!(text.contains("memcpy, distance 8"), "{text}");
    assert!(!text.contains("OTHER POINTS"), "{text}");
    // Where it never does, that is not what mends it.
    assert!(!copies(200.0, 8.0, 1 << 30).contains("GLIBC_TUNABLES"));
    // Nor where all blocks that are slow are smaller than those that it copies so.
    let small = copies(200.0, 8.0, 64 << 10);
    assert!(
        small.contains(
            "glibc 2.40 copies blocks of that size by vectors (REP MOVSB from 65,536 bytes on)"
        ),
        "{small}"
    );
    assert!(!small.contains("GLIBC_TUNABLES"), "{small}");
    for (alike, apart) in [(200.0, 160.0), (160.0, 200.0)] {
        let text = copies(alike, apart, 2112);
        assert!(!text.contains("times as long"), "{text}");
    }
}

/// What stands out of a run with these tunables set, on a usual machine whose library goes by `taken`.
fn tunables(set: &str, taken: &[(&str, &str)]) -> String {
    let mut record = Maker::new().record;
    let state = &mut record.states[0].state;
    state
        .environment
        .steering
        .insert("GLIBC_TUNABLES".to_owned(), set.to_owned());
    let taken = taken
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    state.libc.tunables = Known::Is(taken.collect());
    let summary = whyslow_stats::record::summarise(&record);
    page(&record, &summary)
}

#[test]
fn tunables_of_the_environment_are_named_with_what_they_do() {
    let copies = "glibc.cpu.x86_non_temporal_threshold";
    let fills = "glibc.cpu.x86_rep_stosb_threshold";
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat(tunables(
        &format!("{copies}=0x10000:{fills}=1:glibc.no.such=1"),
        &[(copies, "0x10000"), (fills, "0x800")],
    ));
    for part in [
        "GLIBC_TUNABLES is set in the environment of this run",
        "(copies go past the caches from 65,536 bytes on",
        "glibc.cpu.x86_rep_stosb_threshold=1 (not taken: the library uses 2,048)",
        "glibc.no.such=1 (this library has no such tunable)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn copies_that_a_loop_of_vectors_leaves_behind_are_said() {
    let found = |libc: f64| {
        let mut maker = Maker::new();
        let copy = "mem.bandwidth{op=copy,level=L1,cpus=1}";
        maker.point(copy, Unit::GbPerS, ValueRule::Single, &[("", 570.0)]);
        for size in ["2KiB", "8KiB", "32KiB"] {
            let point = format!("mem.libc{{op=memcpy,size={size},distance=0}}");
            maker.point(&point, Unit::GbPerS, ValueRule::Single, &[("", libc)]);
        }
        let summary = whyslow_stats::record::summarise(&maker.record);
        let text = page(&maker.record, &summary);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = found(300.0);
    for part in [
        "memcpy of 4 KiB to 16 KiB moves 3",
        "in the L1 where a loop of vectors moves 5",
        "1.9 times the rate. `whyslow tune libc` tries",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!found(500.0).contains("whyslow tune libc"));
}
