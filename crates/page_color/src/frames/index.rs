//! Which bits of the frame number give the color: the index function of the cache, as a boot parameter needs it.
//!
//! The index is assumed to be linear over GF(2): each bit of the color is the parity of some bits of the frame number.
//! Differences between frames of one color then span a space on which exactly these parities vanish. One page with
//! a wrong color would widen that space, so it is taken from random samples small enough to be free of errors, and
//! judged by all pages (RANSAC; Fischler and Bolles, 1981).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::discovery::Color;

/// Samples tried: with 1 % of wrong colors, two in three samples of 60 pages have none.
const SAMPLES: u32 = 200;
/// Pages of a sample beyond the colors and bits that they must tell apart: so many random differences
/// span a smaller space by chance once in 2^16.
const SPARE: usize = 16;
/// At most so many independent parities vanish on the sample: more, and the frames are too alike to tell.
const PARITIES: usize = 14;
/// The share of pages that must have the color of the rule. Timing errs for fewer than one page in a hundred.
const AGREE: f64 = 0.98;

/// A rule that gives the color of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// For each bit of the color, the bits of the frame number whose parity it is; the plainest masks first found,
    /// sorted by their lowest bit.
    pub masks: Vec<u64>,
    /// Share of pages whose color, found by timing, is that of the rule.
    pub agree: f64,
}

/// The rule by which frames have their colors; `None` if no parities explain 98 % of them, as in a guest
/// whose memory lies anywhere, or if the number of colors is not a power of two.
pub(super) fn index(known: &[(u64, Color)], count: usize, seed: u64) -> Option<Index> {
    if !count.is_power_of_two() || count < 2 || known.is_empty() {
        return None;
    }
    let varying = known
        .iter()
        .fold(0, |bits, (frame, _)| bits | (frame ^ known[0].0));
    let bits = (64 - varying.leading_zeros()) as usize;
    let size = (count + bits + SPARE).min(known.len());
    let constant = vanishing(known.iter().map(|(frame, _)| frame ^ known[0].0), bits);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut best: Option<Index> = None;
    for _ in 0..SAMPLES {
        let sample: Vec<_> = (0..size)
            .map(|_| known[(rng.next_u64() % known.len() as u64) as usize])
            .collect();
        let Some(masks) = masks(&sample, &constant, bits, count) else {
            continue;
        };
        let Some(agree) = agreement(known, &masks, count) else {
            continue;
        };
        if best.as_ref().is_none_or(|b| agree > b.agree) {
            best = Some(Index { masks, agree });
        }
        if agree == 1.0 {
            break;
        }
    }
    best.filter(|b| b.agree >= AGREE)
}

/// The plainest independent masks whose parities are the same within each color of the sample.
fn masks(sample: &[(u64, Color)], constant: &[u64], bits: usize, count: usize) -> Option<Vec<u64>> {
    let mut first = vec![None; count];
    let within = sample
        .iter()
        .map(|(frame, color)| frame ^ *first[usize::from(*color)].get_or_insert(*frame));
    let basis = vanishing(within, bits);
    if basis.len() > PARITIES {
        return None;
    }
    let mut all: Vec<u64> = (1..1_u64 << basis.len())
        .map(|chosen| {
            let each = basis.iter().enumerate();
            each.filter(|(i, _)| chosen >> i & 1 == 1)
                .fold(0, |mask, (_, part)| mask ^ part)
        })
        .collect();
    all.sort_by_key(|mask| (mask.count_ones(), *mask));
    // Parities that are the same for all frames say nothing of the color.
    let mut span = Basis::default();
    for mask in constant {
        span.add(*mask);
    }
    let mut chosen: Vec<u64> = all.into_iter().filter(|mask| span.add(*mask)).collect();
    chosen.sort_by_key(|mask| mask.trailing_zeros());
    (chosen.len() == count.ilog2() as usize).then_some(chosen)
}

