//! The HTML page: its size, and what hostile or odd records do to it. What it looks like is tested in a
//! browser, from the command line.

use crate::common::{Maker, header_only, usual};
use whyslow_compare::{Named, Options, compare};
use whyslow_explain::{explain, explain_one};
use whyslow_model::host::Known;
use whyslow_model::record::{Note, Outcome, Record, ValueRule};
use whyslow_model::summary::Summary;
use whyslow_model::{Point, Unit, size};
use whyslow_report::{ProbeText, Report, Shown};

/// A page that a mail takes.
const LIMIT: usize = 1_500_000;

fn page_of(record: &Record, summary: &Summary) -> String {
    let explanation = explain_one(record, summary, "one.whyslow");
    whyslow_report::html(&Report {
        records: &[Shown {
            name: "one.whyslow",
            record,
            summary,
        }],
        comparisons: &[],
        explanations: &[explanation],
        standings: &[],
        probes: &[ProbeText {
            id: "mem.latency",
            title: "load latency",
            what: "What a load takes.",
            how: "A chase.",
            params: vec![("size", "bytes")],
            names: vec![("lmbench", "lat_mem_rd".into())],
        }],
        version: "0.1.0",
    })
}

fn page_of_two(a: &(Record, Summary), b: &(Record, Summary)) -> String {
    let left = [Named {
        name: "a.whyslow",
        record: &a.0,
    }];
    let right = [Named {
        name: "b.whyslow",
        record: &b.0,
    }];
    let found = compare(&left, &right, &Options::default()).unwrap();
    let explanation = explain(&found, &a.0, &b.0);
    let shown = [("a.whyslow", a), ("b.whyslow", b)].map(|(name, of)| Shown {
        name,
        record: &of.0,
        summary: &of.1,
    });
    whyslow_report::html(&Report {
        records: &shown,
        comparisons: &[found],
        explanations: &[explanation],
        standings: &[],
        probes: &[],
        version: "0.1.0",
    })
}

