//! Where memory begins, by three sizes of random loads.

use crate::common::{empty, process, series};
use whyslow_model::record::Record;
use whyslow_stats::record::is_memory;

const MIB: u64 = 1 << 20;
const SIZES: [u64; 3] = [4 * MIB, 64 * MIB, 256 * MIB];

/// The scout's processes, which took these ns a load at each of the sizes.
fn record(tries: &[[f64; 3]]) -> Record {
    let mut record = empty();
    for (nanoseconds, size) in tries.iter().flat_map(|t| t.iter().zip([4, 64, 256])) {
        let point = format!("mem.latency{{size={size}MiB,order=random,pages=thp}}");
        let batches = series("", 1.0, &[*nanoseconds; 3]);
        record.processes.push(process(0, &point, vec![batches]));
    }
    record
}

#[test]
fn memory_is_told_from_a_cache_that_is_as_large_as_claimed() {
    let holds = |tries: &[[f64; 3]]| is_memory(&record(tries), "thp", SIZES);
    assert!(holds(&[[40.0, 135.0, 160.0]]));
    // A guest whose host backs huge pages by base pages.
    assert!(holds(&[[35.0, 130.0, 169.0]]));
    // All three are in the cache, or the largest size alone is not.
    assert!(!holds(&[[40.0, 70.0, 75.0]]));
    assert!(!holds(&[[40.0, 130.0, 200.0]]));
    // A figure of a guest beside busy SMT siblings: the smallest size was slowed more than twofold.
    assert!(!holds(&[[99.0, 136.0, 164.0]]));
    assert!(holds(&[[99.0, 136.0, 164.0], [41.0, 140.0, 160.0]]));
    // However often a cache is looked at.
    assert!(!holds(&[
        [40.0, 70.0, 75.0],
        [90.0, 80.0, 75.0],
        [41.0, 71.0, 170.0]
    ]));
    assert!(!is_memory(&empty(), "thp", SIZES));
}
