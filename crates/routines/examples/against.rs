//! Our routines against those of other libraries, in one interleaved run on the same pages of memory.
//!
//! ```sh
//! cargo run --release -p whyslow-routines --example against -- FUNCTION[:LEVEL] NAME[,tunables=T][,loader=FILE,libs=FOLDER][,so=FILE][,shape=S]...
//! ```
//!
//! FUNCTION is memcpy, memset or memcmp; LEVEL, one of L1, L2, L3 and memory, leaves the other cells out. Each NAME is a
//! process of its own: with these GLIBC_TUNABLES, by this loader (for the C library of another root), with the function of a
//! library of that file, or with another of our shapes. All run on one CPU, map the same memory, and are asked in turns for
//! the same cells. A ratio is the time of the fastest other over ours: above one, ours is faster.
//!
//! Where a library and the program lie in memory moves small blocks by up to a half, and differs from process to process: each
//! side is started several times. The fastest of several that are alike is the luckiest: which other is the fastest is said by
//! half of the processes, what it takes by the other half, and the ratio is the geometric mean of both ways. Ours stands there
//! twice, and the second one's ratio to the first shows what is noise.
#![allow(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example's output is its purpose")]

use std::error::Error;
use std::ffi::CString;
use std::io::{BufRead, BufReader, Write};
use std::mem::transmute;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::process::{Child, Command, Stdio};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use whyslow_routines::choice::{Choice, identity};
use whyslow_routines::choose::choose;
use whyslow_routines::library;
use whyslow_routines::measure::{self, Area, Cell, Routine};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Both halves hold half of the largest working set.
const AREA: usize = 224 << 20;

/// Working sets: first-level, second-level and third-level cache, and memory.
const SETS: [(&str, usize); 4] = [
    ("L1", 24 << 10),
    ("L2", 512 << 10),
    ("L3", 8 << 20),
    ("memory", 192 << 20),
];

const BLOCKS: [usize; 22] = [
    1,
    8,
    16,
    32,
    64,
    100,
    128,
    200,
    256,
    512,
    700,
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
    16 << 20,
    64 << 20,
];

/// Up to here, blocks of random sizes are measured, too.
const MIXED: [usize; 3] = [16, 64, 256];

/// Up to here, results in the first-level cache are read at once as well.
const READ_TO: usize = 128;

/// Processes of each side, of which half say which side is the fastest.
const STARTS: usize = 6;

/// Rounds over all sides in a cell.
const ROUNDS: usize = 8;

/// What is lost where the ratio is below.
const LOST: f64 = 0.95;

/// Nanoseconds of a sample.
const SAMPLE: f64 = 250e3;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [own, function, so, fd] = &words[..]
        && own == "--side"
    {
        return side(function, so, fd.parse()?);
    }
    let Some((function, others)) = words.split_first() else {
        return Err(
            "name a function and at least one library: see the head of this example".into(),
        );
    };
    let (function, level) = match function.split_once(':') {
        Some((function, level)) => (function, Some(level)),
        None => (function.as_str(), None),
    };
    let choice = match Choice::kept(&identity()) {
        Some(choice) => choice,
        None => choose()?,
    };
    println!("{choice:?}");
    let folder = tempfile::tempdir()?;
    let made = |name: &str, choice: &Choice| -> Result<String> {
        let file = folder.path().join(name);
        std::fs::write(&file, library(choice)?.bytes())?;
        Ok(format!("{name},so={}", file.display()))
    };
    let mut specs = vec![made("ours", &choice)?, made("again", &choice)?];
    for other in others {
        specs.push(match other.split_once(",shape=") {
            Some((name, shape)) => made(name, &with_shape(&choice, function, shape))?,
            None => other.clone(),
        });
    }
    // Children inherit it.
    let mut one = CpuSet::new();
    one.set(sched_getcpu());
    sched_setaffinity(None, &one)?;
    let memory = memfd_create("whyslow-against", MemfdFlags::empty())?;
    ftruncate(&memory, AREA as u64)?;
    let start = || -> Result<Vec<Side>> {
        let sides = specs.iter();
        let sides = sides.map(|spec| Side::start(spec, function, memory.as_raw_fd()));
        sides.collect()
    };
    let mut cells = grid(function);
    cells.retain(|(of, _)| level.is_none_or(|level| of.starts_with(level)));
    if cells.is_empty() {
        return Err("LEVEL is L1, L2, L3 or memory".into());
    }
    table(function, &cells, start)
}

fn with_shape(choice: &Choice, function: &str, shape: &str) -> Choice {
    let mut other = choice.clone();
    let part = match function {
        "memcpy" => &mut other.copy,
        "memset" => &mut other.set,
        _ => &mut other.compare,
    };
    shape.clone_into(part);
    other
}

