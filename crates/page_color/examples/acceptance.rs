//! Checks discovery against its targets, in 20 fresh processes: colors and ways always the same, 4,096 pages
//! within 150 ms, consistent votes: `cargo run --release -p whyslow-page-color --example acceptance [COLORS WAYS]`.
//! With the argument `load`, another CPU reads memory meanwhile. All processes run on the first CPU.
#![allow(unsafe_code, clippy::unwrap_used, clippy::print_stdout)]

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use whyslow_linux::affinity::{Pinned, allowed};
use whyslow_page_color::arena::{Arena, Kind, page_size};
use whyslow_page_color::discovery::{Page, Settings, Timed, agreement, discover};

const PROCESSES: usize = 20;
const PAGES: usize = 4096;

/// One process: `colors ways ms tested one three`, or why not.
fn one() {
    let seed = u64::from(std::process::id());
    let _pinned = Pinned::to(allowed().unwrap()[0]).unwrap();
    let arena = Arena::touched(PAGES * page_size(), Kind::Small).unwrap();
    let mut cache = Timed::new(seed);
    for page in arena.pages() {
        // SAFETY: the arena lives until the end and is not used elsewhere.
        unsafe { cache.add(page) };
    }
    let begin = Instant::now();
    let palette = match discover(&mut cache, &Settings::new(seed)) {
        Ok(palette) => palette,
        Err(refusal) => return println!("refused: {refusal}"),
    };
    let ms = begin.elapsed().as_secs_f64() * 1e3;
    let known: Vec<_> = (0..PAGES as u32)
        .filter_map(|i| Some((Page(i), palette.colors[i as usize]?)))
        .filter(|(page, color)| !palette.sets[usize::from(*color)].contains(page))
        .collect();
    let seen = agreement(&mut cache, &palette, &known);
    println!(
        "{} {} {ms:.1} {} {} {}",
        palette.len(),
        palette.ways.count,
        seen.pages,
        seen.one_vote,
        seen.three_votes
    );
}

/// Reads 64 MiB on another CPU until stopped.
fn load(stop: &AtomicBool) {
    let cpus = allowed().unwrap();
    let _pinned = Pinned::to(*cpus.last().unwrap()).unwrap();
    let mut memory = vec![1_u64; 8 << 20];
    while !stop.load(Ordering::Relaxed) {
        for word in memory.iter_mut().step_by(8) {
            *word = word.wrapping_mul(3);
        }
        std::hint::black_box(&mut memory);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|w| w == "one") {
        return one();
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        if words.iter().any(|w| w == "load") {
            scope.spawn(|| load(&stop));
        }
        let (mut times, mut right) = (Vec::new(), 0);
        let [mut tested, mut first, mut third] = [0_u64; 3];
        let numbers: Vec<f64> = words.iter().filter_map(|w| w.parse().ok()).collect();
        let wanted = (numbers.first().copied(), numbers.get(1).copied());
        for _ in 0..PROCESSES {
            let program = std::env::current_exe().unwrap();
            let said = Command::new(program).arg("one").output().unwrap().stdout;
            let said = String::from_utf8(said).unwrap();
            print!("{said}");
            let said: Vec<f64> = said
                .split_whitespace()
                .map_while(|w| w.parse().ok())
                .collect();
            let [colors, ways, ms, pages, one, three] = said[..] else {
                continue;
            };
            right += u32::from(
                wanted.0.is_none_or(|w| w == colors) && wanted.1.is_none_or(|w| w == ways),
            );
            times.push(ms);
            tested += pages as u64;
            first += one as u64;
            third += three as u64;
        }
        stop.store(true, Ordering::Relaxed);
        times.sort_by(f64::total_cmp);
        let percent = |part: u64| 100.0 * part as f64 / tested.max(1) as f64;
        println!(
            "right in {right} of {PROCESSES}; median {:.0} ms, most {:.0} ms; one vote {:.3} %, three {:.4} % of {tested}",
            times.get(times.len() / 2).copied().unwrap_or(f64::NAN),
            times.last().copied().unwrap_or(f64::NAN),
            percent(first),
            percent(third)
        );
    });
}
