//! Prints raw draws of the bench: `cargo run --release -p whyslow-page-color --example bench`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use whyslow_page_color::arena::page_size;
use whyslow_page_color::bench::{Plan, measure};
use whyslow_page_color::discovery::BUDGET;
use whyslow_page_color::pool::{Options, Pool};

fn main() {
    let draws = std::env::args().nth(1).map_or(5, |n| n.parse().unwrap());
    let options = Options {
        pages: Plan::pool_pages(draws, draws, 1 << 20),
        seed: u64::from(std::process::id()),
        first_level_bytes: None,
        budget: BUDGET,
    };
    let mut pool = Pool::new(&options).unwrap();
    let palette = pool.palette().unwrap();
    println!(
        "{} colors, {:?}, {:?}, {}",
        pool.colors(),
        palette.ways,
        pool.took(),
        pool.mechanism()
    );
    let plan = Plan {
        cache_bytes: palette.pages() as usize * page_size(),
        draws,
        edge_draws: draws,
        few: vec![1, 2, 4, 8],
        seed: options.seed,
    };
    let begin = std::time::Instant::now();
    let measured = measure(&mut pool, &plan, |_| {}).unwrap();
    for cell in &measured.cells {
        println!(
            "{:?} {:?} {} KiB: {:.2?} of {:.2?}",
            cell.work,
            cell.kind,
            cell.bytes >> 10,
            cell.middles(),
            cell.passes()
        );
    }
    println!(
        "{:?} misplaced {} moved {} {:?}",
        measured.no_huge,
        measured.misplaced,
        measured.moved,
        begin.elapsed()
    );
}
