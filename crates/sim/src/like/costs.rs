//! What loads cost by where they are served, fitted to a measured curve.

/// A measured size: how often each thing that costs happens in a load, and ns.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    pub(super) events: Vec<f64>,
    pub(super) ns: f64,
}

/// Costs, none negative, by least squares of relative errors.
///
/// There are few things that cost, so each subset of them is solved for and the best without a negative cost is taken, which
/// is exact.
pub(super) fn fit(curve: &[&Measured], kinds: usize) -> Vec<f64> {
    let mut best = (f64::INFINITY, vec![0.0; kinds]);
    for subset in 1u32..1 << kinds {
        let used: Vec<usize> = (0..kinds).filter(|kind| subset >> kind & 1 == 1).collect();
        let Some(solved) = solve(curve, &used) else {
            continue;
        };
        if solved.iter().any(|cost| *cost < 0.0) {
            continue;
        }
        let mut costs = vec![0.0; kinds];
        for (kind, cost) in used.iter().zip(solved) {
            costs[*kind] = cost;
        }
        let off = |size: &&&Measured| (cost_of(&size.events, &costs) / size.ns - 1.0).powi(2);
        let left: f64 = curve.iter().map(|size| off(&size)).sum();
        if left < best.0 {
            best = (left, costs);
        }
    }
    best.1
}

/// ns of a load.
pub(super) fn cost_of(events: &[f64], costs: &[f64]) -> f64 {
    events
        .iter()
        .zip(costs)
        .map(|(event, cost)| event * cost)
        .sum()
}

/// Normal equations of the used kinds, by Gauss's elimination; none where two kinds cannot be told apart.
fn solve(curve: &[&Measured], used: &[usize]) -> Option<Vec<f64>> {
    let n = used.len();
    let mut rows = vec![vec![0.0; n + 1]; n];
    for size in curve {
        let share = |at: usize| size.events[used[at]] / size.ns;
        for (row, cells) in rows.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                *cell += share(row) * if column < n { share(column) } else { 1.0 };
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_found_and_none_is_negative() {
        let made = |events: [f64; 3], costs: [f64; 3]| Measured {
            ns: cost_of(&events, &costs),
            events: events.to_vec(),
        };
        let events = [
            [1.0, 0.0, 0.1],
            [1.0, 0.3, 0.0],
            [1.0, 0.9, 0.5],
            [1.0, 1.0, 0.9],
        ];
        let curve = events.map(|events| made(events, [1.0, 3.0, 20.0]));
        let costs = fit(&curve.each_ref(), 3);
        for (found, wanted) in costs.iter().zip([1.0, 3.0, 20.0]) {
            assert!((found - wanted).abs() < 1e-6, "{costs:?}");
        }
        let falls = events.map(|events| made(events, [9.0, -3.0, 2.0]));
        let costs = fit(&falls.each_ref(), 3);
        assert!(costs.iter().all(|cost| *cost >= 0.0), "{costs:?}");
        // What never happens costs nothing that could be known.
        let never = [
            made([1.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
            made([1.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
        ];
        assert_eq!(fit(&never.each_ref(), 3), [2.0, 0.0, 0.0]);
    }
}
