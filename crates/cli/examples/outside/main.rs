//! Causes planted from outside, by programs that the tool does not know of, and whether `explain` names them:
//! `cargo build --release && cargo run --release -p whyslow --example outside -- FOLDER [--markdown] [NAME ...]`.
//!
//! For each plant two short records are made, one plain and one under the plant, and are explained.
//! Records that FOLDER already holds are explained again without measuring. Needs a C compiler; what this machine does
//! not allow is skipped with its reason.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // an experiment that cannot go on stops, and says what it found

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

mod plants;

use plants::By::{Beside, Shell, Words};
use plants::{PLANTS, Plant};
use serde_json::Value;
use whyslow_explain::planted::PANEL;

/// Points beside the panel: the same exchange with packets and without.
const PACKETS: &str = "net.latency{over=tcp,cpus=same-cpu},net.latency{over=unix,cpus=same-cpu}";

/// So long a plain record stands for the machine as it is.
const RECENT: Duration = Duration::from_secs(60);

/// A library that watches the loader, and says that it knows its version.
const AUDIT: &str = "unsigned la_version(unsigned v){return v;}\n";

/// A memcpy that takes its time, and a stream of memory.
const SLOW: &str = "#include <stddef.h>\nvoid *memcpy(void *d, const void *s, size_t n){volatile char *p=d;const char *q=s;for(size_t i=0;i<n;i++)p[i]=q[i];return d;}\n";
const STREAM: &str = "#include <stdlib.h>\n#include <string.h>\nint main(){size_t n=256<<20;char *a=malloc(n),*b=malloc(n);for(;;){memset(a,1,n);memcpy(b,a,n);}}\n";

fn compile(folder: &Path) {
    let wrap = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/outside/wrap.c");
    let cc = |args: &[&str]| {
        assert!(
            Command::new("cc")
                .args(args)
                .current_dir(folder)
                .status()
                .unwrap()
                .success()
        )
    };
    std::fs::write(folder.join("slow.c"), SLOW).unwrap();
    std::fs::write(folder.join("stream.c"), STREAM).unwrap();
    std::fs::write(folder.join("audit.c"), AUDIT).unwrap();
    std::fs::write(folder.join("empty.c"), "int whyslow_empty;\n").unwrap();
    cc(&["-O2", "-o", "wrap", wrap.to_str().unwrap()]);
    cc(&[
        "-O1",
        "-fno-builtin",
        "-fno-tree-loop-distribute-patterns",
        "-shared",
        "-fPIC",
        "-o",
        "slow.so",
        "slow.c",
    ]);
    cc(&["-O2", "-o", "stream", "stream.c"]);
    cc(&["-shared", "-fPIC", "-o", "audit.so", "audit.c"]);
    for i in 1..=8 {
        cc(&["-shared", "-fPIC", "-o", &format!("empty{i}.so"), "empty.c"]);
    }
}

/// Our own binary, built beside this example.
fn whyslow() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("whyslow")
}

fn record(plant: Option<&Plant>, folder: &Path, to: &Path) -> Result<(), String> {
    let named = |text: &str| {
        text.replace("{wrap}", folder.join("wrap").to_str().unwrap())
            .replace("{folder}", folder.to_str().unwrap())
    };
    let mut words: Vec<String> = Vec::new();
    let mut beside: Option<Child> = None;
    match plant.map(|p| &p.by) {
        None => {}
        Some(Words(own)) => words.extend(own.iter().map(|w| named(w))),
        Some(Shell(script)) => words.extend(["sh".into(), "-c".into(), named(script), "sh".into()]),
        Some(Beside(script)) => {
            let mut shell = Command::new("setsid");
            beside = Some(
                shell
                    .args(["sh", "-c", &named(script)])
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap(),
            );
        }
    }
    words.push(whyslow().to_str().unwrap().to_owned());
    words.extend(
        [
            "run",
            "--only",
            &format!("{PANEL},{PACKETS}"),
            "--rounds",
            "5",
            "--budget",
            "15",
            "-o",
            to.to_str().unwrap(),
        ]
        .map(str::to_owned),
    );
    let out = Command::new(&words[0]).args(&words[1..]).output().unwrap();
    if let Some(mut child) = beside {
        Command::new("pkill")
            .args(["-s", &child.id().to_string()])
            .status()
            .unwrap();
        child.wait().unwrap();
    }
    if out.status.success() && to.exists() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&out.stderr);
    Err(text.lines().last().unwrap_or("no record").to_owned())
}

