//! Prints the results of the color survey of this host: `cargo run --release -p whyslow-page-color
//! --example survey`.
#![allow(clippy::print_stdout)]

use whyslow_page_color::discovery::BUDGET;
use whyslow_page_color::pool::Options;
use whyslow_page_color::survey::survey;

fn main() {
    let options = Options {
        pages: 4096,
        seed: u64::from(std::process::id()),
        first_level_bytes: None,
        budget: BUDGET,
    };
    match survey(&options) {
        Err(reason) => println!("{reason}"),
        Ok(found) => println!(
            "{} colors, {:?}, {:?}\n{:?}\n{:?}\n{:?}\ndisturbance {:.4}\n{:?}\n{:?}\n{:?}",
            found.palette.len(),
            found.palette.ways,
            found.took,
            found.agreement,
            found.frames,
            found.huge,
            found.disturbance,
            found.neighbors,
            found.mechanism,
            found.palette.population(),
        ),
    }
}
