//! Records and pages of every kind that a reader meets, made once for the tests that go over all of them.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use whyslow_model::color::{ColorBench, ColorMap, ColorRun};

use crate::env::TestEnv;

/// What is measured of records that are compared: a curve, pairs of CPUs, calls, and bandwidth with its shapes.
const ONLY: &str = "cpu.*,os.null_call,os.read,mem.latency{size=1*KiB,*order=random*},mem.bandwidth{op=read,size=16KiB,*},ctx.ring{procs=2,size=0,*}";

/// Records beside each other.
const EIGHT: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Published results in `docs/seeds`.
const SEEDS: [&str; 7] = [
    "seed1-curve",
    "seed2-lmbench",
    "seed3-byte",
    "seed3-machines",
    "seed3-ramspeed",
    "seed4-builds",
    "seed5-smp",
];

/// The five published cases: the two sides of each.
pub(crate) const CASES: [(&str, [&str; 2]); 5] = [
    (
        "seed1",
        [
            "seed1-curve.linux_2_2_1.whyslow",
            "seed1-curve.digital_unix.whyslow",
        ],
    ),
    (
        "seed2",
        [
            "seed2-lmbench.ds10_linux_2_4_23.whyslow",
            "seed2-lmbench.ds10_linux_2_4_23a.whyslow",
        ],
    ),
    (
        "seed3",
        [
            "seed3-byte.appserver_geo.whyslow",
            "seed3-byte.beastie_lab.whyslow",
        ],
    ),
    (
        "seed4",
        ["seed4-builds.up1000.whyslow", "seed4-builds.cs20.whyslow"],
    ),
    (
        "seed5",
        ["seed5-smp.1_2_5.whyslow", "seed5-smp.1_3_37_smp.whyslow"],
    ),
];

/// Puts two records of this machine into the folder of `env`, under these names. They are measured once for all tests.
pub(crate) fn two_records(env: &TestEnv, names: [&str; 2]) {
    static MEASURED: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    let records = MEASURED.get_or_init(|| {
        let env = TestEnv::new();
        ["a", "b"].map(|name| {
            let ran = env.run(&format!("run --only {ONLY} --rounds 3 -o {name}"));
            assert_eq!(ran.code, Some(0), "{ran:?}");
            fs::read(env.path(name)).unwrap()
        })
    });
    for (name, record) in names.iter().zip(records) {
        fs::write(env.path(name), record).unwrap();
    }
}

/// Records and pages of all kinds.
pub(crate) struct Gallery {
    pub(crate) env: TestEnv,
    /// Names of the pages.
    pub(crate) pages: Vec<String>,
    /// What the experiment found, as JSON.
    pub(crate) experiment: String,
}

/// Made at the first call.
pub(crate) fn gallery() -> &'static Gallery {
    static MADE: OnceLock<Gallery> = OnceLock::new();
    MADE.get_or_init(made)
}

/// Records of this machine, of loads, and of the published results.
fn records(env: &TestEnv, does: impl Fn(&str) -> String) {
    // That many are the same two makes no difference to where things stand.
    for pair in EIGHT.chunks_exact(2) {
        two_records(env, [pair[0], pair[1]]);
    }
    does("load -j 1,2 --repeat 5 -o load -- true");
    does("load --repeat 5 -n first --against true -n second -o arms -- sleep 0.01");
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeds");
    for seed in SEEDS {
        fs::copy(
            seeds.join(format!("{seed}.txt")),
            env.path(&format!("{seed}.txt")),
        )
        .unwrap();
        does(&format!("import {seed}.txt -o {seed}"));
    }
}

fn made() -> Gallery {
    let env = TestEnv::new();
    let does = |args: &str| {
        let said = env.run(args);
        assert_eq!(said.code, Some(0), "{args}: {said:?}");
        said.out
    };
    // Beside the others, as it takes the longest.
    let experiment = thread::scope(|scope| {
        let experiment = scope.spawn(|| {
            does("explain --experiment seccomp --blocks 4 --seed 3 --format json --html experiment.html")
        });
        records(&env, does);
        experiment.join().unwrap()
    });
    let mut pages = vec!["experiment".to_owned()];
    let mut page = |name: &str, args: &str| {
        does(&format!("{args} {name}.html"));
        pages.push(name.to_owned());
    };
    page("one", "report a -o");
    page("two", "report a b -o");
    page("eight", &format!("report {} -o", EIGHT.join(" ")));
    page("load", "report load -o");
    page("arms", "report arms -o");
    page(
        "imported",
        "report seed2-lmbench.ds10_linux_2_4_23.whyslow -o",
    );
    for (name, [a, b]) in CASES {
        page(name, &format!("report {a} {b} -o"));
    }
    for (name, html) in [
        (
            "color-map",
            whyslow_report::color_map_html(&color_map(), "0"),
        ),
        (
            "color-bench",
            whyslow_report::color_bench_html(&color_bench(), "0"),
        ),
        (
            "color-run",
            whyslow_report::color_run_html(&color_run(), "0"),
        ),
    ] {
        fs::write(env.path(&format!("{name}.html")), html).unwrap();
        pages.push(name.to_owned());
    }
    Gallery {
        env,
        pages,
        experiment,
    }
}

/// Colors as they were found on a guest, and what they gained there.
pub(crate) fn color_map() -> ColorMap {
    serde_json::from_str(include_str!("color/map.json")).unwrap()
}

pub(crate) fn color_bench() -> ColorBench {
    serde_json::from_str(include_str!("color/bench.json")).unwrap()
}

pub(crate) fn color_run() -> ColorRun {
    serde_json::from_str(include_str!("color/run.json")).unwrap()
}
