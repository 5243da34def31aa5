//! What loads cost by where they are served, fitted to a measured curve.

/// A measured size.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    /// How often each thing that costs happens in a load, in each of the machines that it may have met.
    pub(super) events: Vec<Vec<f64>>,
    /// ns of a load.
    pub(super) ns: f64,
    /// What the size counts in a fit.
    pub(super) weight: f64,
}

impl Measured {
    /// ns of a load: the geometric mean over the machines, as values of records are over processes. A size that is the
    /// same on all has one.
    pub(super) fn cost(&self, chances: &[f64], costs: &[f64]) -> f64 {
        match &self.events[..] {
            [only] => cost_of(only, costs),
            all => {
                let each = all.iter().zip(chances);
                let ln = each.map(|(events, chance)| chance * cost_of(events, costs).ln());
                ln.sum::<f64>().exp()
            }
        }
    }

    /// What happens on some of the machines; a size that is the same on all has one.
    pub(super) fn drawn(&self, machines: impl Iterator<Item = usize>) -> Vec<Vec<f64>> {
        match &self.events[..] {
            [only] => vec![only.clone()],
            all => machines.map(|at| all[at].clone()).collect(),
        }
    }

    /// Events whose cost is that mean, or without costs yet the arithmetic mean.
    fn blended(&self, chances: &[f64], costs: Option<&[f64]>) -> Vec<f64> {
        if let [only] = &self.events[..] {
            return only.clone();
        }
        let mean = costs.map(|costs| (self.cost(chances, costs), costs));
        let mut blended = vec![0.0; self.events[0].len()];
        for (events, chance) in self.events.iter().zip(chances) {
            let part = mean.map_or(1.0, |(mean, costs)| mean / cost_of(events, costs));
            for (sum, event) in blended.iter_mut().zip(events) {
                *sum += chance * part * event;
            }
        }
        blended
    }
}

/// Times that events are blended anew by the costs found before, at most: where a cycle hits on some machines and misses on
/// others, costs may swing before they settle.
const STEPS: usize = 8;

/// Costs that change what is left by less than this share are settled.
const SETTLED: f64 = 1e-4;

/// Costs, none negative, by least squares of relative errors, and what is left. `chances` are those of the machines.
pub(super) fn fit<'m>(
    curve: impl Iterator<Item = &'m Measured> + Clone,
    chances: &[f64],
) -> (Vec<f64>, f64) {
    let left = |costs: &[f64]| -> f64 {
        let error = |size: &Measured| (size.cost(chances, costs) / size.ns).ln();
        curve
            .clone()
            .map(|size| size.weight * error(size).powi(2))
            .sum()
    };
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut known: Option<Vec<f64>> = None;
    for _ in 0..STEPS {
        let mut sums = Sums::default();
        for size in curve.clone() {
            let scale = size.weight.sqrt() / size.ns;
            let mut row = size.blended(chances, known.as_deref());
            row.iter_mut().for_each(|event| *event *= scale);
            sums.add(&row, size.weight.sqrt());
        }
        let (costs, linear) = sums.least();
        if curve.clone().all(|size| size.events.len() == 1) {
            return (costs, linear);
        }
        let left = left(&costs);
        let before = best.as_ref().map_or(f64::INFINITY, |(_, left)| *left);
        if left < before {
            best = Some((costs.clone(), left));
        }
        if (before - left).abs() <= SETTLED * left {
            break;
        }
        known = Some(costs);
    }
    best.unwrap_or_default()
}

/// ns of a load.
pub(super) fn cost_of(events: &[f64], costs: &[f64]) -> f64 {
    events
        .iter()
        .zip(costs)
        .map(|(event, cost)| event * cost)
        .sum()
}

/// Sums of products, from which any choice of kinds can be solved for.
#[derive(Default)]
struct Sums {
    /// Each kind with each.
    kinds: Vec<Vec<f64>>,
    /// Each kind with what is wanted.
    wanted: Vec<f64>,
    /// What is wanted, with itself.
    all: f64,
}

impl Sums {
    fn add(&mut self, row: &[f64], wanted: f64) {
        self.kinds.resize(row.len(), vec![0.0; row.len()]);
        self.wanted.resize(row.len(), 0.0);
        for (at, value) in row.iter().enumerate() {
            for (sum, other) in self.kinds[at].iter_mut().zip(row) {
                *sum += value * other;
            }
            self.wanted[at] += value * wanted;
        }
        self.all += wanted * wanted;
    }