fn grid(function: &str) -> Vec<(&'static str, Cell)> {
    let distances: &[usize] = match function {
        "memcpy" => &[0, 8, 64, 2048],
        "memset" => &[0],
        _ => &[0, 8],
    };
    let mut cells = Vec::new();
    for (level, set) in SETS {
        let sizes = BLOCKS.map(|block| (block, false)).into_iter();
        for (block, mixed) in sizes.chain(MIXED.map(|block| (block, true))) {
            // A block of a level above would be one of that level.
            let natural = 2 * block <= set;
            let above = SETS.iter().take_while(|(_, s)| *s < set).last();
            let known = above.is_none_or(|(_, s)| block <= 64 * s);
            for distance in distances.iter().filter(|_| natural && known) {
                let cell = Cell {
                    block,
                    mixed,
                    distance: *distance,
                    set,
                    read: false,
                };
                cells.push((level, cell));
                if level == "L1" && block <= READ_TO && !mixed && function != "memcmp" {
                    cells.push(("L1, read", Cell { read: true, ..cell }));
                }
            }
        }
    }
    cells
}

/// What each side takes in a cell by either half of the processes: mean logarithms of ns for a call.
type Halves = [Vec<f64>; 2];

fn table(
    function: &str,
    grid: &[(&str, Cell)],
    start: impl Fn() -> Result<Vec<Side>>,
) -> Result<()> {
    let mut names = Vec::new();
    let mut cells: Vec<Halves> = vec![Halves::default(); grid.len()];
    for started in 0..STARTS {
        let mut sides = start()?;
        for ((_, cell), halves) in grid.iter().zip(&mut cells) {
            let logs = &mut halves[started % 2];
            logs.resize(sides.len(), 0.0);
            for (sum, time) in logs.iter_mut().zip(times(&mut sides, *cell)?) {
                *sum += time.ln() / (STARTS / 2) as f64;
            }
        }
        names = sides.iter().map(|side| side.name.clone()).collect();
    }
    print!(
        "{function:<8} {:>9} {:>5} {:>10}",
        "block", "dist", "ours ns"
    );
    for name in &names[1..] {
        print!(" {name:>12}");
    }
    println!(" {:>12}", "best other");
    let others: Vec<usize> = (2..names.len()).collect();
    for ((level, cell), halves) in grid.iter().zip(&cells) {
        let block = format!("{}{}", cell.block, if cell.mixed { " mix" } else { "" });
        let row = format!("{level:<8} {block:>9} {:>5}", cell.distance);
        print!(
            "{row} {:>10.2}",
            ((halves[0][0] + halves[1][0]) / 2.0).exp()
        );
        for other in 1..names.len() {
            print!(" {:>12.2}", mean(ratios(halves, 0, &[other])));
        }
        println!(" {:>12.2}", mean(ratios(halves, 0, &others)));
    }
    for (at, name) in names.iter().enumerate() {
        // The second of ours against the first, each of the others against all others and the first.
        let against: Vec<usize> = match at {
            0 => others.clone(),
            1 => vec![0],
            _ => (0..names.len()).filter(|o| *o != at && *o != 1).collect(),
        };
        summary(function, name, &cells, at, &against);
    }
    Ok(())
}

/// What each side takes for a call in a cell, ns.
fn times(sides: &mut [Side], cell: Cell) -> Result<Vec<f64>> {
    let mut times = vec![Vec::new(); sides.len()];
    let mut cursor = 0;
    let calls = sides[0].ask(cell, &mut cursor, 0)? as u64;
    for round in 0..ROUNDS {
        for turn in 0..sides.len() {
            let at = (turn + round) % sides.len();
            times[at].push(sides[at].ask(cell, &mut cursor, calls.max(1))?);
        }
    }
    Ok(times.iter_mut().map(|times| low(times)).collect())
}

/// Prints what a side is against the fastest of these others.
fn summary(function: &str, name: &str, cells: &[Halves], at: usize, against: &[usize]) {
    let by_half = cells.iter().map(|halves| ratios(halves, at, against));
    let by_half: Vec<[f64; 2]> = by_half.collect();
    let mut all: Vec<f64> = by_half.iter().map(|ratios| mean(*ratios)).collect();
    all.sort_by(f64::total_cmp);
    let under = all.iter().filter(|ratio| **ratio < LOST).count();
    let both = |ratios: &&[f64; 2]| ratios.iter().all(|ratio| *ratio < LOST);
    let both = by_half.iter().filter(both).count();
    println!(
        "{function}, {name}: {} cells, median {:.3}, lowest {:.2}, {under} under {LOST}, {both} by both halves",
        all.len(),
        all[all.len() / 2],
        all[0],
    );
}

/// The fastest of `others` over the side at `at`, by either half; which is the fastest is said by the other half.
fn ratios(halves: &Halves, at: usize, others: &[usize]) -> [f64; 2] {
    [0, 1].map(|half| {
        let said = &halves[1 - half];
        let order = |a: &&usize, b: &&usize| said[**a].total_cmp(&said[**b]);
        let fastest = others.iter().min_by(order).copied().unwrap_or(at);
        (halves[half][fastest] - halves[half][at]).exp()
    })
}

fn mean(pair: [f64; 2]) -> f64 {
    (pair[0] * pair[1]).sqrt()
}

