//! Two colors found as one: a set with enough pages of both.

use super::super::{median, population};
use super::{Cache, Color, MARGIN, Page, Search, shuffle};

/// A color with this many standard deviations more pages than the median is rechecked. With binomial populations, the
/// largest of 64 colors would be 2.5 above; two merged colors exceed the limit from 20 pages per color on. Populations
/// are not always binomial: after a program that chose pages by color has freed some, a color may have half as many
/// again.
const MANY: f64 = 4.0;

/// Pages of it tested against a set of one color.
const ASKED: usize = 32;

/// Least percentage evicted if it is one color. With two, about half are: 26 of 32 by chance once in 4,000 times.
const ONE: usize = 80;

impl<C: Cache> Search<'_, C> {
    /// For each color, whether it is a single color.
    pub(super) fn single(&mut self) -> Vec<bool> {
        let population = population(&self.colors, self.sets.len());
        let middle = f64::from(median(&mut population.clone()));
        let most = middle + MANY * middle.sqrt();
        let few = |&pages: &u32| f64::from(pages) <= most;
        let few: Vec<bool> = population.iter().map(few).collect();
        let judged = few.into_iter().zip(0..);
        judged.map(|(few, color)| few || self.one(color)).collect()
    }

    /// Withdraws merged colors; true if there were any.
    pub(super) fn take_back(&mut self) -> bool {
        let keep = self.single();
        let mut names = Vec::with_capacity(keep.len());
        let mut kept = 0;
        for keep in &keep {
            names.push(keep.then_some(kept));
            kept += Color::from(*keep);
        }
        for color in &mut self.colors {
            *color = color.and_then(|color| names[usize::from(color)]);
        }
        let mut keep = keep.iter();
        self.sets.retain(|_| keep.next().is_some_and(|keep| *keep));
        usize::from(kept) < names.len()
    }

    /// True if most pages of a color are evicted by so few of them that these cannot be of two colors. Each page of a
    /// set is evicted only by the others of its color, so a set of two colors has at least two cores.
    fn one(&mut self, color: Color) -> bool {
        let of_it = self.colors.iter().zip(0..);
        let of_it = of_it.filter(|(found, _)| **found == Some(color));
        let mut pages: Vec<Page> = of_it.map(|(_, page)| Page(page)).collect();
        shuffle(&mut pages, &mut self.rng);
        let core = self.least.unwrap_or(0);
        let set = self.consistent(&pages, core * MARGIN.0 / MARGIN.1);
        if set.len() < core.max(1) {
            return false;
        }
        let others = pages.into_iter().filter(|page| !set.contains(page));
        let asked: Vec<Page> = others.take(ASKED).collect();
        let out = asked
            .iter()
            .filter(|&&page| self.tester.mostly_out(page, &set));
        out.count() * 100 >= asked.len() * ONE
    }
}
