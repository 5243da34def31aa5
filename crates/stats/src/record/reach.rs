//! Whether a working set below the claimed last-level cache is memory already.

use whyslow_model::record::{Outcome, Record};
use whyslow_model::{Point, size};

use super::contenders::per_work;
use super::levels::of_the_curve;

/// From twice the cache before the last, half of which that cache still answers, to a last-level cache, latency rises
/// less than twofold; TLB misses may add half as much again. To memory it rises four- to tenfold.
const RISE: f64 = 3.0;

/// Where three quarters of a working set would still be in a cache of which a larger one has but a part, latency rises
/// by more than this, to 1.6 times. In memory alone it hardly rises on huge pages, but for a host that backs those of a guest
/// by base pages: 1.27 times was seen in three tries of seconds.
const FLAT: f64 = 1.4;

/// On small pages, TLB misses make it rise in memory too.
const FLAT_SMALL: f64 = 1.6;

/// True if random loads on `pages` rise to memory from the first to the second of `sizes`, bytes ascending, and no more
/// from there to the third. Of each size the fastest batch of all processes counts, the scout's too: others on the machine
/// only slow them, in a crowd two of three.
pub fn is_memory(record: &Record, pages: &str, sizes: [u64; 3]) -> bool {
    let [Some(near), Some(middle), Some(far)] = sizes.map(|bytes| fastest(record, pages, bytes))
    else {
        return false;
    };
    let flat = if pages == "4k" { FLAT_SMALL } else { FLAT };
    middle > RISE * near && far < flat * middle
}

/// Ns a random load in so many bytes, by the fastest batch.
fn fastest(record: &Record, pages: &str, bytes: u64) -> Option<f64> {
    let of_it = |point: &Point| {
        of_the_curve(point, pages) && point.get("size").and_then(size::parse) == Some(bytes)
    };
    let processes = record.processes.iter().filter(|p| of_it(&p.point));
    let draws = processes.filter_map(|process| match &process.outcome {
        Outcome::Draws(draws) => Some(draws),
        Outcome::Failed(_) => None,
    });
    let series = draws.flatten().flat_map(|draw| &draw.series);
    series.flat_map(per_work).reduce(f64::min)
}
