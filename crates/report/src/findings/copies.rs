//! Copies that are slow where their destination begins a few bytes after the source within pages.

use whyslow_model::host::data_cache;
use whyslow_model::id;
use whyslow_model::state::Libc;
use whyslow_model::summary::{Interval, PointSummary};
use whyslow_model::tunables::{NO_REP_MOVSB, PLACES, REP_MOVSB, line};

use super::{Finding, Rank, apart};
use crate::numbers::{self, counted, short, times};
use crate::summary::libc;
use crate::view::View;

/// From this many times the time on, it is the routine and not the machine.
const SLOW: f64 = 1.5;

/// In smaller blocks the call itself is much of the time, bytes.
const USUAL: u64 = 2 << 10;

/// From this threshold on, no usual block is copied by string instructions.
const NEVER: u64 = 1 << 30;

/// A copy at a distance at which it is slow, and what the same takes elsewhere.
struct Slow<'a> {
    block: u64,
    distance: u64,
    ratio: f64,
    value: &'a Interval,
    usual: &'a Interval,
    point: &'a PointSummary,
}

/// Copies of some sizes take many times as long at one distance as at another.
pub(super) fn cliff(view: &View<'_>) -> Option<Finding> {
    let slow = slow(view);
    let worst = slow.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    // Other distances and routines may be slow as well; the worst has the sizes.
    let alike = |other: &&Slow<'_>| {
        other.distance == worst.distance && other.point.point.get("op") == op(worst)
    };
    let mut blocks: Vec<u64> = slow.iter().filter(alike).map(|s| s.block).collect();
    blocks.sort_unstable();
    let (first, last) = (blocks.first()?, blocks.last()?);
    let window = match first == last {
        true => format!("blocks of {}", numbers::size(*first)),
        false => format!(
            "blocks of {} to {}",
            numbers::size(*first),
            numbers::size(*last)
        ),
    };
    let cure = mend(view, *last);
    let rank = match cure.has_cure {
        true => Rank::Mended,
        false => Rank::Slow,
    };
    let text = format!(
        "{} takes up to {} times as long where its destination begins {} after the source within pages. \
         That holds for {window}, by the sizes measured: with {} it is {} in place of {}.{}",
        op(worst).unwrap_or("memcpy"),
        times(worst.ratio),
        counted(worst.distance, "byte", "bytes"),
        numbers::size(worst.block),
        short(worst.point.unit, worst.value),
        short(worst.point.unit, worst.usual),
        cure.text,
    );
    Finding::new(rank, text)
}

fn op<'a>(slow: &Slow<'a>) -> Option<&'a str> {
    slow.point.point.get("op")
}

/// Copies that are slow at their distance.
fn slow<'a>(view: &View<'a>) -> Vec<Slow<'a>> {
    let at = |p: &PointSummary| p.point.get("distance")?.parse::<u64>().ok();
    let copies: Vec<(u64, &PointSummary)> = view
        .probe(id::MEM_LIBC)
        .filter(|p| p.value.is_some())
        .filter_map(|p| Some((at(p)?, p)))
        .collect();
    let each = copies.iter().filter_map(|&(distance, point)| {
        let same = |p: &PointSummary| {
            ["op", "size"]
                .iter()
                .all(|n| p.point.get(n) == point.point.get(n))
        };
        let others = || copies.iter().filter(|(d, p)| *d != distance && same(p));
        // Alike within pages is what copies are usually measured at; without it, what is fastest.
        let alike = others().find(|(d, _)| *d == 0);
        let by_value = |p: &PointSummary| p.value.map_or(0.0, |v| v.value);
        let best = || others().max_by(|a, b| by_value(a.1).total_cmp(&by_value(b.1)));
        let usual = alike.or_else(best)?.1.value.as_ref()?;
        let value = point.value.as_ref()?;
        let ratio = usual.value / value.value;
        (distance != 0 && ratio >= SLOW && apart(usual, value)).then_some(Slow {
            block: point.size_bytes? / 2,
            distance,
            ratio,
            value,
            usual,
            point,
        })
    });
    each.collect()
}

/// What can be done, in words.
struct Cure {
    text: String,
    /// Is there a line that may mend it, or is that not known?
    has_cure: bool,
}

