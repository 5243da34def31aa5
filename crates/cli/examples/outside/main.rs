//! Causes planted from outside, by programs that the tool does not know of, and whether `explain` names them:
//! `cargo build --release && cargo run --release -p whyslow --example outside -- FOLDER [NAME ...]`.
//!
//! For each plant two short records are made one after the other, one plain and one under the plant, and are explained.
//! Records that FOLDER already holds are explained again without measuring. Needs a C compiler; what this machine does
//! not allow is skipped with its reason.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // an experiment that cannot go on stops, and says what it found

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use whyslow_explain::planted::PANEL;

/// How a plant gets around the program.
enum By {
    /// Words in front of it; `{wrap}` is the compiled helper, `{folder}` a folder of our own.
    Words(&'static [&'static str]),
    /// A shell command around `"$@"`, with the same names.
    Shell(&'static str),
    /// A program beside it, as a shell command.
    Beside(&'static str),
}

struct Plant {
    name: &'static str,
    by: By,
    /// Causes of which one is right; none where nothing is to be found.
    right: &'static [&'static str],
    /// Must each of them be named?
    both: bool,
}

const fn one(name: &'static str, by: By, right: &'static [&'static str]) -> Plant {
    Plant {
        name,
        by,
        right,
        both: false,
    }
}

const fn pair(name: &'static str, by: By, right: &'static [&'static str]) -> Plant {
    Plant {
        name,
        by,
        right,
        both: true,
    }
}

use By::{Beside, Shell, Words};

const PLANTS: &[Plant] = &[
    one(
        "slack",
        Words(&["{wrap}", "slack", "3000000"]),
        &["timer-slack"],
    ),
    one(
        "seccomp",
        Words(&["{wrap}", "seccomp", "300"]),
        &["seccomp"],
    ),
    one("ptrace", Words(&["{wrap}", "trace", "0"]), &["tracing"]),
    one("files", Words(&["{wrap}", "files", "8000"]), &["fork"]),
    one("thp", Words(&["{wrap}", "thp", "0"]), &["tlb-reach"]),
    one(
        "one-cpu",
        Words(&["taskset", "-c", "0"]),
        &["cross-cpu-wakeup", "copies"],
    ),
    one(
        "environment",
        Shell("for i in $(seq 1 400); do export PAD_$i=$(printf %0300d 0); done; \"$@\""),
        &["environment"],
    ),
    one(
        "bind-now",
        Shell("LD_BIND_NOW=1 LD_LIBRARY_PATH=$(seq -s: -f {folder}/none%g 1 60) \"$@\""),
        &["program-start"],
    ),
    one(
        "tunables",
        Shell(
            "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-ERMS,-AVX512F,-AVX512VL,-AVX_Fast_Unaligned_Load \"$@\"",
        ),
        &["memory-routines"],
    ),
    one(
        "preload",
        Shell("for i in 1 2 3 4 5 6 7 8; do l=$l{folder}/empty$i.so:; done; LD_PRELOAD=$l \"$@\""),
        &["preload"],
    ),
    one(
        "preload-file",
        Shell(
            "unshare -m sh -c 'ls {folder}/empty[1-8].so > {folder}/list; touch /etc/ld.so.preload; mount --bind {folder}/list /etc/ld.so.preload; exec \"$0\" \"$@\"' \"$@\"; r=$?; rm -f /etc/ld.so.preload; exit $r",
        ),
        &["preload"],
    ),
    one(
        "slow-memcpy",
        Shell("LD_PRELOAD={folder}/slow.so \"$@\""),
        &["memory-routines", "preload"],
    ),
    one(
        "frozen",
        Shell(
            "d=/sys/fs/cgroup/freezer/outside; mkdir -p $d || exit 1; sh -c 'echo $$ > /sys/fs/cgroup/freezer/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\" & p=$!; while kill -0 $p 2>/dev/null; do sleep 0.01; echo FROZEN > $d/freezer.state; sleep 0.01; echo THAWED > $d/freezer.state; done; wait $p; r=$?; sleep 0.1; rmdir $d; exit $r",
        ),
        &["cpu-quota", "cpu-neighbor", "scheduling"],
    ),
    one(
        "quota",
        Shell(
            "d=/sys/fs/cgroup/cpu/outside; mkdir -p $d || exit 1; echo 20000 > $d/cpu.cfs_period_us; echo 10000 > $d/cpu.cfs_quota_us; sh -c 'echo $$ > /sys/fs/cgroup/cpu/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\"; r=$?; sleep 0.1; rmdir $d; exit $r",
        ),
        &["cpu-quota"],
    ),
    one(
        "burner",
        Beside("while :; do :; done & while :; do :; done & wait"),
        &["cpu-neighbor"],
    ),
    one(
        "streamer",
        Beside("{folder}/stream"),
        &["memory-neighbor", "cpu-neighbor"],
    ),
    one(
        "sched-idle-burnt",
        Shell(
            "(timeout 120 sh -c 'while :; do :; done' & echo $! > {folder}/pid); {wrap} idle 0 \"$@\"; kill $(cat {folder}/pid)",
        ),
        &["scheduling", "cpu-neighbor"],
    ),
    one(
        "nice-burnt",
        Shell(
            "(timeout 120 sh -c 'while :; do :; done' & echo $! > {folder}/pid); nice -n 19 \"$@\"; kill $(cat {folder}/pid)",
        ),
        &["scheduling", "cpu-neighbor"],
    ),
    one(
        "sched-idle",
        Words(&["{wrap}", "idle", "0"]),
        &["scheduling", "nothing"],
    ),
    one(
        "tmpfs",
        Shell(
            "mkdir -p {folder}/tmp; mount -t tmpfs none {folder}/tmp && cd {folder}/tmp && TMPDIR={folder}/tmp \"$@\"; r=$?; cd /; umount {folder}/tmp; exit $r",
        ),
        &["file-system"],
    ),
    one(
        "locale",
        Shell("LC_ALL=C.UTF-8 LANG=C.UTF-8 \"$@\""),
        &["locale", "nothing"],
    ),
    one("random", Words(&["{wrap}", "random", "0"]), &[]),
    one("batch", Words(&["{wrap}", "batch", "0"]), &[]),
    one("stack", Words(&["{wrap}", "stack", "0"]), &[]),
    one("plain", Words(&[]), &[]),
    one("plain-again", Words(&[]), &[]),
    pair(
        "slack+seccomp",
        Words(&["{wrap}", "slack", "3000000", "{wrap}", "seccomp", "300"]),
        &["timer-slack", "seccomp"],
    ),
    pair(
        "files+slack",
        Words(&["{wrap}", "files", "8000", "{wrap}", "slack", "3000000"]),
        &["fork", "timer-slack"],
    ),
    pair(
        "thp+seccomp",
        Words(&["{wrap}", "thp", "0", "{wrap}", "seccomp", "300"]),
        &["tlb-reach", "seccomp"],
    ),
];

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
            PANEL,
            "--rounds",
            "5",
            "--budget",
            "20",
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

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().expect("a folder for the records"));
    let only: Vec<String> = args.collect();
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    compile(&folder);
    let (mut planted, mut first, mut near, mut nulls, mut clean) = (0, 0, 0, 0, 0);
    for plant in PLANTS
        .iter()
        .filter(|p| only.is_empty() || only.iter().any(|n| n == p.name))
    {
        let file = |side: &str| folder.join(format!("{}.{side}.whyslow", plant.name));
        for (side, under) in [("a", None), ("b", Some(plant))] {
            let to = file(side);
            if !to.exists()
                && let Err(why) = record(under, &folder, &to)
            {
                println!("{:18} skipped: {why}", plant.name);
            }
        }
        if !file("b").exists() || !file("a").exists() {
            continue;
        }
        let out = Command::new(whyslow())
            .arg("explain")
            .args([file("a"), file("b")])
            .args(["--format", "json"])
            .output()
            .unwrap();
        let explanation: Value = serde_json::from_slice(&out.stdout).unwrap();
        let named: Vec<String> = explanation["causes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|c| c["verdict"] != "contradicted" && c["weight"].as_f64() > Some(0.0))
            .map(|c| c["cause"].as_str().unwrap().to_owned())
            .collect();
        let at = |cause: &&str| named.iter().position(|n| n == *cause);
        let ranks: Vec<Option<usize>> = plant.right.iter().map(at).collect();
        let best = ranks.iter().flatten().min().copied();
        let verdict = if plant.right.is_empty() {
            nulls += 1;
            let right = named.first().is_some_and(|n| n == "nothing");
            clean += usize::from(right);
            if right { "right" } else { "WRONG" }
        } else {
            planted += 1;
            let all = ranks.iter().all(|r| r.is_some_and(|at| at < 2));
            let is_first = if plant.both { all } else { best == Some(0) };
            first += usize::from(is_first);
            near += usize::from(if plant.both {
                all
            } else {
                best.is_some_and(|at| at < 2)
            });
            if is_first {
                "first"
            } else if best == Some(1) {
                "second"
            } else {
                "WRONG"
            }
        };
        println!(
            "{:18} {verdict:7} {}",
            plant.name,
            named.iter().take(4).cloned().collect::<Vec<_>>().join(", ")
        );
    }
    println!(
        "planted: {first} of {planted} first, {near} first or second; nothing planted: {clean} of {nulls} right"
    );
}
