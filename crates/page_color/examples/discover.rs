//! Finds the colors of this machine's pages and prints the time taken and the repeatability: `cargo
//! run --release -p whyslow-page-color --example discover [PAGES]`.
#![allow(unsafe_code, clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use whyslow_linux::affinity::Pinned;
use whyslow_page_color::arena::{Arena, Kind, page_size};
use whyslow_page_color::discovery::{Page, Settings, Timed, agreement, discover};

fn main() {
    let pages: usize = std::env::args().nth(1).map_or(4096, |n| n.parse().unwrap());
    let seed = u64::from(std::process::id());
    let begin = Instant::now();
    let _pinned = Pinned::here().unwrap();
    let arena = Arena::touched(pages * page_size(), Kind::Small).unwrap();
    let mut cache = Timed::new(seed);
    for page in arena.pages() {
        // SAFETY: the arena lives until the end and is not used elsewhere.
        unsafe { cache.add(page) };
    }
    let ready = begin.elapsed();
    let palette = match discover(&mut cache, &Settings::new(seed)) {
        Ok(palette) => palette,
        Err(refusal) => return println!("refused: {refusal}"),
    };
    let found = begin.elapsed();
    let known: Vec<_> = (0..pages as u32)
        .filter_map(|i| Some((Page(i), palette.colors[i as usize]?)))
        .filter(|(page, color)| !palette.sets[usize::from(*color)].contains(page))
        .collect();
    let seen = agreement(&mut cache, &palette, &known);
    let population = palette.population();
    println!(
        "{} colors, {} ways ({:.2}, {:.2}), {pages} pages: {:.1} + {:.1} ms, {} tests, hit {} miss {} half at {}, \
         without color {}, population {}-{}, one vote {:.3} %, three {:.4} % of {} ({:.0} ms)",
        palette.len(),
        palette.ways.count,
        palette.ways.below,
        palette.ways.at,
        ready.as_secs_f64() * 1e3,
        (found - ready).as_secs_f64() * 1e3,
        palette.tests,
        palette.scale.inside,
        palette.scale.outside,
        palette.scale.half_at,
        palette.colors.iter().filter(|c| c.is_none()).count(),
        population.iter().min().unwrap(),
        population.iter().max().unwrap(),
        100.0 * f64::from(seen.one_vote) / f64::from(seen.pages),
        100.0 * f64::from(seen.three_votes) / f64::from(seen.pages),
        seen.pages,
        (begin.elapsed() - found).as_secs_f64() * 1e3,
    );
}
