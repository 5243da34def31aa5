//! How long explaining two records takes: `cargo run --release -p whyslow-explain --example time A B`.

use std::path::Path;
use std::time::Instant;

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_model::store;

#[expect(
    clippy::print_stdout,
    reason = "the times are what this program is for"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = paths.as_slice() else {
        return Err("name two records".into());
    };
    for _ in 0..5 {
        let begin = Instant::now();
        let (one, two) = (store::read(Path::new(a))?, store::read(Path::new(b))?);
        let read = begin.elapsed();
        let named = |record| {
            [Named {
                name: "record",
                record,
            }]
        };
        let compared = compare(&named(&one), &named(&two), &Options::default())?;
        let after = begin.elapsed();
        let found = explain(&compared, &one, &two);
        println!(
            "read {:.1?}, compare {:.1?}, explain {:.1?}; {}",
            read,
            after - read,
            begin.elapsed() - after,
            found.answer
        );
    }
    Ok(())
}