    /// The best costs without a negative one, and the squares that are left.
    ///
    /// There are few things that cost, so each subset of them is solved for, which is exact.
    fn least(&self) -> (Vec<f64>, f64) {
        let kinds = self.wanted.len();
        let mut best = (vec![0.0; kinds], f64::INFINITY);
        for subset in 1u32..1 << kinds {
            let used: Vec<usize> = (0..kinds).filter(|kind| subset >> kind & 1 == 1).collect();
            let Some(solved) = self.solve(&used) else {
                continue;
            };
            if solved.iter().any(|cost| *cost < 0.0) {
                continue;
            }
            // With the least squares' own costs, what is left is what is wanted less what is met.
            let met = used
                .iter()
                .zip(&solved)
                .map(|(at, cost)| self.wanted[*at] * cost);
            let left = self.all - met.sum::<f64>();
            if left < best.1 {
                let mut costs = vec![0.0; kinds];
                for (kind, cost) in used.iter().zip(solved) {
                    costs[*kind] = cost;
                }
                best = (costs, left);
            }
        }
        best
    }

    /// By Gauss's elimination; none where two kinds cannot be told apart.
    fn solve(&self, used: &[usize]) -> Option<Vec<f64>> {
        let n = used.len();
        let row = |at: &usize| -> Vec<f64> {
            let own = used.iter().map(|other| self.kinds[*at][*other]);
            own.chain([self.wanted[*at]]).collect()
        };
        let mut rows: Vec<Vec<f64>> = used.iter().map(row).collect();
        let scale: Vec<f64> = (0..n).map(|at| rows[at][at]).collect();
        for pivot in 0..n {
            // What is left of a column's own weight after those before it; below this it is their combination.
            if rows[pivot][pivot] <= 1e-9 * scale[pivot] {
                return None;
            }
            for row in 0..n {
                if row != pivot {
                    let times = rows[row][pivot] / rows[pivot][pivot];
                    let taken = rows[pivot].clone();
                    for (cell, taken) in rows[row].iter_mut().zip(taken) {
                        *cell -= times * taken;
                    }
                }
            }
        }
        Some((0..n).map(|at| rows[at][n] / rows[at][at]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(events: [f64; 3], ns: f64) -> Measured {
        Measured {
            events: vec![events.to_vec()],
            ns,
            weight: 1.0,
        }
    }

    #[test]
    fn costs_are_found_and_none_is_negative() {
        let events = [
            [1.0, 0.0, 0.1],
            [1.0, 0.3, 0.0],
            [1.0, 0.9, 0.5],
            [1.0, 1.0, 0.9],
        ];
        let of = |costs: [f64; 3]| events.map(|events| made(events, cost_of(&events, &costs)));
        let (costs, left) = fit(of([1.0, 3.0, 20.0]).iter(), &[]);
        for (found, wanted) in costs.iter().zip([1.0, 3.0, 20.0]) {
            assert!((found - wanted).abs() < 1e-6, "{costs:?}");
        }
        assert!(left.abs() < 1e-9, "{left}");
        let (costs, left) = fit(of([9.0, -3.0, 2.0]).iter(), &[]);
        assert!(costs.iter().all(|cost| *cost >= 0.0), "{costs:?}");
        assert!(left > 1e-4, "{left}");
        // What never happens costs nothing that could be known.
        let never = [made([1.0, 0.0, 0.0], 2.0), made([1.0, 0.0, 0.0], 2.0)];
        assert_eq!(fit(never.iter(), &[]).0, [2.0, 0.0, 0.0]);
    }

    #[test]
    fn a_size_that_meets_several_machines_costs_their_geometric_mean() {
        let chances = [0.25, 0.75];
        let costs = [2.0, 30.0];
        let events = vec![vec![1.0, 0.1], vec![1.0, 0.9]];
        let mean = (5f64.ln() * 0.25 + 29f64.ln() * 0.75).exp();
        let size = Measured {
            events,
            ns: mean,
            weight: 4.0,
        };
        assert!((size.cost(&chances, &costs) - mean).abs() < 1e-9);
        let plain = Measured {
            events: vec![vec![1.0, 0.0]],
            ns: 2.0,
            weight: 1.0,
        };
        let (found, left) = fit([size, plain].iter(), &chances);
        for (found, wanted) in found.iter().zip(costs) {
            assert!((found - wanted).abs() < 0.01 * wanted, "{found} {left}");
        }
    }
}
