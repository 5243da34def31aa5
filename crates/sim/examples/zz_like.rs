#![allow(clippy::print_stdout, clippy::unwrap_used)]
use std::path::Path;
use whyslow_sim::like::{Like, curve};
fn main() {
    for name in std::env::args().skip(2) {
        let pages = std::env::args().nth(1).unwrap();
        let record = whyslow_model::store::read(Path::new(&name)).unwrap();
        let begun = std::time::Instant::now();
        let found = curve(
            &record,
            &Like {
                name: &name,
                pages: &pages,
                placements: 30,
                seed: 1,
                threads: 2,
                most_bytes: 4 << 30,
                what_if: &|_, _| Ok(false),
            },
        )
        .unwrap();
        println!("{name} {pages} {:?}", begun.elapsed());
        for c in &found.costs {
            print!("{} {:.2}; ", c.of, c.ns);
        }
        println!();
        for n in &found.notes {
            println!("  {n}");
        }
        let mut inside = 0;
        let mut of = 0;
        for s in &found.sizes {
            let Some(e) = s.error else { continue };
            of += 1;
            inside += usize::from(e.abs() <= 0.1);
            if s.bytes >= 256 << 10 {
                println!(
                    "{:>8} KiB {:7.2} {:?} sim {:.2} [{:.2} {:.2}] {:+.1} %{}",
                    s.bytes >> 10,
                    s.measured_ns.unwrap(),
                    s.measured_range.map(|r| r.map(|x| x.round())),
                    s.simulated_ns.median,
                    s.simulated_ns.least,
                    s.simulated_ns.most,
                    100.0 * e,
                    if e.abs() > 0.1 { " <--" } else { "" }
                );
            }
        }
        println!("{inside} of {of}");
    }
}
