//! What stands out: each finding appears when it should, and not otherwise.

use crate::common::{Maker, page, usual};
use whyslow_model::Unit;
use whyslow_model::host::Known;
use whyslow_model::record::{End, Failure, FailureKind, Outcome, Record, Skipped};
use whyslow_model::state::Neighbour;
use whyslow_model::summary::{ClassSummary, Interval, Mode, PointSummary, Summary, VarianceShares};

/// The page says `text` after `change`, and does not before.
fn finds(text: &str, change: impl FnOnce(&mut Record, &mut Summary)) -> String {
    let (mut record, mut summary) = usual();
    let before = page(&record, &summary);
    assert!(!before.contains(text), "without a cause: {before}");
    change(&mut record, &mut summary);
    let after = page(&record, &summary);
    assert!(after.contains(text), "'{text}' is missing: {after}");
    after
}

/// The summary's point by its text, with this value and interval.
fn set(summary: &mut Summary, point: &str, value: f64, range: [f64; 2]) {
    let found = summary
        .points
        .iter_mut()
        .find(|p| p.point.to_string() == point)
        .unwrap();
    found.value = Some(Interval {
        value,
        range: Some(range),
    });
}

#[test]
fn an_even_machine_has_nothing_that_stands_out() {
    let (record, summary) = usual();
    assert!(page(&record, &summary).contains("WHAT STANDS OUT Nothing that is looked for."));
}

#[test]
fn switching_is_slow_on_two_cpus() {
    let ring = "ctx.ring{procs=2,size=0,cpus=same-llc}";
    let text = finds(
        "takes 12 times as long on two CPUs (same-llc) as on one: 18.0 µs against",
        |_, s| {
            set(s, ring, 18_000.0, [17_000.0, 19_000.0]);
        },
    );
    assert!(
        text.contains("Unpinned, switching between two processes takes 1.6"),
        "{text}"
    );
    assert!(text.contains("as if pinned on one CPU"), "{text}");
    let (record, mut summary) = usual();
    set(&mut summary, ring, 18_000.0, [900.0, 90_000.0]);
    assert!(
        !page(&record, &summary).contains("times as long on two"),
        "intervals that overlap prove nothing"
    );
}

#[test]
fn free_placement_is_like_two_cpus() {
    finds("as if pinned on two CPUs", |_, s| {
        set(
            s,
            "ctx.ring{procs=2,size=0,cpus=same-llc}",
            18_000.0,
            [17_000.0, 19_000.0],
        );
        set(
            s,
            "ctx.ring{procs=2,size=0,cpus=free}",
            17_000.0,
            [16_000.0, 18_000.0],
        );
    });
}

/// A value of the CPUs `ns` apart.
fn class(class: &str, ns: f64, value: f64) -> ClassSummary {
    ClassSummary {
        class: class.into(),
        handover_ns: ns,
        moderated: None,
        value: Interval {
            value,
            range: Some([0.9 * value, 1.1 * value]),
        },
        from: None,
        samples: 9,
    }
}

#[test]
fn cpus_moved() {
    finds("changed L3 complex (or socket) 1 time during", |_, s| {
        s.topology_moves = 1
    });
    // Without what their own caches do, where they are is not known.
    finds("moved nearer to each other or farther 2 times", |_, s| {
        s.topology_moves = 2;
        s.points.retain(|p| p.point.probe != "mem.bandwidth");
    });
    // Two that read the nearest cache as fast as one have one such cache between them.
    let near = |gb_s: f64| {
        move |r: &mut Record, s: &mut Summary| {
            s.topology_moves = 2;
            set(
                s,
                "mem.bandwidth{op=read,level=L1,cpus=1}",
                190.0,
                [185.0, 195.0],
            );
            let point = "mem.bandwidth{op=read,level=L1,cpus=all}";
            let of = |p: &&mut PointSummary| p.point.to_string() == point;
            let all = s.points.iter_mut().find(of).unwrap();
            all.value = None;
            all.classes = vec![class("near", 30.0, gb_s), class("far", 90.0, 370.0)];
            let ran = r
                .processes
                .iter_mut()
                .filter(|p| p.point.to_string() == point);
            for process in ran {
                process.randomization.cpus = vec![0, 1];
            }
        }
    };
    finds(
        "Near, they are two threads of one core: mem.bandwidth",
        near(204.0),
    );
    finds("changed L3 complex (or socket) 2 times during", near(365.0));
}

#[test]
fn places_matter() {
    let point = "mem.bandwidth{op=copy,level=L3,cpus=all}";
    finds(
        &format!("It matters where the CPUs are: {point} 2.5 times"),
        |_, s| {
            let found = s
                .points
                .iter_mut()
                .find(|p| p.point.to_string() == point)
                .unwrap();
            found.value = None;
            found.classes = vec![
                class("near", 25.0, 100.0),
                class("far", 180.0, 40.0),
                class("moved", 0.0, 1.0),
            ];
        },
    );
}

