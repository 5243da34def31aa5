//! Fits one rise of a latency curve: where the cache ends, and how its pages were placed.

use std::ops::RangeInclusive;

use super::placement::{Cache, missing};

/// One measured size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Bytes in the working set.
    pub bytes: f64,
    /// Latency, ns.
    pub ns: f64,
    /// Half of the 95 % interval as a share of the latency, where it is known.
    pub spread: Option<f64>,
}

/// What is known before the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Bytes in a page.
    pub page_bytes: f64,
    /// Ways, where the host tells; else all usual numbers are tried.
    pub ways: Option<u32>,
    /// Where the end of the cache is looked for, bytes.
    pub within: RangeInclusive<f64>,
}

/// How pages lie on the sets of a cache, as far as a curve tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Spread evenly: the curve is a step.
    Even,
    /// Where chance put them: the curve is a soft shoulder.
    Arbitrary,
    /// Neither wholly.
    Partly,
    /// The curve fits more than one of these.
    Unclear,
    /// The cache has one color: placement cannot matter.
    Irrelevant,
}

/// One rise of a curve, fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Effective size of the cache, bytes.
    pub bytes: f64,
    /// Sizes that fit about as well.
    pub bytes_range: [f64; 2],
    /// Ways of the best fit.
    pub ways: u32,
    /// Colors of the best fit.
    pub colors: f64,
    /// Share of pages that lie evenly, best fit.
    pub evenly: f64,
    /// Shares that fit about as well.
    pub evenly_range: [f64; 2],
    /// The verdict.
    pub placement: Placement,
    /// Latency inside and beyond the cache, ns.
    pub latency_ns: [f64; 2],
    /// Root mean square of the relative deviations from the fit.
    pub deviation: f64,
    /// Sizes used.
    pub sizes: usize,
}

/// Why a rise cannot be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Fewer than eight sizes around the rise.
    TooFewSizes(usize),
    /// The latency does not rise there, or by less than a quarter.
    NoRise,
}

/// Sizes from this share of the end looked for, to this multiple of it, belong to the rise: a
/// direct-mapped cache begins to miss at a sixteenth, and past four times every line misses.
const WINDOW: [f64; 2] = [1.0 / 16.0, 4.0];

/// Fewest sizes: two latencies, an end and a policy are fitted, and something must be left to judge by.
const FEWEST: usize = 8;

/// Latency must grow by this to speak of a rise.
const RISE: f64 = 1.25;

/// Ends tried in an octave: 4 %, finer than curves are measured.
const ENDS_AN_OCTAVE: f64 = 18.0;

/// Ways tried where the host does not tell.
const WAYS: [u32; 7] = [1, 2, 4, 8, 12, 16, 20];

/// Shares of evenly placed pages that are tried.
const EVENLY: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Least relative error of a latency: what pages of one draw and a moving clock do to it.
const LEAST_ERROR: f64 = 0.02;

/// A fit is about as good as the best if its deviance is larger by at most this: the 95 % point of
/// chi-square with one degree of freedom, scaled by the deviance that the best fit leaves.
const AS_GOOD: f64 = 3.84;

struct Tried {
    cache: Cache,
    evenly: f64,
    latency_ns: [f64; 2],
    deviance: f64,
}