/// The causes that two records are explained by, the likeliest first.
fn named(a: &Path, b: &Path) -> Vec<String> {
    let out = Command::new(whyslow())
        .arg("explain")
        .args([a, b])
        .args(["--format", "json"])
        .output()
        .unwrap();
    let explanation: Value = serde_json::from_slice(&out.stdout).unwrap();
    let causes = explanation["causes"].as_array().unwrap().iter();
    let likely = causes
        .filter(|c| c["verdict"] != "contradicted" && c["weight"].as_f64() > Some(0.0))
        .map(|c| c["cause"].as_str().unwrap().to_owned());
    likely.collect()
}

/// How many of one kind of plants there were, and came out.
#[derive(Default)]
struct Tally {
    all: usize,
    first: usize,
    near: usize,
}

impl Tally {
    fn take(&mut self, place: Option<usize>) {
        self.all += 1;
        self.first += usize::from(place == Some(0));
        self.near += usize::from(place.is_some_and(|at| at < 2));
    }

    /// A share of them in percent.
    fn percent(&self, of: usize) -> String {
        format!(
            "{of} of {} ({:.0} %)",
            self.all,
            100.0 * of as f64 / self.all.max(1) as f64
        )
    }
}

/// The place of what is right among the causes that were named; of a pair, as if both were one, the first where both
/// stand in front.
fn place(plant: &Plant, named: &[String]) -> Option<usize> {
    let at = |cause: &str| named.iter().position(|n| n == cause);
    match (plant.right, plant.both) {
        ([], _) => at("nothing"),
        (right, false) => right.iter().filter_map(|cause| at(cause)).min(),
        (right, true) => {
            let last = right.iter().map(|cause| at(cause)).max()?;
            let all = right.iter().all(|cause| at(cause).is_some());
            last.filter(|_| all)
                .map(|at| (at + 1).saturating_sub(right.len()))
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().expect("a folder for the records"));
    let (options, only): (Vec<String>, Vec<String>) = args.partition(|a| a.starts_with("--"));
    let markdown = options.iter().any(|option| option == "--markdown");
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    compile(&folder);
    if markdown {
        println!("| plant | what is done | right | came | named |\n|---|---|---|---|---|");
    }
    let mut plain: Option<(PathBuf, Instant)> = None;
    let (mut single, mut none, mut pairs) = (Tally::default(), Tally::default(), Tally::default());
    for plant in PLANTS
        .iter()
        .filter(|p| only.is_empty() || only.iter().any(|n| n == p.name))
    {
        let [a, b] = ["a", "b"].map(|side| folder.join(format!("{}.{side}.whyslow", plant.name)));
        // Of what is planted the plain record may be a minute old; two of nothing are made one after the other.
        let recent = plain.as_ref().filter(|(_, made)| made.elapsed() < RECENT);
        match recent {
            Some((record, _)) if !plant.right.is_empty() && !a.exists() => {
                std::fs::copy(record, &a).unwrap();
            }
            _ => {}
        }
        for (to, under) in [(&a, None), (&b, Some(plant))] {
            if to.exists() {
                continue;
            }
            match record(under, &folder, to) {
                Ok(()) if under.is_none() => plain = Some((to.clone(), Instant::now())),
                Ok(()) => {}
                Err(why) => println!("{:18} skipped: {why}", plant.name),
            }
        }
        if !a.exists() || !b.exists() {
            continue;
        }
        let named = named(&a, &b);
        let place = place(plant, &named);
        let tally = match (plant.right, plant.both) {
            ([], _) => &mut none,
            (_, false) => &mut single,
            (_, true) => &mut pairs,
        };
        tally.take(place);
        let came = match place {
            Some(0) => "first".to_owned(),
            Some(1) => "second".to_owned(),
            Some(at) => format!("place {}", at + 1),
            None => "not named".to_owned(),
        };
        let right = match (plant.right, plant.both) {
            ([], _) => "nothing".to_owned(),
            (right, false) => right.join(" or "),
            (right, true) => right.join(" and "),
        };
        let told: Vec<&str> = named.iter().take(3).map(String::as_str).collect();
        let told = told.join(", ");
        match markdown {
            true => println!(
                "| {} | {} | {right} | {came} | {told} |",
                plant.name, plant.what
            ),
            false => println!("{:18} {came:9} {told}", plant.name),
        }
    }
    println!();
    let (first, near) = (single.percent(single.first), single.percent(single.near));
    println!("- one cause: {first} first, {near} first or second");
    println!("- nothing: {} said so first", none.percent(none.first));
    println!("- two causes: {} both in front", pairs.percent(pairs.first));
}
