//! A record made up for the tests: a machine of three caches that no machine is quite like.
#![allow(dead_code, reason = "each test file uses a part of it")]

use whyslow_model::host::{Host, Known};
use whyslow_model::record::{
    Build, Draw, End, Footer, Header, Outcome, Plan, Planned, Process, Randomization, Record,
    Series, StateAt, ValueRule,
};
use whyslow_model::state::{HostCpuTime, Neighbours, State};
use whyslow_model::summary::Summary;
use whyslow_model::{Better, Unit, size};
use whyslow_report::Look;

/// A look without color.
pub(crate) fn plain(width: usize) -> Look {
    Look {
        width,
        color: false,
        ascii: false,
    }
}

pub(crate) fn host() -> Host {
    serde_json::from_str(include_str!("host.json")).unwrap()
}

pub(crate) fn state() -> State {
    serde_json::from_str(include_str!("state.json")).unwrap()
}

/// The record of a run that said nothing yet.
pub(crate) fn header_only() -> Record {
    Record::new(Header {
        schema: 1,
        version: "0.1.0".into(),
        build: Build {
            arch: "x86_64".into(),
            libc: "gnu dynamic".into(),
            profile: "release".into(),
            kernels: "assembly".into(),
        },
        seed: 1,
        intensity: "quick".into(),
        rounds: 5,
        fill: false,
        budget_s: Some(55.0),
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: "2026-03-04T05:06:07.8Z".into(),
    })
}

/// A record in the making.
pub(crate) struct Maker {
    pub(crate) record: Record,
    random: u64,
    /// Spread of a process's times, as a share.
    pub(crate) noise: f64,
}

impl Maker {
    /// With host, state and end, but without points.
    pub(crate) fn new() -> Self {
        let mut record = header_only();
        record.host = Some(Box::new(host()));
        for when in ["start", "end"] {
            record.states.push(StateAt {
                when: when.into(),
                state: state(),
            });
        }
        record.neighbours = Some(Neighbours {
            wall_s: 50.0,
            host: Known::Is(HostCpuTime {
                total_s: 200.0,
                busy: 0.3,
                steal: 0.0,
                idle: 0.7,
            }),
            ours_cpu_s: Known::Is(59.0),
            others_cpu_s: Known::Is(1.0),
            top: Known::Is(vec![]),
        });
        record.footer = Some(Footer {
            hash: String::new(),
            end: End::Complete,
            finished: "2026-03-04T05:07:00Z".into(),
        });
        record.plan = Plan {
            rounds: 5,
            ..Plan::default()
        };
        Maker {
            record,
            random: 7,
            noise: 0.01,
        }
    }

    /// A factor near 1.
    fn randomization(&mut self) -> f64 {
        self.random = self
            .random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let share = (self.random >> 33) as f64 / (1u64 << 31) as f64;
        1.0 + self.noise * (2.0 * share - 1.0)
    }

    /// A point measured by five processes; the values are of the series, in the point's unit.
    pub(crate) fn point(
        &mut self,
        text: &str,
        unit: Unit,
        value: ValueRule,
        series: &[(&str, f64)],
    ) -> &mut Self {
        self.point_at(text, unit, value, series, &[])
    }

    /// As [`Maker::point`], with the core-to-core latency seen around each process.
    pub(crate) fn point_at(
        &mut self,
        text: &str,
        unit: Unit,
        value: ValueRule,
        series: &[(&str, f64)],
        handover: &[f64],
    ) -> &mut Self {
        let point: whyslow_model::Point = text.parse().unwrap();
        let usual = match point.get("level") {
            Some("L1") => Some(16 << 10),
            Some("L2") => Some(256 << 10),
            Some("L3") => Some(8 << 20),
            Some(_) => Some(256 << 20),
            None => None,
        };
        self.record.plan.points.push(Planned {
            estimator: Default::default(),
            between_runs: 0.0,
            size_bytes: point.get("size").and_then(size::parse).or(usual),
            point: point.clone(),
            unit,
            better: if unit.is_rate() {
                Better::Higher
            } else {
                Better::Lower
            },
            value,
            usual_marks: vec![],
            title: None,
            symbol: None,
        });
        for round in 1..=5 {
            let place = handover
                .get(round as usize % handover.len().max(1))
                .copied();
            // Twice as far is half as fast, so that a class is seen in the values.
            let slow = place.map_or(1.0, |ns| ns / handover[0]);
            let of_process = self.randomization();
            let draws = (0..2).map(|_| Draw {
                series: series
                    .iter()
                    .map(|(name, value)| Series {
                        name: (*name).into(),
                        work: 1000.0,
                        ns: (0..5)
                            .map(|_| {
                                let time = if unit.is_rate() { 1.0 / value } else { *value };
                                1000.0 * time * slow * of_process * self.randomization()
                            })
                            .collect(),
                        marks: vec![],
                        handover_ns: place.map_or_else(Vec::new, |ns| vec![[ns, ns]; 5]),
                        slots: Vec::new(),
                    })
                    .collect(),
                ..Draw::default()
            });
            let draws = draws.collect();
            let at_ms = self.record.processes.len() as f64 * 70.0;
            self.record.processes.push(Process {
                round,
                order: 0,
                point: point.clone(),
                at_ms,
                wall_ms: 60.0,
                ghz: None,
                slots: None,
                randomization: Randomization {
                    cpus: place.map_or_else(Vec::new, |_| vec![0, 1]),
                    ..Randomization::default()
                },
                outcome: Outcome::Draws(draws),
            });
        }
        self
    }