#[test]
fn places_of_one_process_and_places_that_overlap_do_not_matter() {
    let point = "mem.bandwidth{op=copy,level=L3,cpus=all}";
    let one = ClassSummary {
        value: Interval {
            value: 10.0,
            range: None,
        },
        ..class("far 2", 300.0, 10.0)
    };
    let (record, mut summary) = usual();
    let of = |p: &&mut PointSummary| p.point.to_string() == point;
    let found = summary.points.iter_mut().find(of).unwrap();
    found.value = None;
    found.classes = vec![class("near", 25.0, 100.0), class("far 1", 180.0, 90.0), one];
    assert!(!page(&record, &summary).contains("It matters where"));
}

#[test]
fn cache_acts_small() {
    let text = finds(
        "L3's effective size is 4 MiB of the 16 MiB claimed",
        |_, s| {
            let level = s.levels.iter_mut().find(|l| l.name == "L3").unwrap();
            level.capacity_bytes = Some(Interval {
                value: 4194304.0,
                range: Some([4e6, 5e6]),
            });
        },
    );
    assert!(
        text.contains("none of them shown by this run") && text.contains("neighbors that share it"),
        "{text}"
    );
    let (record, mut summary) = usual();
    let level = summary.levels.iter_mut().find(|l| l.name == "L3").unwrap();
    level.capacity_bytes = Some(Interval {
        value: 4194304.0,
        range: Some([4e6, 15e6]),
    });
    assert!(
        !page(&record, &summary).contains("Candidates"),
        "its interval reaches the claim"
    );
}

#[test]
fn glibc_assumes_another_cache() {
    let text = finds(
        "assumes a cache of 384 MiB (402,653,184 bytes); the kernel claims 16 MiB",
        |r, _| {
            let libc = &mut r.states[0].state.libc;
            if let (Known::Is(caches), Known::Is(tunables)) = (&mut libc.caches, &mut libc.tunables)
            {
                caches.insert("LEVEL3_CACHE_SIZE".into(), 402_653_184);
                tunables.insert(
                    "glibc.cpu.x86_non_temporal_threshold".into(),
                    "0x12000000".into(),
                );
            }
        },
    );
    assert!(
        text.contains("switches to non-temporal stores at 288 MiB"),
        "{text}"
    );
}

#[test]
fn huge_pages_gain() {
    let huge = "mem.latency{size=192MiB,order=random,pages=thp}";
    let text = finds("take 30 % off a random load in 192 MiB", |_, s| {
        set(s, huge, 70.0, [69.0, 71.0])
    });
    assert!(text.contains("THP is `madvise` here"), "{text}");
    let (record, mut summary) = usual();
    set(&mut summary, huge, 70.0, [40.0, 120.0]);
    assert!(!page(&record, &summary).contains("off a random load"));
}

#[test]
fn values_vary() {
    finds(
        "1 point has processes that fall into groups: os.stat (3 near 700 ns, 2 near 1.20 µs)",
        |_, s| {
            let stat = s
                .points
                .iter_mut()
                .find(|p| p.point.probe == "os.stat")
                .unwrap();
            let mode = |value, processes| Mode { value, processes };
            stat.modes = vec![mode(700.0, 3), mode(1200.0, 2)];
        },
    );
    finds(
        "known to no better than ±10 %, worst: os.stat 700 ns [500, 900]",
        |_, s| {
            set(s, "os.stat", 700.0, [500.0, 900.0]);
        },
    );
    finds("between allocations of one process", |_, s| {
        set(s, "os.stat", 700.0, [650.0, 750.0]);
        let stat = s
            .points
            .iter_mut()
            .find(|p| p.point.probe == "os.stat")
            .unwrap();
        stat.variance = Some(VarianceShares {
            process: 0.1,
            draw: 0.8,
            sample: 0.1,
        });
    });
    finds(
        "lost over a quarter of the samples to interruptions: os.stat 30 of 50",
        |_, s| {
            let stat = s
                .points
                .iter_mut()
                .find(|p| p.point.probe == "os.stat")
                .unwrap();
            (stat.samples, stat.left_out) = (50, 30);
        },
    );
}