impl Cure {
    fn unknown(text: impl Into<String>) -> Cure {
        Cure {
            text: text.into(),
            has_cure: true,
        }
    }
}

/// What takes the string instructions away, where the library of the run has them, uses them for blocks up to the
/// `largest` that is slow, and listens to it.
fn mend(view: &View<'_>, largest: u64) -> Cure {
    let Some(library) = view.state().map(|state| &state.libc) else {
        return Cure::unknown("");
    };
    let name = match (library.own.as_str(), library.version.value()) {
        ("gnu dynamic", Some(version)) => libc(version),
        ("gnu dynamic" | "gnu static", _) => {
            "the GNU C library that whyslow is linked with".to_owned()
        }
        _ => {
            return Cure::unknown(
                " whyslow is linked with another C library than programs here: theirs may do otherwise.",
            );
        }
    };
    match threshold(library) {
        Some(from) if from > largest => {
            let text = format!(
                " {name} copies blocks of that size by vectors (REP MOVSB from {} on): stores that cross lines are a \
             candidate, and no tunable changes it.",
                match from < NEVER {
                    true => format!("{} bytes", numbers::count(from)),
                    false => "no usual size".to_owned(),
                }
            );
            Cure {
                text,
                has_cure: false,
            }
        }
        Some(from) if from < NEVER => Cure::unknown(format!(
            " {name} copies by REP MOVSB from {} bytes on; {} makes it use vectors. It is put {PLACES}.",
            numbers::count(from),
            line(&[NO_REP_MOVSB]),
        )),
        _ => Cure::unknown(""),
    }
}

/// Copies of usual blocks within the nearest cache that a loop of vectors makes in far less time.
pub(super) fn behind_vectors(view: &View<'_>) -> Option<Finding> {
    let has = |p: &PointSummary, name: &str, value: &str| p.point.get(name) == Some(value);
    let loops = view.probe(id::MEM_BANDWIDTH).filter(|p| {
        has(p, "op", "copy") && has(p, "cpus", "1") && has(p, "level", "L1") && p.value.is_some()
    });
    let best = loops.max_by(|a, b| {
        let of = |p: &PointSummary| p.value.map_or(0.0, |v| v.value);
        of(a).total_cmp(&of(b))
    })?;
    let vectors = best.value.as_ref()?;
    // The data of both must lie in that cache.
    let largest = first_level(view)?;
    let mut behind: Vec<(u64, &Interval)> = view
        .probe(id::MEM_LIBC)
        .filter(|p| has(p, "op", "memcpy") && has(p, "distance", "0"))
        .filter_map(|p| Some((p.size_bytes? / 2, p.value.as_ref()?)))
        .filter(|(block, _)| *block >= USUAL && 2 * block <= largest)
        .filter(|(_, value)| vectors.value / value.value >= SLOW && apart(vectors, value))
        .collect();
    behind.sort_unstable_by_key(|(block, _)| *block);
    let (first, last) = (behind.first()?, behind.last()?);
    let worst = behind
        .iter()
        .min_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    let blocks = match first.0 == last.0 {
        true => numbers::size(first.0),
        false => format!("{} to {}", numbers::size(first.0), numbers::size(last.0)),
    };
    let text = format!(
        "memcpy of {blocks} moves {} in the L1 where a loop of vectors moves {}: {} times the rate. `whyslow tune libc` tries \
         whether a threshold of the library mends it, and proves it.",
        short(best.unit, worst.1),
        short(best.unit, vectors),
        times(vectors.value / worst.1.value),
    );
    Finding::new(Rank::Mended, text)
}

/// The nearest data cache as claimed, bytes.
fn first_level(view: &View<'_>) -> Option<u64> {
    data_cache(view.host()?.caches.value()?, 1)?
        .size_bytes
        .value()
        .copied()
}

/// From where on the library copies by string instructions, bytes.
fn threshold(library: &Libc) -> Option<u64> {
    let printed = library.routines.as_ref().and_then(|known| known.value());
    let printed = printed.and_then(|says| says.get("rep_movsb_threshold").copied());
    let listed = || {
        let text = library.tunables.value()?.get(REP_MOVSB)?;
        u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    };
    printed.or_else(listed)
}