/// The share of pages that have the color most frequent for their parities; `None` if two colors share one.
fn agreement(known: &[(u64, Color)], masks: &[u64], count: usize) -> Option<f64> {
    let mut table = vec![vec![0_u32; count]; count];
    for (frame, color) in known {
        table[color_of(*frame, masks)][usize::from(*color)] += 1;
    }
    let mut taken = vec![false; count];
    let mut agree = 0;
    for row in &table {
        let (color, most) = row.iter().enumerate().max_by_key(|(_, n)| **n)?;
        if *most > 0 && std::mem::replace(&mut taken[color], true) {
            return None;
        }
        agree += most;
    }
    Some(f64::from(agree) / known.len() as f64)
}

fn color_of(frame: u64, masks: &[u64]) -> usize {
    let each = masks.iter().enumerate();
    each.map(|(bit, mask)| ((frame & mask).count_ones() as usize & 1) << bit)
        .sum()
}

/// A basis of the masks, over so many bits, whose parity is even for every vector.
fn vanishing(vectors: impl Iterator<Item = u64>, bits: usize) -> Vec<u64> {
    let mut space = Basis::default();
    for vector in vectors {
        space.add(vector);
    }
    let rows = space.reduced();
    let pivots = rows.iter().fold(0, |all, row| all | 1 << row.ilog2());
    (0..bits)
        .filter(|free| pivots >> free & 1 == 0)
        .map(|free| {
            let tied = rows.iter().filter(|row| *row >> free & 1 == 1);
            tied.fold(1 << free, |mask, row| mask | 1_u64 << row.ilog2())
        })
        .collect()
}

/// A basis of a space of bit vectors: at each index the vector with that highest bit.
#[derive(Default)]
struct Basis(Vec<u64>);

impl Basis {
    /// Adds a vector; false if it is in the space already.
    fn add(&mut self, mut vector: u64) -> bool {
        self.0.resize(64, 0);
        while vector != 0 {
            let place = &mut self.0[vector.ilog2() as usize];
            if *place == 0 {
                *place = vector;
                return true;
            }
            vector ^= *place;
        }
        false
    }

    /// The basis in which no vector has the highest bit of another.
    fn reduced(&self) -> Vec<u64> {
        let mut rows: Vec<u64> = self.0.iter().copied().filter(|v| *v != 0).collect();
        for i in 0..rows.len() {
            let (low, high) = rows.split_at_mut(i + 1);
            let pivot = low[i];
            for row in high {
                if *row >> pivot.ilog2() & 1 == 1 {
                    *row ^= pivot;
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4,000 of a million frames, of which one in `wrong` has another color; labels of colors say nothing.
    fn found(color: impl Fn(u64) -> u64, count: u64, wrong: u64) -> Option<Index> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let known: Vec<_> = (0..4000)
            .map(|i| {
                let frame = rng.next_u64() >> 44 | 1 << 22;
                let label = (color(frame) * 7 + 3) % count;
                let label = if i % wrong == wrong - 1 {
                    (label + 1) % count
                } else {
                    label
                };
                (frame, label as Color)
            })
            .collect();
        index(&known, count as usize, 1)
    }

    #[test]
    fn a_plain_index_is_its_low_bits_despite_wrong_colors() {
        let index = found(|frame| frame % 16, 16, 150).unwrap();
        assert_eq!(index.masks, [1, 2, 4, 8]);
        assert!((0.99..1.0).contains(&index.agree), "{index:?}");
    }

    #[test]
    fn a_hash_is_its_masks() {
        let parity = |frame: u64, mask: u64| u64::from((frame & mask).count_ones() & 1);
        let masks = [0x1_1111, 0x2222, 0x4_0004, 0x88];
        let hash = |frame| (0..4).map(|i| parity(frame, masks[i]) << i).sum();
        let index = found(hash, 16, 200).unwrap();
        assert_eq!(index.masks, masks);
    }

    #[test]
    fn a_guest_whose_numbers_mean_nothing_has_none() {
        let anywhere = |frame: u64| (frame.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 77) >> 57 & 15;
        assert_eq!(found(anywhere, 16, 4000), None);
    }

    #[test]
    fn three_colors_are_no_parities() {
        assert_eq!(found(|frame| frame % 3, 3, 4000), None);
    }

    #[test]
    fn too_few_frames_are_no_evidence() {
        let known: Vec<_> = (0..8).map(|i| (i * 5, (i % 4) as Color)).collect();
        let index = index(&known, 16, 1);
        assert_eq!(index, None);
    }
}
