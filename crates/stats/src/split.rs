//! Random halves of the same data, to measure the false-positive rate (A/A).

use crate::bootstrap::Resampler;

/// `times` random halves of `n` units: for each unit, whether it falls into the second half, which
/// has `n / 2` units. Seeded by `seed`.
pub fn halves(n: usize, times: u32, seed: u64) -> impl Iterator<Item = Vec<bool>> {
    let mut dice = Resampler::new(seed);
    (0..times).map(move |_| {
        let mut order: Vec<usize> = (0..n).collect();
        let mut half = vec![false; n];
        for i in 0..n / 2 {
            let other = i + dice.below(n - i);
            order.swap(i, other);
            half[order[i]] = true;
        }
        half
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_halves_and_every_unit_is_in_either() {
        let all: Vec<Vec<bool>> = halves(7, 400, 3).collect();
        assert_eq!(all.len(), 400);
        assert!(all.iter().all(|h| h.iter().filter(|x| **x).count() == 3));
        for unit in 0..7 {
            let second = all.iter().filter(|h| h[unit]).count();
            // 3 of 7 of 400 are 171, standard error 10.
            assert!((141..=201).contains(&second), "{second}");
        }
        assert!(halves(7, 400, 3).eq(all));
        assert_eq!(halves(1, 1, 0).next(), Some(vec![false]));
    }
}