#[test]
fn a_run_that_did_not_end_well() {
    let end =
        |end: End| move |r: &mut Record, _: &mut Summary| r.footer.as_mut().unwrap().end = end;
    finds("The time was up in round 5 of 5", end(End::Budget));
    finds(
        "The run was interrupted in round 5 of 5",
        end(End::Interrupted),
    );
    finds("The record has no end", |r, _| r.footer = None);
    finds(
        "1 process brought nothing: 1 crashed (first cpu.clock: signal 11)",
        |r, _| {
            let worker = r
                .processes
                .iter_mut()
                .find(|p| p.point.probe == "cpu.clock")
                .unwrap();
            worker.outcome = Outcome::Failed(Failure {
                how: FailureKind::Crashed,
                why: "signal 11".into(),
            });
        },
    );
    finds("Measured with a debug build", |r, _| {
        r.header.build.profile = "debug".into()
    });
    finds("no measured loops in assembly for riscv64", |r, _| {
        r.header.build.kernels = "portable".into();
        r.header.build.arch = "riscv64".into();
    });
}

#[test]
fn a_run_that_was_disturbed() {
    finds("The hypervisor took 5.0 % of the CPU time", |r, _| {
        if let Known::Is(host) = &mut r.neighbours.as_mut().unwrap().host {
            host.steal = 0.05;
        }
    });
    finds(
        "Other processes used 15 % of the CPU time: make (process 7) 30 s",
        |r, _| {
            let neighbours = r.neighbours.as_mut().unwrap();
            neighbours.others_cpu_s = Known::Is(30.0);
            neighbours.top = Known::Is(vec![Neighbour {
                comm: "make".into(),
                pid: 7,
                cpu_s: 30.0,
            }]);
        },
    );
    finds(
        "The state changed during the run: memory.thp.enabled from \"madvise\" to \"always\"",
        |r, _| {
            r.states[1].state.memory.thp.enabled = Known::Is("always".into());
        },
    );
}

#[test]
fn what_could_not_be_seen() {
    finds(
        "Not measured here: mem.latency{pages=hugetlb}, a (no pages); b (no right)",
        |r, _| {
            let skip = |what: &str, why: &str| Skipped {
                what: what.into(),
                why: why.into(),
            };
            r.plan.skipped = vec![
                skip("mem.latency{pages=hugetlb}", "no pages"),
                skip("b", "no right"),
                skip("a", "no pages"),
            ];
        },
    );
    finds(
        "Not measured here: 3 points of mem.stream{level=L3}, os.x{y=z} (no share)",
        |r, _| {
            let whats = [
                "mem.stream{op=copy,level=L3,cpus=1}",
                "mem.stream{op=scale,level=L3,cpus=1}",
                "os.x{y=z}",
                "mem.stream{op=copy,level=L3,cpus=all}",
            ];
            let skip = |what: &str| Skipped {
                what: what.into(),
                why: "no share".into(),
            };
            r.plan.skipped = whats.map(skip).to_vec();
        },
    );
    finds(
        "How the clock is set cannot be seen here (no cpufreq); under load it ran at",
        |r, _| {
            r.states[0].state.frequency.policies = Known::unknown("no cpufreq");
        },
    );
}

#[test]
fn the_worst_comes_first() {
    let (mut record, mut summary) = usual();
    record.footer = None;
    summary.topology_moves = 3;
    set(&mut summary, "os.stat", 700.0, [500.0, 900.0]);
    let text = page(&record, &summary);
    let at = |what: &str| text.find(what).unwrap();
    assert!(
        at("has no end") < at("changed L3 complex")
            && at("changed L3 complex") < at("no better than")
    );
    let lone = Maker::new().single("os.null_call", Unit::Ns, 1.0).done();
    assert!(!page(&lone.0, &lone.1).contains("Switching between two processes"));
}

#[test]
fn the_core_was_shared() {
    // Every third process beside a busy thread.
    let slots = |record: &mut Record, beside: f64| {
        for (i, process) in record.processes.iter_mut().enumerate() {
            let slots = if i % 3 == 0 { beside } else { 8.0 };
            process.slots = Some([slots, slots]);
        }
    };
    finds("Another hardware thread was busy", |r, _| slots(r, 5.0));
    // Said by count: no batch of these was looked at, so that none could be left out.
    finds("None of these batches is left out", |r, _| slots(r, 5.0));
    finds("3 such batches are left out of 1 point.", |r, s| {
        slots(r, 5.0);
        (s.points[0].left_out, s.points[0].beside) = (4, 3);
    });
    let (mut record, summary) = usual();
    slots(&mut record, 7.8);
    assert!(!page(&record, &summary).contains("Another hardware thread"));
}

#[test]
fn the_clock_moved() {
    let clocks = |record: &mut Record, high: f64| {
        for (i, process) in record.processes.iter_mut().enumerate() {
            let ghz = if i % 2 == 0 { 3.6 } else { high };
            process.ghz = Some([ghz, ghz]);
        }
    };
    finds("eight in ten readings lie from 3.60 to 4.10 GHz", |r, _| {
        clocks(r, 4.1)
    });
    let (mut record, summary) = usual();
    clocks(&mut record, 3.65);
    assert!(!page(&record, &summary).contains("The clock moved"));
}
