//! scratch
mod machine;
use machine::*;
use whyslow_stats::levels::cut;

#[test]
fn survey() {
    let reps = std::env::var("REPS")
        .ok()
        .and_then(|r| r.parse().ok())
        .unwrap_or(20);
    let cells: Vec<(&str, Machine, u64)> = vec![
        ("zen", zen(), 256 * MIB),
        ("zen_even", zen_even(), 256 * MIB),
        ("intel", intel(), 256 * MIB),
        ("arm", arm(), 256 * MIB),
        ("four", four_levels(), 1024 * MIB),
        ("alpha", alpha(), 64 * MIB),
        ("flat", flat(), 24 * KIB),
    ];
    for (name, m, to) in &cells {
        let truth: Vec<f64> = (0..m.caches.len()).map(|k| m.most_served(k)).collect();
        let expect = if *name == "flat" {
            1
        } else {
            m.caches.len() + 1
        };
        for (per, procs) in [(2, 1), (2, 5), (4, 5), (4, 10), (4, 30)] {
            let mut right = 0;
            let mut counts = vec![];
            let mut errs: Vec<Vec<f64>> = vec![vec![]; truth.len()];
            let mut cover = vec![0; truth.len()];
            let mut notes = std::collections::BTreeMap::new();
            let t = std::time::Instant::now();
            let mut spent = 0.0;
            for rep in 0..reps {
                let data = m.measure(&sizes(KIB, *to, per), procs, &USUAL, 1000 + rep);
                let t0 = std::time::Instant::now();
                let levels = cut(&data, rep).unwrap();
                spent += t0.elapsed().as_secs_f64();
                counts.push(levels.levels.len());
                for n in &levels.notes {
                    *notes
                        .entry(format!("{n:?}").chars().take(8).collect::<String>())
                        .or_insert(0) += 1;
                }
                if levels.levels.len() == expect {
                    right += 1;
                    if expect > 1 {
                        for (k, t) in truth.iter().enumerate() {
                            let b = levels.levels[k].boundary.as_ref().unwrap();
                            errs[k].push(b.capacity / t);
                            cover[k] += usize::from(
                                b.capacity_interval.lo <= t * 1.001
                                    && *t * 0.999 <= b.capacity_interval.hi,
                            );
                        }
                    }
                } else if std::env::var("SHOW").is_ok() {
                    let ls: Vec<String> = levels
                        .levels
                        .iter()
                        .map(|l| {
                            format!(
                                "{:.2}ns {}",
                                l.latency,
                                l.boundary.as_ref().map_or(String::new(), |b| format!(
                                    "{:.0}K w{:.0}{:?}",
                                    b.capacity / 1024.,
                                    b.ways,
                                    b.policy
                                ))
                            )
                        })
                        .collect();
                    println!("      {}", ls.join(" | "));
                }
            }
            let _ = t;
            let e: Vec<String> = errs
                .iter_mut()
                .zip(&cover)
                .map(|(v, c)| {
                    v.sort_by(f64::total_cmp);
                    if v.is_empty() {
                        "-".into()
                    } else {
                        format!(
                            "{:.2}[{:.2},{:.2}]c{}",
                            v[v.len() / 2],
                            v[0],
                            v[v.len() - 1],
                            c
                        )
                    }
                })
                .collect();
            let mut hist = std::collections::BTreeMap::new();
            for c in counts {
                *hist.entry(c).or_insert(0) += 1;
            }
            println!(
                "{name:9} {per}/oct {procs:2}p right {right}/{reps} {hist:?} cap/truth {} {:.1} ms {notes:?}",
                e.join(" "),
                1e3 * spent / reps as f64
            );
        }
    }
}
