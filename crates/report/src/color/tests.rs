//! What the pages of colors look like.

use super::*;
use whyslow_model::color::{
    CacheNeighbor, ClaimedCache, ColorAgreement, ColorGain, ColorPoint, FrameTruth, HugePieces,
    Partition, Steadier,
};

const LOOK: Look = Look {
    width: 80,
    color: false,
    ascii: false,
};

fn found() -> ColorMap {
    ColorMap {
        colors: 16,
        ways: 16,
        ways_sharp: [0.0, 0.79],
        page_bytes: 4096,
        cache_bytes: 1 << 20,
        claimed: Known::Is(ClaimedCache {
            bytes: 1 << 20,
            ways: 16,
            colors: 16,
        }),
        cpu: 1,
        method: "timing".to_owned(),
        pages: 4096,
        without_color: 1,
        population: vec![235, 285, 256],
        took_ms: 103.4,
        agreement: ColorAgreement {
            pages: 3712,
            one_vote: 3708,
            three_votes: 3712,
        },
        frames: Known::Is(FrameTruth {
            pages: 4095,
            same: 0.0627,
            chance: 0.0625,
            linear: false,
            masks: Vec::new(),
            masks_agree: None,
        }),
        huge_pages: Known::Is(HugePieces {
            pages: 8,
            chi_square: 14.7,
            groups: 256,
            complete: 0,
            contiguous: Some(false),
        }),
        disturbance: 0.0009,
        neighbors: Known::Is(vec![CacheNeighbor {
            cpu: 0,
            shares: false,
            lost_idle: 0.01,
            lost_busy: 0.0,
        }]),
        mechanism: Known::Is("userfaultfd".to_owned()),
        last_level: Known::unknown("not looked at"),
    }
}

#[test]
fn a_map() {
    insta::assert_snapshot!(map(&found(), LOOK), @r"
    16 page colors, 16 ways: 1 MiB of second-level cache, as the kernel claims.
    Frame numbers do not tell the color: timing alone does.

    COLORS  of the second-level cache, CPU 1
    found by        timing: 4,096 pages in 103 ms, 1 without a color
    how sure        one vote agrees on 99.89 % of 3,712 pages, three on 100.00 %; 15
                    pages push out another in 0 % of tries, 16 in 79 %
    claimed         16 colors, 16 ways, 1 MiB: the same
    pages a color   235 to 285
    frame numbers   do not tell the color: a guest's are its own (pages alike by
                    number are alike by time in 6.3 % of pairs, by chance in 6.2 %)
    huge pages      are not one piece underneath: their parts lie anywhere (0 of 256
                    groups of 16 neighbors have every color; chi-square 14.7, 0 if
                    one piece, 15 if scattered)
    shared with     none of 1 other CPU
    disturbed       0.09 % of pages are pushed out by others within 100 µs
    pages move by   userfaultfd
    last level      unknown: not looked at
    ");
}

#[test]
fn what_is_not_known_says_why() {
    let mut hidden = found();
    hidden.frames = Known::unknown("the kernel shows frame numbers to root only");
    hidden.claimed = Known::Is(ClaimedCache {
        bytes: 2 << 20,
        ways: 16,
        colors: 32,
    });
    hidden.disturbance = 0.4;
    let wide = Look { width: 200, ..LOOK };
    let text = map(&hidden, wide).replace("\n                ", " ");
    assert!(text.contains("frame numbers   unknown: the kernel shows frame numbers to root only"));
    assert!(text.contains("not what was found"), "{text}");
    assert!(text.contains("other work uses this cache now"), "{text}");
}

