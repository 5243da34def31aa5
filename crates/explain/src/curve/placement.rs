//! Which share of the lines of a working set misses a physically indexed cache, by how its pages lie.

/// A physically indexed cache, seen in pages: each page falls into one of its colors, and a color holds
/// `ways` pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    /// Bytes it holds.
    pub bytes: f64,
    /// Pages that a color holds: the associativity, for caches whose way is a page or more.
    pub ways: u32,
    /// Bytes in a page.
    pub page_bytes: f64,
}

impl Cache {
    /// How many colors it has; one where a way is no larger than a page, and then placement cannot
    /// matter.
    pub fn colors(&self) -> f64 {
        (self.bytes / (f64::from(self.ways) * self.page_bytes)).max(1.0)
    }
}

/// How steeply misses set in as a color gets more pages than it holds: with `x` times the pages,
/// 1 - x^-STEEPNESS of its lines miss. A cycle through more lines than a set holds would miss always
/// under true LRU; caches replace by something near it. Fitted to a 16-way second-level cache with its
/// pages spread evenly, which missed 0.32, 0.47, 0.65 and 0.85 of its lines at 1.06, 1.13, 1.25 and 1.5
/// times its size: exponents of 6.4, 5.4, 4.7 and 4.7.
const STEEPNESS: i32 = 5;

/// Most standard deviations of the pages in a color that are summed over; beyond lies less than 1e-9.
const REACH: f64 = 6.0;

/// Share of lines that miss when a color has `times` the pages that it holds.
fn of_color(times: f64) -> f64 {
    if times <= 1.0 {
        0.0
    } else {
        1.0 - times.powi(-STEEPNESS)
    }
}

/// Share of the lines of a working set of `bytes` that miss `cache` when `evenly` of its pages (0 to 1)
/// are spread evenly over the colors and the others fall where they may.
///
/// The pages of a color then number `evenly * N / colors` and a binomial draw of the others; the share
/// is taken over pages, so that crowded colors count as often as they have pages.
pub fn missing(cache: &Cache, bytes: f64, evenly: f64) -> f64 {
    let (colors, ways) = (cache.colors(), f64::from(cache.ways));
    if colors < 1.5 || evenly >= 1.0 {
        return of_color(bytes / cache.bytes);
    }
    let pages = (bytes / cache.page_bytes).max(1.0);
    let fixed = evenly * pages / colors;
    let free = ((1.0 - evenly) * pages).round();
    let chance = 1.0 / colors;
    let mean = free * chance;
    let reach = REACH * mean.sqrt() + REACH;
    let odds = chance / (1.0 - chance);
    let (mut misses, mut all) = (0.0, 0.0);
    let mut add = |k: f64, p: f64| {
        let here = fixed + k;
        misses += p * here * of_color(here / ways);
        all += p * here;
    };
    // Binomial by its recurrence, up and down from its middle, each weight against that of the middle.
    let middle = mean.floor().min(free);
    let (mut k, mut p) = (middle, 1.0);
    while k <= (mean + reach).min(free) {
        add(k, p);
        p *= (free - k) / (k + 1.0) * odds;
        k += 1.0;
    }
    (k, p) = (middle, 1.0);
    while k >= 1.0 && k > mean - reach {
        p *= k / ((free - k + 1.0) * odds);
        k -= 1.0;
        add(k, p);
    }
    if all > 0.0 { misses / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: f64 = 1024.0;

    fn l2() -> Cache {
        Cache {
            bytes: 1024.0 * KIB,
            ways: 16,
            page_bytes: 4.0 * KIB,
        }
    }

    #[test]
    fn spread_evenly_it_is_a_step() {
        assert_eq!(l2().colors(), 16.0);
        assert_eq!(missing(&l2(), 1024.0 * KIB, 1.0), 0.0);
        assert!(missing(&l2(), 1280.0 * KIB, 1.0) > 0.6);
    }

    #[test]
    fn left_to_chance_it_is_a_shoulder() {
        let at = |kib: f64| missing(&l2(), kib * KIB, 0.0);
        assert!(at(512.0) < 0.01, "{}", at(512.0));
        assert!((0.02..0.2).contains(&at(768.0)), "{}", at(768.0));
        assert!((0.15..0.45).contains(&at(1024.0)), "{}", at(1024.0));
        let rising = [512.0, 640.0, 768.0, 896.0, 1024.0, 1280.0, 2048.0].map(at);
        assert!(rising.windows(2).all(|w| w[0] < w[1]), "{rising:?}");
    }

    #[test]
    fn partly_even_lies_between() {
        let at = |evenly| missing(&l2(), 960.0 * KIB, evenly);
        assert!(at(0.0) > at(0.5) && at(0.5) > at(1.0));
    }

    /// A direct-mapped cache of 2 MiB under 8 KiB pages, as an AlphaPC64's: two pages of one color
    /// throw each other out from the start, so the rise begins at a sixteenth of its size.
    #[test]
    fn without_ways_the_shoulder_begins_early() {
        let board = Cache {
            bytes: 2048.0 * KIB,
            ways: 1,
            page_bytes: 8.0 * KIB,
        };
        let at = |kib: f64| missing(&board, kib * KIB, 0.0);
        assert!((0.03..0.1).contains(&at(128.0)), "{}", at(128.0));
        assert!(at(1024.0) > 0.3);
        assert_eq!(missing(&board, 2048.0 * KIB, 1.0), 0.0);
    }

    #[test]
    fn one_color_leaves_nothing_to_placement() {
        let l1 = Cache {
            bytes: 48.0 * KIB,
            ways: 12,
            page_bytes: 4.0 * KIB,
        };
        for kib in [32.0, 48.0, 52.0, 96.0] {
            assert_eq!(missing(&l1, kib * KIB, 0.0), missing(&l1, kib * KIB, 1.0));
        }
    }
}
