//! Chooses the next color like `placement`'s chooser, without allocating memory.

/// As `whyslow_page_color::pool::Order`, by number.
pub(crate) const ROUND_ROBIN: u32 = 0;
pub(crate) const BY_ADDRESS: u32 = 1;
pub(crate) const BEST_BIN: u32 = 2;
pub(crate) const RANDOM: u32 = 3;
pub(crate) const WORST: u32 = 4;

/// State of the choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) next: usize,
    /// State of the random generator; not zero.
    pub(crate) random: u64,
}

impl Turn {
    /// The color for page number `page`; `allowed` is not empty.
    pub(crate) fn want(&mut self, order: u32, page: usize, allowed: &[u16], left: &[u32]) -> u16 {
        let count = allowed.len().max(1);
        let stock = |at: &usize| {
            let color = allowed.get(*at).copied().unwrap_or(0);
            left.get(usize::from(color)).copied().unwrap_or(0)
        };
        let at = match order {
            BY_ADDRESS => page % count,
            BEST_BIN => (0..count).max_by_key(stock).unwrap_or(0),
            RANDOM => {
                // xorshift64: any sequence without a period of the number of colors suffices.
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                (self.random >> 33) as usize % count
            }
            // A color is never used up here, as there are always more pages to classify.
            WORST => 0,
            _ => {
                let at = self.next % count;
                self.next = at + 1;
                at
            }
        };
        allowed.get(at).copied().unwrap_or(0)
    }
}

/// The replacement if `wanted` has no page: the nearest allowed color by number, cyclically; then of
/// all. `None` if nothing is left.
pub(crate) fn instead(wanted: u16, allowed: &[u16], left: &[u32]) -> Option<u16> {
    let count = left.len();
    let distance = |color: usize| {
        let apart = color.abs_diff(usize::from(wanted));
        apart.min(count.saturating_sub(apart))
    };
    (0..count)
        .filter(|&color| left.get(color).is_some_and(|left| *left > 0))
        .min_by_key(|&color| (!allowed.contains(&(color as u16)), distance(color), color))
        .map(|color| color as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_page_color::pool::{Chooser, ColorSet, Order, Policy};

    /// Same results as the chooser of `color bench`.
    #[test]
    fn chooses_as_placement_does() {
        let left = [3_u32, 9, 0, 5];
        let stock: Vec<usize> = left.iter().map(|n| *n as usize).collect();
        for (order, number) in [
            (Order::RoundRobin, ROUND_ROBIN),
            (Order::ByAddress, BY_ADDRESS),
            (Order::BestBin, BEST_BIN),
        ] {
            for only in ["0-3", "0,2", "1"] {
                let only: ColorSet = only.parse().unwrap();
                let allowed = only.colors().to_vec();
                let policy = Policy {
                    order,
                    only: Some(only),
                };
                let mut theirs = Chooser::new(&policy, 4, 1).unwrap();
                let mut ours = Turn { next: 0, random: 1 };
                for page in 0..20 {
                    let wanted = theirs.want(page, &stock);
                    assert_eq!(
                        ours.want(number, page, &allowed, &left),
                        wanted,
                        "{order:?}"
                    );
                    assert_eq!(
                        instead(wanted, &allowed, &left),
                        theirs.instead(wanted, &stock),
                        "{order:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn random_uses_all_colors_alike_and_worst_one() {
        let mut turn = Turn { next: 0, random: 7 };
        let mut seen = [0; 4];
        for page in 0..400 {
            seen[usize::from(turn.want(RANDOM, page, &[0, 1, 2, 3], &[0; 4]))] += 1;
            assert_eq!(turn.want(WORST, page, &[1, 3], &[0; 4]), 1);
        }
        assert!(seen.iter().all(|n| (60..140).contains(n)), "{seen:?}");
        assert_eq!(instead(0, &[0, 1], &[0; 4]), None);
    }
}