/// Fits the rise of `curve` (any order) whose end lies within the setting's range.
///
/// # Errors
/// When the curve has too few sizes there, or does not rise.
pub fn fit(curve: &[CurvePoint], setting: &Setting) -> Result<Fit, Trouble> {
    let (from, to) = (*setting.within.start(), *setting.within.end());
    let near: Vec<CurvePoint> = curve
        .iter()
        .copied()
        .filter(|p| p.bytes >= from * WINDOW[0] && p.bytes <= to * WINDOW[1])
        .filter(|p| p.ns > 0.0 && p.ns.is_finite())
        .collect();
    if near.len() < FEWEST {
        return Err(Trouble::TooFewSizes(near.len()));
    }
    let mut tried = Vec::new();
    let steps = ((to / from).log2() * ENDS_AN_OCTAVE).ceil().max(0.0) as i32;
    let ways: &[u32] = match &setting.ways {
        Some(ways) => std::slice::from_ref(ways),
        None => &WAYS,
    };
    for &ways in ways {
        for step in 0..=steps {
            let bytes = from * 2f64.powf(f64::from(step) / ENDS_AN_OCTAVE);
            let cache = Cache {
                bytes,
                ways,
                page_bytes: setting.page_bytes,
            };
            for evenly in EVENLY {
                tried.extend(attempt(&near, cache, evenly));
            }
        }
    }
    let best = tried
        .iter()
        .min_by(|a, b| a.deviance.total_cmp(&b.deviance))
        .ok_or(Trouble::NoRise)?;
    if best.latency_ns[1] < RISE * best.latency_ns[0] {
        return Err(Trouble::NoRise);
    }
    // What the best fit leaves beyond the errors as known is the model's own failure; it widens all.
    let free = (near.len() - 4).max(1) as f64;
    let limit = best.deviance + AS_GOOD * (best.deviance / free).max(1.0);
    let as_good = || tried.iter().filter(|t| t.deviance <= limit);
    let range = |of: fn(&Tried) -> f64| {
        as_good()
            .map(of)
            .fold([f64::MAX, f64::MIN], |[lo, hi], v| [lo.min(v), hi.max(v)])
    };
    let evenly_range = range(|t| t.evenly);
    Ok(Fit {
        bytes: best.cache.bytes,
        bytes_range: range(|t| t.cache.bytes),
        ways: best.cache.ways,
        colors: best.cache.colors(),
        evenly: best.evenly,
        evenly_range,
        placement: verdict(&best.cache, evenly_range),
        latency_ns: best.latency_ns,
        deviation: (near.iter().map(|p| off(p, best).powi(2)).sum::<f64>() / near.len() as f64)
            .sqrt(),
        sizes: near.len(),
    })
}

fn verdict(cache: &Cache, [lo, hi]: [f64; 2]) -> Placement {
    if cache.colors() < 1.5 {
        return Placement::Irrelevant;
    }
    match (lo, hi) {
        (l, _) if l >= 1.0 => Placement::Even,
        (_, h) if h <= 0.25 => Placement::Arbitrary,
        (l, h) if l > 0.0 && h < 1.0 => Placement::Partly,
        _ => Placement::Unclear,
    }
}

/// Relative deviation of a size from a fit.
fn off(p: &CurvePoint, fit: &Tried) -> f64 {
    let share = missing(&fit.cache, p.bytes, fit.evenly);
    let [inside, beyond] = fit.latency_ns;
    (inside + share * (beyond - inside)) / p.ns - 1.0
}