fn measured() -> ColorBench {
    let value = |value: f64| Interval {
        value,
        range: Some([value * 0.98, value * 1.02]),
    };
    let point = |work: &str, pages: &str, kib: u64, ns: f64| ColorPoint {
        work: work.to_owned(),
        pages: pages.to_owned(),
        bytes: kib << 10,
        value: value(ns),
        spread: Some(0.02),
        draws: vec![ns],
        passes: vec![vec![Some(ns)]],
    };
    let gain = |work: &str, kib: u64, ratio: f64| ColorGain {
        work: work.to_owned(),
        bytes: kib << 10,
        time_ratio: value(ratio),
        steadier: Some(Steadier {
            times: Some(6.2).filter(|_| kib < 1280),
            at_least: if kib < 1024 { 0.8 } else { 3.1 },
        }),
        apart: (ratio - 1.0).abs() > 0.05,
    };
    let mut points = Vec::new();
    for (kib, ordinary, colored) in [(256, 3.1, 3.1), (1024, 5.7, 4.1), (1280, 7.3, 7.8)] {
        points.push(point("latency", "ordinary", kib, ordinary));
        points.push(point("latency", "colored", kib, colored));
    }
    points.push(point("bandwidth", "ordinary", 1024, 128.0));
    points.push(point("bandwidth", "colored", 1024, 244.0));
    ColorBench {
        colors: 16,
        ways: 16,
        cache_bytes: 1 << 20,
        cpu: 0,
        mechanism: "userfaultfd".to_owned(),
        draws: 12,
        edge_draws: 48,
        misplaced: 0,
        moved: 0,
        points,
        gains: vec![
            gain("latency", 256, 1.0),
            gain("latency", 1024, 0.72),
            gain("latency", 1280, 1.07),
            gain("bandwidth", 1024, 0.52),
        ],
        partitions: vec![
            Partition {
                colors: 4,
                part_bytes: 256 << 10,
                acts_as_bytes: Some(266_000.0),
            },
            Partition {
                colors: 1,
                part_bytes: 64 << 10,
                acts_as_bytes: None,
            },
        ],
        verdict: "At the cache's size (1MiB) a load on colored pages is 28 % faster.".to_owned(),
        notes: vec!["no huge pages: the kernel gave small pages".to_owned()],
    }
}

#[test]
fn the_page_of_a_bench_answers_first_and_has_every_value() {
    let page = crate::color_bench_html(&measured(), "0").replace('\u{a0}', " ");
    let body = &page[page.find("<main").unwrap()..];
    let at = |what: &str| body.find(what).unwrap_or_else(|| panic!("no {what}"));
    assert!(at("28 % faster") < at("<svg"));
    // Right is better, and what takes longer stands to the left.
    assert!(at("Latency by working set") < at("shorter →"));
    for said in [
        "latency, 1 MiB",
        "bandwidth, 1 MiB",
        "7.80",
        "260 KiB",
        "no edge was seen",
        "small pages",
    ] {
        at(said);
    }
    // There are no samples, and no script that would look for them.
    assert!(!page.contains("samples-data"));
}