/// What disturbs only adds, but the fastest of all is as rare as the slowest.
fn low(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 5]
}

/// A process with one library's function.
struct Side {
    name: String,
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Side {
    fn start(spec: &str, function: &str, memory: i32) -> Result<Side> {
        let mut parts = spec.split(',');
        let name = parts.next().unwrap_or_default().to_owned();
        let (mut tunables, mut loader, mut libs, mut so) = (None, None, "", "-");
        for part in parts {
            match part.split_once('=') {
                Some(("tunables", value)) => tunables = Some(value),
                Some(("loader", value)) => loader = Some(value),
                Some(("libs", value)) => libs = value,
                Some(("so", value)) => so = value,
                _ => return Err(format!("{part:?} of {spec:?} is no option").into()),
            }
        }
        let own = std::env::current_exe()?;
        // A program that its loader starts by name lies among its libraries; one that the kernel starts does not, and some
        // CPUs take a third longer for calls that far.
        let own_loader = own_loader()?;
        let mut command = Command::new(loader.unwrap_or(&own_loader));
        if !libs.is_empty() {
            command.args(["--library-path", libs]);
        }
        command.arg(own);
        command.args(["--side", function, so, &memory.to_string()]);
        command
            .env_remove("GLIBC_TUNABLES")
            .env_remove("LD_PRELOAD");
        if let Some(tunables) = tunables {
            command.env("GLIBC_TUNABLES", tunables);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answers = child.stdout.take().ok_or("no answers")?;
        Ok(Side {
            name,
            child,
            answers: BufReader::new(answers),
        })
    }

    /// Nanoseconds for a call, or how many calls make a sample where `calls` is zero.
    fn ask(&mut self, cell: Cell, cursor: &mut usize, calls: u64) -> Result<f64> {
        let Cell {
            block,
            mixed,
            distance,
            set,
            read,
        } = cell;
        let asked = format!(
            "{block} {} {distance} {set} {} {cursor} {calls}\n",
            u8::from(mixed),
            u8::from(read)
        );
        let questions = self.child.stdin.as_mut().ok_or("no questions")?;
        questions.write_all(asked.as_bytes())?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let (time, at) = line.trim().split_once(' ').ok_or("a side ended")?;
        *cursor = at.parse()?;
        Ok(time.parse()?)
    }
}

/// The file of this process's loader.
fn own_loader() -> Result<String> {
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let files = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let mut loaders = files.filter(|file| {
        file.rsplit('/')
            .next()
            .is_some_and(|name| name.starts_with("ld-"))
    });
    Ok(loaders
        .next()
        .ok_or("this program has no loader")?
        .to_owned())
}

impl Drop for Side {
    fn drop(&mut self) {
        // It ends with its questions.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn side(function: &str, so: &str, memory: i32) -> Result<()> {
    // SAFETY: inherited, and open until this process ends.
    let memory = unsafe { BorrowedFd::borrow_raw(memory) };
    let area = Area::shared(memory, AREA)?;
    let name = CString::new(function)?;
    // SAFETY: names that end with NUL; a library of functions without constructors of note.
    let address = unsafe {
        let library = match so {
            "-" => libc::RTLD_DEFAULT,
            file => libc::dlopen(CString::new(file)?.as_ptr(), libc::RTLD_NOW),
        };
        if library.is_null() && so != "-" {
            return Err(format!("{so} is no library that can be loaded").into());
        }
        libc::dlsym(library, name.as_ptr())
    };
    if address.is_null() {
        return Err(format!("{so} has no {function}").into());
    }
    // SAFETY: functions of these names have these types.
    let routine = unsafe {
        match function {
            "memcpy" => Routine::Copy(transmute::<
                *mut libc::c_void,
                whyslow_routines::measure::Copy,
            >(address)),
            "memset" => Routine::Set(
                transmute::<*mut libc::c_void, whyslow_routines::measure::Set>(address),
            ),
            "memcmp" => Routine::Compare(transmute::<
                *mut libc::c_void,
                whyslow_routines::measure::Compare,
            >(address)),
            other => return Err(format!("{other} is none of memcpy, memset and memcmp").into()),
        }
    };
    for line in std::io::stdin().lock().lines() {
        let numbers: std::result::Result<Vec<usize>, _> =
            line?.split(' ').map(str::parse).collect();
        let [block, mixed, distance, set, read, mut cursor, calls] = numbers?[..] else {
            return Err("seven numbers are a question".into());
        };
        let cell = Cell {
            block,
            mixed: mixed == 1,
            distance,
            set,
            read: read == 1,
        };
        // SAFETY: the function is the one of its name.
        let mut time = |calls| unsafe { area.time(routine, cell, &mut cursor, calls) };
        let answer = match calls {
            0 => measure::calls(SAMPLE, time).map(|calls| calls as f64),
            calls => time(calls as u64),
        };
        println!("{} {cursor}", answer.ok_or("the cell does not fit")?);
    }
    Ok(())
}
