//! Whether a working set below the claimed last-level cache is memory already.

use whyslow_model::record::Record;

use super::levels::curve;

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
/// from there to the third. The scout's processes count, of each size the fastest: others on the machine only slow them.
pub fn is_memory(record: &Record, pages: &str, sizes: [u64; 3]) -> bool {
    let curve = curve(record, true, pages);
    let at = |bytes: u64| {
        let size = curve.iter().find(|size| size.size == bytes)?;
        size.log_latency.iter().copied().reduce(f64::min)
    };
    let [Some(near), Some(middle), Some(far)] = sizes.map(at) else {
        return false;
    };
    let flat = if pages == "4k" { FLAT_SMALL } else { FLAT };
    middle - near > RISE.ln() && far - middle < flat.ln()
}