#[test]
fn a_bench() {
    insta::assert_snapshot!(bench(&measured(), LOOK), @r"
    Colored and ordinary pages  16 colors, 16 ways, 1 MiB; 12 draws, 48 of 1 MiB,
    moved by userfaultfd
    At the cache's size (1MiB) a load on colored pages is 28 % faster.

    LATENCY  by working set, on fresh pages each draw
            │
            │                                                                      ⡔
            │                                                                    ⢀⠎o
            │                                                                   ⡠⠃
            │                                                            o     ⡔⠁
            │                                                                ⢀⠎
        5 ns┤                                                               ⡠⠃
            │                                                             ⢀⠜
            │                                                   ⢀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠊
            │                                ⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠉⠉⠉⠉⠁
            │            ⢀⣀⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠒⠉⠉⠉⠉⠉
            │⠤⠤⠔⠒⠒⠒⠒⠊⠉⠉⠉⠉⠁
            │
            └┬─────────────────────────────┬─────────────────────────────┬──────────
             256 KiB                    512 KiB                        1 MiB
     claimed                                                             △L2
    ⠒⠒ colored o ordinary
              ordinary     colored      huge  colored takes     steadier
    256 KiB   3.10 ±2.0 %  3.10 ±2.0 %  -     0 % [-2, +2]      -
    1 MiB     5.70 ±2.0 %  4.10 ±2.0 %  -     -28 % [-29, -27]  >3.1x
    1.25 MiB  7.30 ±2.0 %  7.80 ±2.0 %  -     +7 % [+5, +9]     >3.1x

    BANDWIDTH, GB/s
           ordinary    colored     huge  colored takes     steadier
    1 MiB  128 ±2.0 %  244 ±2.0 %  -     -48 % [-49, -47]  >3.1x

    A FEW COLORS  effective size
    4 colors        260 KiB of 256 KiB
    1 color         no edge was seen
    note: no huge pages: the kernel gave small pages
    ");
}

/// The page of `color map --kernel` for these masks.
fn kernel(masks: &[u64]) -> String {
    let mut map = found();
    if let Known::Is(frames) = &mut map.frames {
        frames.masks = masks.to_vec();
        frames.masks_agree = Some(0.9993);
    }
    super::kernel(&map, LOOK)
}

#[test]
fn a_kernel_is_told_the_size_of_a_plain_cache() {
    insta::assert_snapshot!(kernel(&[0x1000, 0x2000, 0x4000, 0x8000]), @"
    16 page colors for a kernel  CPU 1, found by timing
    sure to 4,092 of 4,095 pages have the color that bits 12 to 15 of the physical
            address give

    Linux  boot parameter of the patches in kernel/
    page_color=1024,16

    PALLOC  as root, its kernel running
    echo 0xf000 > /sys/kernel/debug/palloc/palloc_mask

    Xen  boot parameters on Arm, where this is the last level
    llc-coloring=on llc-size=1024K llc-nr-ways=16
    ");
}

#[test]
fn a_kernel_is_told_the_masks_of_a_hash() {
    insta::assert_snapshot!(kernel(&[0x2_1000, 0x4_2000, 0x8_4000, 0x10_8000]), @"
    16 page colors for a kernel  CPU 1, found by timing
    sure to 4,092 of 4,095 pages have the color that bits 12^17, 13^18, 14^19, 15^20
            of the physical address give

    Linux  boot parameter of the patches in kernel/
    page_color=xor:21000,42000,84000,108000

    PALLOC  as root, its kernel running
    echo 0xf000 > /sys/kernel/debug/palloc/palloc_mask
    echo xor 12 17 > /sys/kernel/debug/palloc/control
    echo xor 13 18 > /sys/kernel/debug/palloc/control
    echo xor 14 19 > /sys/kernel/debug/palloc/control
    echo xor 15 20 > /sys/kernel/debug/palloc/control
    echo 1 > /sys/kernel/debug/palloc/use_mc_xor

    Xen  boot parameters on Arm, where this is the last level
    not possible: it knows caches without a hashed index only
    ");
}

#[test]
fn what_a_kernel_cannot_be_told_is_said() {
    insta::assert_snapshot!(kernel(&[0x2_1000, 0x4_2000, 0xe_4000, 0x10_0000]), @"
    16 page colors for a kernel  CPU 1, found by timing
    sure to 4,092 of 4,095 pages have the color that bits 12^17, 13^18, 14^17^18^19,
            20 of the physical address give

    Linux  boot parameter of the patches in kernel/
    not possible: of 16 pages in one aligned block, two have the same color, and the
    allocator needs one of each

    PALLOC  as root, its kernel running
    not possible: it adds at most two bits for one bit of the color

    Xen  boot parameters on Arm, where this is the last level
    not possible: it knows caches without a hashed index only
    ");
}

#[test]
fn frames_of_a_guest_give_no_parameter() {
    insta::assert_snapshot!(kernel(&[]), @"
    16 page colors for a kernel  CPU 1, found by timing
    none    the numbers of 4,095 frames do not tell the color (6.3 % of pairs alike
            by number are alike by time, 6.2 % by chance). In a virtual machine they
            are the guest's own; they tell the color on the host, or where the host
            backs the guest with huge pages
    ");
}
