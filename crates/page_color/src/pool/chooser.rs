//! Policies: which color comes next. Nothing here touches memory.

use std::fmt;
use std::str::FromStr;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::discovery::{Color, below};

/// The order in which colors are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The next color for each page ("bin hopping").
    RoundRobin,
    /// The number of the virtual page, modulo the colors ("page coloring").
    ByAddress,
    /// The color with the most pages left.
    BestBin,
    /// Random, as in a kernel without coloring.
    Random,
    /// As few colors as possible, each used up in turn: to show the cost of the worst placement.
    Worst,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match text {
            "round-robin" => Ok(Order::RoundRobin),
            "by-address" => Ok(Order::ByAddress),
            "best-bin" => Ok(Order::BestBin),
            "random" => Ok(Order::Random),
            "worst" => Ok(Order::Worst),
            other => Err(format!(
                "unknown policy {other:?}; use round-robin, by-address, best-bin, random or worst"
            )),
        }
    }
}

/// A set of colors, written as `0-3,8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColorSet(Vec<Color>);

impl ColorSet {
    /// The first `count` colors.
    pub fn first(count: usize) -> ColorSet {
        ColorSet((0..count as Color).collect())
    }

    /// Ascending.
    pub fn colors(&self) -> &[Color] {
        &self.0
    }
}

impl FromStr for ColorSet {
    type Err = String;

    fn from_str(text: &str) -> Result<ColorSet, String> {
        let bad = |part: &str| format!("no colors {part:?}: write numbers and ranges, as in 0-3,8");
        let mut colors = Vec::new();
        for part in text.split(',') {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<Color>().map_err(|_| bad(part));
            let (from, to) = (number(from)?, number(to)?);
            // No known cache has more than 4,096 colors; larger numbers are typos.
            if from > to || to >= 4096 {
                return Err(bad(part));
            }
            colors.extend(from..=to);
        }
        colors.sort_unstable();
        colors.dedup();
        Ok(ColorSet(colors))
    }
}

impl fmt::Display for ColorSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut at = 0;
        while at < self.0.len() {
            let mut end = at;
            while end + 1 < self.0.len() && self.0[end + 1] == self.0[end] + 1 {
                end += 1;
            }
            let comma = if at > 0 { "," } else { "" };
            match end - at {
                0 => write!(f, "{comma}{}", self.0[at])?,
                _ => write!(f, "{comma}{}-{}", self.0[at], self.0[end])?,
            }
            at = end + 1;
        }
        Ok(())
    }
}

/// An order, within all colors or some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The order.
    pub order: Order,
    /// The colors to use; all if none are given.
    pub only: Option<ColorSet>,
}

impl Policy {
    /// All colors in turn.
    pub const ROUND_ROBIN: Policy = Policy {
        order: Order::RoundRobin,
        only: None,
    };

    /// An order over all colors.
    pub fn all(order: Order) -> Policy {
        Policy { order, only: None }
    }

    /// Round robin over the first `count` colors.
    pub fn partition(count: usize) -> Policy {
        Policy {
            order: Order::RoundRobin,
            only: Some(ColorSet::first(count)),
        }
    }
}

/// A policy with its state.
#[derive(Debug)]
pub struct Chooser {
    order: Order,
    /// The colors to use, ascending; never empty.
    colors: Vec<Color>,
    next: usize,
    rng: Xoshiro256PlusPlus,
}

impl Chooser {
    /// For a cache of `colors` colors.
    ///
    /// # Errors
    /// When the policy names a nonexistent color, or no color.
    pub fn new(policy: &Policy, colors: usize, seed: u64) -> Result<Chooser, String> {
        let chosen = match &policy.only {
            None => (0..colors as Color).collect(),
            Some(ColorSet(some)) => some.clone(),
        };
        match chosen.last() {
            Some(&last) if usize::from(last) < colors => Ok(Chooser {
                order: policy.order,
                colors: chosen,
                next: 0,
                rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            }),
            Some(last) => Err(format!(
                "no color {last}: this cache has colors 0 to {}",
                colors.saturating_sub(1)
            )),
            None => Err("no color to choose from".to_owned()),
        }
    }