    /// A point with one series.
    pub(crate) fn single(&mut self, text: &str, unit: Unit, value: f64) -> &mut Self {
        self.point(text, unit, ValueRule::Single, &[("", value)])
    }

    /// The latency curve of caches that end at `ends`, each size with its time; `pages` as in
    /// the point.
    pub(crate) fn curve(&mut self, pages: &str, levels: [(u64, f64); 3], memory: f64) -> &mut Self {
        for octave in 10..28 {
            for bytes in [1u64 << octave, 3u64 << (octave - 1)] {
                let level = levels.iter().find(|(end, _)| bytes <= *end);
                let ns = level.map_or(memory, |(_, ns)| *ns);
                let text = format!(
                    "mem.latency{{size={},order=random,pages={pages}}}",
                    size::format(bytes)
                );
                self.single(&text, Unit::Ns, ns);
            }
        }
        self
    }

    /// Everything that a quick run has.
    pub(crate) fn all(&mut self) -> &mut Self {
        let levels = [(32 << 10, 1.25), (1 << 20, 4.0), (16 << 20, 20.0)];
        self.curve("4k", levels, 100.0).curve("thp", levels, 99.0);
        self.single("cpu.clock", Unit::Ghz, 4.0);
        self.point_at(
            "cpu.core_to_core{a=0,b=1}",
            Unit::Ns,
            ValueRule::Single,
            &[("", 30.0)],
            &[30.0],
        );
        for op in ["read", "write", "copy"] {
            for (cpus, times) in [("1", 1.0), ("all", 4.0)] {
                for (level, rate) in [("L1", 400.0), ("L2", 200.0), ("L3", 90.0), ("DRAM", 20.0)] {
                    let text = format!("mem.bandwidth{{op={op},level={level},cpus={cpus}}}");
                    let rate = rate * times;
                    let best = if level == "DRAM" {
                        "nt-avx512-streams"
                    } else {
                        "avx512"
                    };
                    let series = [("u64", rate / 2.0), (best, rate)];
                    if cpus == "all" {
                        self.point_at(&text, Unit::GbPerS, ValueRule::Best, &series, &[30.0]);
                    } else {
                        self.point(&text, Unit::GbPerS, ValueRule::Best, &series);
                    }
                }
            }
        }
        let line = [
            ("8", 50.0),
            ("16", 50.0),
            ("32", 50.0),
            ("64", 60.0),
            ("128", 99.0),
            ("256", 100.0),
        ];
        self.point("mem.line{level=DRAM}", Unit::Ns, ValueRule::Each, &line);
        let line = [("8", 2.0), ("32", 2.01), ("64", 4.0), ("256", 4.0)];
        self.point("mem.line{level=L2}", Unit::Ns, ValueRule::Each, &line);
        let chains = [
            ("1", 100.0),
            ("2", 50.0),
            ("4", 25.0),
            ("8", 12.5),
            ("16", 12.6),
        ];
        self.point(
            "mem.parallelism{level=DRAM}",
            Unit::Ns,
            ValueRule::Each,
            &chains,
        );
        for (count, sparse) in [(16, 1.25), (64, 1.26), (256, 3.25), (4096, 13.0)] {
            let rule = ValueRule::Less {
                from: "sparse".into(),
                less: "packed".into(),
            };
            let text = format!("mem.tlb{{count={count},pages=4k}}");
            self.point(
                &text,
                Unit::Ns,
                rule,
                &[("sparse", sparse), ("packed", 1.25)],
            );
        }
        for (name, ns) in [
            ("null_call", 90.0),
            ("read", 120.0),
            ("stat", 700.0),
            ("open_close", 1500.0),
        ] {
            self.single(&format!("os.{name}"), Unit::Ns, ns);
        }
        for (name, ns) in [
            ("fork{image=static}", 5e4),
            ("exec{image=dynamic}", 4e5),
            ("shell", 1.2e6),
        ] {
            self.single(&format!("proc.{name}"), Unit::Ns, ns);
        }
        for (cpus, ns) in [("same-cpu", 1500.0), ("same-llc", 1700.0), ("free", 1600.0)] {
            self.single(
                &format!("ctx.ring{{procs=2,size=0,cpus={cpus}}}"),
                Unit::Ns,
                ns,
            );
            self.single(&format!("ipc.pipe{{cpus={cpus}}}"), Unit::Ns, 2.5 * ns);
        }
        self
    }

    pub(crate) fn done(&mut self) -> (Record, Summary) {
        let summary = whyslow_stats::record::summarise(&self.record);
        (self.record.clone(), summary)
    }
}

/// The plausible record with its summary.
pub(crate) fn usual() -> (Record, Summary) {
    Maker::new().all().done()
}

/// The page of a record as one line of text: where lines are broken does not matter.
pub(crate) fn page(record: &Record, summary: &Summary) -> String {
    let page = whyslow_report::summary(record, summary, plain(100));
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// No line wider than `width`, none with spaces at its end, nothing that moves the cursor.
pub(crate) fn check(text: &str, width: usize) {
    assert!(text.is_empty() || text.ends_with('\n'));
    for line in text.lines() {
        assert!(
            line.chars().count() <= width,
            "{} columns: {line}",
            line.chars().count()
        );
        assert_eq!(line.trim_end(), line, "spaces at the end of '{line}'");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

/// Without the sequences that [`Look::color`] may add.
pub(crate) fn uncolored(text: &str) -> String {
    let mut out = text.to_owned();
    for sequence in ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[36m"] {
        out = out.replace(sequence, "");
    }
    out
}