/// The two latencies by weighted least squares, and what is left over.
fn attempt(points: &[CurvePoint], cache: Cache, evenly: f64) -> Option<Tried> {
    // ns = inside * (1 - share) + beyond * share, each size weighted by its relative error.
    let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let share = missing(&cache, p.bytes, evenly);
        let error = p.spread.map_or(LEAST_ERROR, |s| (s / 2.0).max(LEAST_ERROR)) * p.ns;
        let (a, b, y) = ((1.0 - share) / error, share / error, p.ns / error);
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ay += a * y;
        by += b * y;
    }
    let determinant = aa * bb - ab * ab;
    if determinant.abs() < 1e-9 * aa * bb || determinant == 0.0 {
        return None;
    }
    let inside = (ay * bb - by * ab) / determinant;
    let beyond = (by * aa - ay * ab) / determinant;
    if inside <= 0.0 || beyond <= inside {
        return None;
    }
    let mut tried = Tried {
        cache,
        evenly,
        latency_ns: [inside, beyond],
        deviance: 0.0,
    };
    tried.deviance = points
        .iter()
        .map(|p| {
            let error = p.spread.map_or(LEAST_ERROR, |s| (s / 2.0).max(LEAST_ERROR));
            (off(p, &tried) / error).powi(2)
        })
        .sum();
    Some(tried)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: f64 = 1024.0;

    /// Latencies of a 1 MiB 16-way second-level cache under 4 KiB pages, as measured: pages spread
    /// evenly, and pages at random.
    const SIZES: [f64; 14] = [
        128.0, 256.0, 384.0, 512.0, 640.0, 768.0, 896.0, 960.0, 1024.0, 1088.0, 1152.0, 1280.0,
        1536.0, 2048.0,
    ];
    const EVENLY_PLACED: [f64; 14] = [
        3.11, 3.11, 3.11, 3.50, 3.74, 3.92, 4.04, 4.05, 4.14, 5.77, 6.54, 7.49, 8.49, 9.24,
    ];
    const AT_RANDOM: [f64; 14] = [
        3.10, 3.11, 3.11, 3.50, 3.82, 4.29, 4.95, 5.35, 5.79, 6.12, 6.53, 7.31, 8.45, 9.26,
    ];

    fn curve(ns: &[f64; 14]) -> Vec<CurvePoint> {
        let point = |(kib, &ns): (f64, &f64)| CurvePoint {
            bytes: kib * KIB,
            ns,
            spread: Some(0.04),
        };
        SIZES.into_iter().zip(ns).map(point).collect()
    }

    fn setting() -> Setting {
        Setting {
            page_bytes: 4.0 * KIB,
            ways: Some(16),
            within: 512.0 * KIB..=2048.0 * KIB,
        }
    }

    #[test]
    fn measured_curves_tell_their_placement() {
        let even = fit(&curve(&EVENLY_PLACED), &setting()).unwrap();
        let random = fit(&curve(&AT_RANDOM), &setting()).unwrap();
        assert!(even.evenly > random.evenly, "{even:?}\n{random:?}");
        assert_eq!(random.placement, Placement::Arbitrary, "{random:?}");
        for fit in [&even, &random] {
            assert!(
                (0.85..1.2).contains(&(fit.bytes / (1024.0 * KIB))),
                "{fit:?}"
            );
        }
    }

    fn made(cache: Cache, evenly: f64, noise: f64) -> Vec<CurvePoint> {
        (0..40)
            .map(|i| {
                let bytes = 16.0 * KIB * 2f64.powf(f64::from(i) / 4.0);
                let share = missing(&cache, bytes, evenly);
                // A fixed pattern of deviations: enough to be no perfect curve.
                let wobble = 1.0 + noise * f64::from((i * 7) % 5 - 2) / 2.0;
                CurvePoint {
                    bytes,
                    ns: (40.0 + 300.0 * share) * wobble,
                    spread: None,
                }
            })
            .collect()
    }

    /// The board cache of the first seed document's machine: 2 MiB direct-mapped, 8 KiB pages.
    #[test]
    fn a_step_and_a_shoulder_of_the_same_cache() {
        let cache = Cache {
            bytes: 2048.0 * KIB,
            ways: 1,
            page_bytes: 8.0 * KIB,
        };
        let setting = Setting {
            page_bytes: 8.0 * KIB,
            ways: None,
            within: 1024.0 * KIB..=4096.0 * KIB,
        };
        let even = fit(&made(cache, 1.0, 0.02), &setting).unwrap();
        let shoulder = fit(&made(cache, 0.0, 0.02), &setting).unwrap();
        assert_eq!(even.placement, Placement::Even, "{even:?}");
        assert_eq!(shoulder.placement, Placement::Arbitrary, "{shoulder:?}");
        assert_eq!(shoulder.ways, 1);
        for fit in [&even, &shoulder] {
            assert!((0.8..1.25).contains(&(fit.bytes / cache.bytes)), "{fit:?}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_tell() {
        let flat: Vec<CurvePoint> = SIZES
            .iter()
            .map(|kib| CurvePoint {
                bytes: kib * KIB,
                ns: 3.0,
                spread: None,
            })
            .collect();
        assert_eq!(fit(&flat, &setting()), Err(Trouble::NoRise));
        assert_eq!(fit(&flat[..3], &setting()), Err(Trouble::TooFewSizes(3)));
    }

    #[test]
    fn one_color_is_no_question_of_placement() {
        let cache = Cache {
            bytes: 64.0 * KIB,
            ways: 16,
            page_bytes: 4.0 * KIB,
        };
        let curve = made(cache, 0.0, 0.01);
        let setting = Setting {
            page_bytes: 4.0 * KIB,
            ways: Some(16),
            within: 32.0 * KIB..=80.0 * KIB,
        };
        assert_eq!(
            fit(&curve, &setting).unwrap().placement,
            Placement::Irrelevant
        );
    }
}