    /// The color for page number `page`, with `left` pages of each color.
    pub fn want(&mut self, page: usize, left: &[usize]) -> Color {
        let left = |color: &Color| left.get(usize::from(*color)).copied().unwrap_or(0);
        let count = self.colors.len();
        let at = match self.order {
            Order::RoundRobin => {
                let at = self.next;
                self.next = (at + 1) % count;
                at
            }
            Order::ByAddress => page % count,
            Order::BestBin => (0..count)
                .max_by_key(|&i| left(&self.colors[i]))
                .unwrap_or(0),
            Order::Random => below(&mut self.rng, count),
            Order::Worst => {
                let used_up = |i: &usize| left(&self.colors[*i]) == 0;
                (0..count).find(|i| !used_up(i)).unwrap_or(0)
            }
        };
        self.colors[at]
    }

    /// The replacement for `wanted`, which is used up: the nearest by number, cyclically, of the
    /// allowed colors; then of all. `None` if nothing is left.
    pub fn instead(&self, wanted: Color, left: &[usize]) -> Option<Color> {
        let count = left.len();
        let distance = |color: usize| {
            let apart = color.abs_diff(usize::from(wanted));
            apart.min(count.saturating_sub(apart))
        };
        let stocked = (0..count).filter(|&color| left[color] > 0);
        let allowed = |color: usize| self.colors.binary_search(&(color as Color)).is_ok();
        stocked
            .min_by_key(|&color| (!allowed(color), distance(color), color))
            .map(|color| color as Color)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wants(policy: Policy, count: usize) -> Vec<Color> {
        let mut chooser = Chooser::new(&policy, 4, 1).unwrap();
        (0..count)
            .map(|page| chooser.want(page, &[3, 9, 0, 5]))
            .collect()
    }

    #[test]
    fn each_order_is_what_it_says() {
        assert_eq!(wants(Policy::ROUND_ROBIN, 5), [0, 1, 2, 3, 0]);
        assert_eq!(wants(Policy::all(Order::ByAddress), 6)[4..], [0, 1]);
        assert_eq!(wants(Policy::all(Order::BestBin), 2), [1, 1]);
        assert_eq!(wants(Policy::all(Order::Worst), 3), [0, 0, 0]);
        assert_eq!(wants(Policy::partition(2), 5), [0, 1, 0, 1, 0]);
        let random = wants(Policy::all(Order::Random), 400);
        for color in 0..4 {
            let seen = random.iter().filter(|c| **c == color).count();
            assert!((60..140).contains(&seen), "color {color}: {seen} of 400");
        }
    }

    #[test]
    fn the_nearest_allowed_color_serves_instead() {
        let only = Some("0,2".parse().unwrap());
        let policy = Policy {
            order: Order::RoundRobin,
            only,
        };
        let chooser = Chooser::new(&policy, 4, 1).unwrap();
        assert_eq!(chooser.instead(0, &[0, 5, 5, 5]), Some(2));
        assert_eq!(chooser.instead(0, &[0, 5, 0, 5]), Some(1));
        assert_eq!(chooser.instead(0, &[0, 0, 0, 5]), Some(3));
        assert_eq!(chooser.instead(0, &[0; 4]), None);
    }

    #[test]
    fn color_sets_are_read_and_refused() {
        let set = |text: &str| text.parse::<ColorSet>().map(|s| s.to_string());
        assert_eq!(set("0-3,8").unwrap(), "0-3,8");
        assert_eq!(set("8,3,1,2,3").unwrap(), "1-3,8");
        for bad in ["", "a", "3-1", "1,,2", "-1", "99999", "1-"] {
            let error = set(bad).unwrap_err();
            assert!(error.contains("as in 0-3,8"), "{error}");
        }
        let policy = Policy {
            order: Order::Random,
            only: Some("0-16".parse().unwrap()),
        };
        let error = Chooser::new(&policy, 16, 1).unwrap_err();
        assert_eq!(error, "no color 16: this cache has colors 0 to 15");
    }

    proptest! {
        #[test]
        fn a_color_set_never_panics_and_prints_what_it_reads(text in "[0-9,\\- ]{0,12}") {
            if let Ok(set) = text.parse::<ColorSet>() {
                prop_assert_eq!(set.to_string().parse::<ColorSet>().unwrap(), set);
            }
        }
    }
}
