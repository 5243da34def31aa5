//! `whyslow sim`: what is simulated adds up, is the same each time, and bad input is one line.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::env::{Said, TestEnv};
use crate::schema::errors;

fn json(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(errors("sim", &document), Vec::<String>::new());
    document
}

#[test]
fn colored_pages_do_not_miss_a_cache_that_they_fit_in() {
    let env = TestEnv::new();
    let misses = |args: &str| {
        let args = format!(
            "sim --memory 1MiB --cache 48KiB:12 --cache 1MiB:16 --placements 5 {args} --format json"
        );
        let found = json(&env.run(&args));
        let level = &found["levels"][1];
        assert_eq!(level["accesses"], 16_384, "{found}");
        level["misses"].as_u64().unwrap()
    };
    assert_eq!(misses("--policy colored"), 0);
    assert_eq!(misses("--policy hopping"), 0);
    let random = misses("--policy random");
    assert!((1000..12_000).contains(&random), "{random}");
    assert_eq!(misses("--policy random"), random);
    // Half of the cache's size: with 4 ways a color is crowded early, with 16 hardly ever.
    let half = |ways: u32| {
        let args = format!("sim --memory 512KiB --ways L2={ways} --placements 5 --format json");
        let found = json(&env.run(&args));
        found["levels"][1]["over_placements"]["median"]
            .as_f64()
            .unwrap()
    };
    // Age is between a fresh machine, whose free blocks hold all colors alike, and pages anywhere.
    let [fresh, aged] = [0, 60].map(|age| misses(&format!("--policy stock --age {age}")));
    assert!(fresh < aged && aged < random, "{fresh} {aged} {random}");
    assert!(half(4) > 2.0 * half(16), "{} {}", half(4), half(16));
    assert!(misses("--policy colored --size L2=512KiB") == 16_384);
    // In a row, every second line was fetched with the one before it.
    let row = |cache: &str| {
        let found = json(&env.run(&format!(
            "sim --pattern stride --memory 4MiB --cache 48KiB:12 --cache {cache} --format json"
        )));
        found["levels"][1]["misses"].as_u64().unwrap()
    };
    assert_eq!((row("1MiB:16"), row("1MiB:16:pairs")), (65_536, 32_768));
}

#[test]
fn a_measured_value_lies_somewhere_among_placements() {
    let env = TestEnv::new();
    let args =
        "sim --memory 1MiB --latency 1,3,12,100 --tlb 96:96 --tlb 2048:8 --placements 9 --measured";
    let found = json(&env.run(&format!("{args} 2.5 --format json")));
    assert_eq!(found["measured"][1], 0.0);
    assert!(found["latency_ns"]["least"].as_f64() < found["latency_ns"]["most"].as_f64());
    assert_eq!(
        json(&env.run(&format!("{args} 99 --format json")))["measured"][1],
        1.0
    );
    // 256 pages do not fit into 96 entries, and do into 2,048.
    assert!(
        found["tlbs"][0]["misses"].as_u64().unwrap() > 9000,
        "{found}"
    );
    assert_eq!(found["tlbs"][1]["misses"], 0);
    let screen = env.run(&format!("{args} 3.9 --measured L2=1e9"));
    for word in [
        "MISSES OVER PLACEMENTS",
        "L2: 100 % of the placements have fewer misses than the measured 1,000,000,000",
        "MISSES BY COLOR",
        "PAGES WITH MOST MISSES",
        "faster than the measured",
        "L3 32 MiB",
    ] {
        assert!(screen.out.contains(word), "{screen:?}");
    }
    assert!(
        screen.out.lines().all(|line| line.chars().count() <= 80),
        "{screen:?}"
    );
}