/// Every element that is opened is closed, in order; what stands within is no business of this.
fn balanced(page: &str) {
    const VOID: [&str; 6] = ["meta", "link", "br", "input", "img", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap();
        let tag = &rest[..end];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            let name = tag.split([' ', '/']).next().unwrap();
            if name == "script" || name == "style" {
                rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
                rest = &rest[name.len() + 3..];
            } else if !tag.ends_with('/') && !VOID.contains(&name) {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_usual_page_is_whole_and_small() {
    let (record, summary) = usual();
    let page = page_of(&record, &summary);
    balanced(&page);
    assert!(page.len() < LIMIT / 2, "{}", page.len());
    for part in [
        "Answer",
        "Latency",
        "Bandwidth",
        "Core to core",
        "Variance",
        "Samples",
        "Hosts",
    ] {
        assert!(page.contains(&format!(">{part}</h2>")), "{part}");
    }
    assert!(page.contains("What a load takes."));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(
            !page
                .replace("http://www.w3.org/2000/svg", "")
                .contains(outside),
            "{outside}"
        );
    }
}

/// The record with every time `times` as long.
fn slowed(record: &Record, times: f64) -> (Record, Summary) {
    let mut record = record.clone();
    for process in &mut record.processes {
        if let Outcome::Draws(draws) = &mut process.outcome {
            let series = draws.iter_mut().flat_map(|draw| &mut draw.series);
            series.flat_map(|s| &mut s.ns).for_each(|ns| *ns *= times);
        }
    }
    let summary = whyslow_stats::record::summarise(&record);
    (record, summary)
}

#[test]
fn several_records_stand_in_the_order_of_what_they_take() {
    // Calls and a part of the curve: comparing whole curves takes longer than all else here.
    let (mut record, _) = usual();
    let is_kept = |point: &Point| match point.probe.as_str() {
        "mem.latency" => point.get("pages") == Some("4k") && point.get("stride").is_none(),
        probe => probe.starts_with("os."),
    };
    let kept: Vec<Point> = record
        .plan
        .points
        .iter()
        .map(|p| p.point.clone())
        .filter(is_kept)
        .take(8)
        .collect();
    record.plan.points.retain(|p| kept.contains(&p.point));
    record.processes.retain(|p| kept.contains(&p.point));
    let all = [1.0, 1.5, 0.8, 1.2].map(|times| slowed(&record, times));
    let names = ["a.whyslow", "slow.whyslow", "fast.whyslow", "mid.whyslow"];
    let shown = [0, 1, 2, 3].map(|at| Shown {
        name: names[at],
        record: &all[at].0,
        summary: &all[at].1,
    });
    let side = |at: usize| Named {
        name: names[at],
        record: &all[at].0,
    };
    let found = [1, 2, 3].map(|b| compare(&[side(0)], &[side(b)], &Options::default()).unwrap());
    let explained = [1, 2, 3].map(|b| explain(&found[b - 1], &all[0].0, &all[b].0));
    let page = whyslow_report::html(&Report {
        records: &shown,
        comparisons: &found,
        explanations: &explained,
        standings: &[],
        probes: &[],
        version: "0.1.0",
    });
    balanced(&page);
    let answer = &page[page.find("class=\"answer\"").unwrap()..];
    let answer = &answer[..answer.find("</p>").unwrap()];
    for said in [
        "Best of 4",
        "fast.whyslow",
        "20.0 % shorter than A",
        "slow.whyslow",
        "50.0 % longer than A",
    ] {
        assert!(answer.contains(said), "no {said} in {answer}");
    }
    let table = &page[page.find("table class=\"sort ranking\"").unwrap()..];
    let places = ["fast.whyslow", "A a.whyslow", "mid.whyslow", "slow.whyslow"];
    let places = places.map(|name| table.find(name).unwrap_or_else(|| panic!("no {name}")));
    assert!(places.is_sorted(), "{places:?}");
    // A small chart of each, on axes that all share.
    assert_eq!(page.matches("<svg class=\"mini\"").count(), 4);
}

#[test]
fn the_page_of_300_points_on_two_sides_is_below_the_limit() {
    let make = |seed: f64| {
        let mut maker = Maker::new();
        maker.noise = 0.05 * seed;
        maker.all();
        let mut more = 0;
        while maker.record.plan.points.len() < 300 {
            more += 1;
            maker.single(
                &format!("os.call{{number={more}}}"),
                Unit::Ns,
                f64::from(100 + more),
            );
        }
        maker.done()
    };
    let page = page_of_two(&make(1.0), &make(1.3));
    balanced(&page);
    assert!(page.len() < LIMIT, "{}", page.len());
}

#[test]
fn the_chart_of_the_answer_has_its_numbers_beside_it() {
    // Calls alone differ: their ratios are drawn, not a curve.
    let make = |times: f64| {
        let mut maker = Maker::new();
        maker.all();
        for number in 1..30 {
            maker.single(
                &format!("os.call{{number={number}}}"),
                Unit::Ns,
                times * f64::from(100 + number),
            );
        }
        maker.done()
    };
    let page = page_of_two(&make(1.0), &make(2.0));
    let answer = page.split("</section>").next().unwrap();
    assert!(answer.contains("<figure"), "no chart");
    assert!(answer.contains("The numbers behind it (8 rows)"));
    assert!(answer.contains("os.call{number="));
}

#[test]
fn hostile_names_stay_text_and_short() {
    let attack = "</script><script>alert(1)</script>\"'><svg onload=alert(1)>";
    let long = attack.repeat((10 << 20) / attack.len());
    let mut maker = Maker::new();
    maker.single("os.null_call", Unit::Ns, 90.0);
    maker.point(
        "mem.bandwidth{op=read,level=L1,cpus=1}",
        Unit::GbPerS,
        ValueRule::Best,
        &[("<b onclick=x>", 90.0), ("u64", 40.0)],
    );
    let host = maker.record.host.as_mut().unwrap();
    host.name = Known::Is(long.clone());
    maker.record.header.version = attack.into();
    maker.record.header.started = attack.into();
    maker.record.plan.points[0].title = Some(long.clone());
    for about in [attack, &long] {
        maker.record.notes.push(Note {
            about: about.into(),
            text: long.clone(),
        });
    }
    let (record, summary) = maker.done();
    let page = page_of(&record, &summary);
    balanced(&page);
    for raw in ["<script>alert", "<svg onload", "<b onclick", "\"'><"] {
        assert!(!page.contains(raw), "{raw}");
    }
    assert!(page.len() < LIMIT, "{}", page.len());
}

#[test]
fn numbers_that_are_none_do_not_break_it() {
    for odd in [f64::NAN, f64::INFINITY, 0.0, -5.0, 1e300, 1e-300] {
        let mut maker = Maker::new();
        maker.curve(
            "4k",
            [(32 << 10, 1.0), (1 << 20, 4.0), (16 << 20, 20.0)],
            100.0,
        );
        maker.single("cpu.core_to_core{a=0,b=1}", Unit::Ns, 30.0);
        for process in &mut maker.record.processes {
            if let Outcome::Draws(draws) = &mut process.outcome {
                for series in draws.iter_mut().flat_map(|d| &mut d.series) {
                    series.ns[0] = odd;
                    if process.round % 2 == 0 {
                        series.ns.fill(odd);
                    }
                }
            }
        }
        let (record, mut summary) = maker.done();
        for point in summary.points.iter_mut().step_by(3) {
            if let Some(value) = &mut point.value {
                value.value = odd;
                value.range = Some([odd, 1.0]);
            }
        }
        let page = page_of(&record, &summary);
        balanced(&page);
        assert!(
            !page.contains("=\"NaN") && !page.contains("=\"inf"),
            "{odd}"
        );
    }
}

#[test]
fn five_thousand_points_and_one() {
    let mut maker = Maker::new();
    for i in 0..5_000u32 {
        let text = format!("os.call{{number={i},kind=k{}}}", i % 40);
        maker.single(&text, Unit::Ns, f64::from(50 + i));
    }
    let (record, summary) = maker.done();
    let page = page_of(&record, &summary);
    balanced(&page);
    assert!(page.len() < 4 * LIMIT, "{}", page.len());
    assert!(page.contains("more rows are left out"));

    let mut maker = Maker::new();
    maker.single("os.null_call", Unit::Ns, 90.0);
    let (record, summary) = maker.done();
    let one = page_of(&record, &summary);
    balanced(&one);
    assert!(one.contains("os.null_call"));
}

#[test]
fn a_record_without_anything_has_a_page() {
    let record = header_only();
    let summary = whyslow_stats::record::summarise(&record);
    let page = page_of(&record, &summary);
    balanced(&page);
    assert!(page.contains(">Answer</h2>") && !page.contains(">Samples</h2>"));
}

#[test]
fn the_bands_and_levels_are_those_of_the_record() {
    let (record, summary) = usual();
    let page = page_of(&record, &summary);
    for level in &summary.levels {
        if let Some(bytes) = level.claimed_bytes {
            let said = format!("{}: {} claimed", level.name, size::format(bytes));
            let said = said.replace("KiB", "\u{a0}KiB").replace("MiB", "\u{a0}MiB");
            assert!(page.contains(&said), "{said}");
        }
    }
    let point = summary
        .point("mem.latency{size=64KiB,order=random,pages=4k}")
        .unwrap();
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (_, draws) in record.measured(&point.point) {
        for draw in draws {
            let mut times: Vec<f64> = draw.series[0]
                .ns
                .iter()
                .map(|ns| ns / draw.series[0].work)
                .collect();
            times.sort_by(f64::total_cmp);
            low = low.min(times[times.len() / 2]);
            high = high.max(times[times.len() / 2]);
        }
    }
    assert!(
        page.contains(&format!("draws {low:.2} to {high:.2} ns")),
        "{low} {high}"
    );
}
