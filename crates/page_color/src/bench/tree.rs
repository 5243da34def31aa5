//! Lookups in a B-tree that fills a block of memory.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use rand_xoshiro::rand_core::Rng;

use super::sampler::{Sampled, Sampler};

/// Keys per node: 128 bytes, two lines.
const KEYS: usize = 16;

/// Lookups per sample.
const LOOKUPS: usize = 4_000;

/// Time of one lookup of an existing key, ns, in a tree that fills `memory`. Each lookup
/// depends on the previous one, as with nested indexes.
pub(super) fn lookups(sampler: &mut Sampler, memory: &mut [u8], rng: &mut impl Rng) -> Sampled {
    // SAFETY: any bits are keys.
    let (_, tree, _) = unsafe { memory.align_to_mut::<[u64; KEYS]>() };
    let nodes = tree.len();
    let mut filled = 0;
    fill(tree, 0, &mut filled);
    let most = (nodes * KEYS) as u64;
    let mut state = rng.next_u64() | 1;
    let mut found = 0;
    sampler.middle(|| {
        let begin = Instant::now();
        for _ in 0..LOOKUPS {
            // A multiplicative step; the result is part of the next key without changing it.
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(found | 1);
            let key = ((u128::from(state) * u128::from(most)) >> 64) as u64 * 2;
            found = black_box(find(tree, key));
        }
        begin.elapsed().as_nanos() as f64 / LOOKUPS as f64
    })
}

/// The child of a node left of its key `at` (or right of all).
fn child(node: usize, at: usize) -> usize {
    node * (KEYS + 1) + at + 1
}

/// Assigns even keys in ascending order to the subtree of `node`.
fn fill(tree: &mut [[u64; KEYS]], node: usize, next: &mut u64) {
    if node >= tree.len() {
        return;
    }
    for at in 0..KEYS {
        fill(tree, child(node, at), next);
        tree[node][at] = *next;
        *next += 2;
    }
    fill(tree, child(node, KEYS), next);
}

/// The key at or above `key`; the largest number if there is none.
fn find(tree: &[[u64; KEYS]], key: u64) -> u64 {
    let (mut node, mut best) = (0, u64::MAX);
    while let Some(keys) = tree.get(node) {
        let at = keys.iter().map(|k| usize::from(*k < key)).sum();
        if let Some(&larger) = keys.get(at) {
            best = larger;
        }
        node = child(node, at);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_key() {
        for nodes in [1, 2, 17, 18, 300, 1000] {
            let mut tree = vec![[0; KEYS]; nodes];
            let mut next = 0;
            fill(&mut tree, 0, &mut next);
            assert_eq!(next as usize, 2 * nodes * KEYS);
            for key in 0..next - 1 {
                assert_eq!(find(&tree, key), key.next_multiple_of(2), "{nodes} nodes");
            }
            assert_eq!(find(&tree, next), u64::MAX);
        }
    }
}