#[test]
fn a_trace_goes_in_and_the_physical_one_comes_out() {
    let env = TestEnv::new();
    let text = "==1== Lackey\nI  401000,3\n L 1000,8\n S 1040,4\nI  401003,3\n M 103c,8\n";
    fs::write(env.path("t"), text).unwrap();
    let args = "sim --trace t --policy virtual --placements 1 --format json";
    let found = json(&env.run(&format!("{args} --write-trace out")));
    // The last crosses a line, and is read and written.
    assert_eq!(
        (&found["accesses"], &found["instructions"]),
        (&6.into(), &2.into())
    );
    assert_eq!(
        (&found["levels"][0]["misses"], &found["levels"][0]["mpki"]),
        (&2.into(), &1000.0.into())
    );
    assert_eq!(
        fs::read_to_string(env.path("out")).unwrap(),
        "LD 0x1000\nLD 0x1040\n"
    );
    json(&env.run(&format!(
        "{args} --write-trace other --write-format dramsim3"
    )));
    assert_eq!(
        fs::read_to_string(env.path("other")).unwrap(),
        "0x1000 READ 0\n0x1040 READ 1\n"
    );
    env.run(&format!("{args} --write-trace out"))
        .refuses(&["out", "new file"]);

    let mut child = env
        .whyslow("sim --trace - --policy virtual --format json")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let piped = json(&Said::of(child.wait_with_output().unwrap()));
    assert_eq!(piped["levels"][0]["misses"], 2);
}

#[test]
fn a_record_is_simulated_by_its_own_host() {
    let env = TestEnv::new();
    let ran = env.run("run --only mem.latency{size=?KiB,order=random,pages=4k},mem.latency{size=??KiB,order=random,pages=4k},mem.latency{size=???KiB,order=random,pages=4k} --rounds 3 -o r");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found = json(&env.run("sim --like r --placements 3 --ways L1=4 --format json"));
    let sizes = found["sizes"].as_array().unwrap();
    assert!(sizes.len() >= 12, "{found}");
    for size in sizes {
        assert!(size["measured_ns"].as_f64().unwrap() > 0.0, "{size}");
        assert!(
            size["simulated_ns"]["median"].as_f64().unwrap() > 0.0,
            "{size}"
        );
        assert!(
            size["what_if_ns"].is_object() && size["error"].is_number(),
            "{size}"
        );
    }
    let colored = json(&env.run("sim --like r --placements 3 --policy colored --format json"));
    let last = colored["sizes"].as_array().unwrap().last().unwrap();
    // Nothing collides in a cache that all of it fits in.
    assert!(last["what_if_ns"]["median"].as_f64() <= last["simulated_ns"]["median"].as_f64());
    env.run("sim --like r --policy huge")
        .refuses(&["--policy huge", "--pages thp"]);
    let screen = env.run("sim --like r --placements 3 --pages colored");
    assert!(
        screen.out.lines().all(|line| line.chars().count() <= 80),
        "{screen:?}"
    );
    env.run("sim --like r --ways L9=4")
        .refuses(&["no level L9", "L1, L2"]);

    assert_eq!(
        env.run("run --only os.null_call --rounds 1 -o none").code,
        Some(0)
    );
    env.run("sim --like none")
        .refuses(&["none", "0 sizes of mem.latency"]);
    env.run("sim --colors-of none")
        .refuses(&["none", "no colors"]);
}

#[test]
fn bad_input_is_one_line() {
    let env = TestEnv::new();
    fs::write(env.path("broken"), "R 1000\nW 12 34 56\n").unwrap();
    fs::write(env.path("empty"), "").unwrap();
    for (args, words) in [
        ("--trace broken", &["broken:2:", "`W 12 34 56`"][..]),
        ("--trace empty", &["empty:1:", "without an access"]),
        ("--trace nosuch", &["cannot read nosuch"]),
        ("--like nosuch", &["nosuch"]),
        (
            "--cache 48KiB:12 --cache 768KiB:16 --hash L2",
            &["L2", "768 sets are no power of two"],
        ),
        (
            "--cache 1000:4",
            &["--cache 1000:4", "no whole number of lines"],
        ),
        ("--cache 48KiB", &["--cache 48KiB", "SIZE:WAYS"]),
        (
            "--cache 48KiB:12:tree-plru",
            &["L1", "tree-plru takes a power of two"],
        ),
        ("--cache 48KiB:12:fifo", &["fifo is none of"]),
        ("--measured L9=4", &["--measured L9=4", "no level L9"]),
        ("--measured 4", &["--measured 4", "--latency"]),
        ("--measured L2=many", &["--measured L2=many", "no number"]),
        ("--tlb 96", &["--tlb 96"]),
        ("--latency 1,2", &["--latency takes 4 times"]),
        ("--hash L2=zz", &["masks of addresses"]),
        ("--memory 64", &["pattern", "two lines"]),
    ] {
        env.run(&format!("sim {args}")).refuses(words);
    }
}
