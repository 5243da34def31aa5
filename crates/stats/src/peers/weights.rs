//! Points together: centers, scatters and weights, and a node's mean deviation in each family.

use super::PointScale;
use super::mad::{degrees, scatter};
use crate::moderated::{Prior, Spread};
use crate::quantile::median;

/// Scatters below 0.01 % are rounding.
const LEAST_SD: f64 = 1e-4;

/// One point over the nodes.
#[derive(Debug, Clone, Copy)]
struct OverNodes {
    center: f64,
    sd: f64,
    /// Nodes that have it.
    nodes: usize,
    weight: f64,
}

/// Scatters borrow from each other: by the MAD of few nodes one alone is little more than chance.
fn moderate(points: &mut [Option<OverNodes>]) {
    let spread = |point: &OverNodes| Spread {
        variance: point.sd * point.sd,
        df: degrees(point.nodes),
        covariates: [Some(0.0); 3],
    };
    let spreads: Vec<Spread> = points.iter().flatten().map(spread).collect();
    let Some(prior) = Prior::fit(&spreads) else {
        return;
    };
    for point in points.iter_mut().flatten() {
        if let Some(found) = prior.moderate(&spread(point)) {
            point.sd = found.variance.sqrt();
        }
    }
}

/// What the points of a group weigh.
#[derive(Debug)]
pub(super) struct Weights {
    /// None where fewer than half of the nodes have the point.
    points: Vec<Option<OverNodes>>,
    family: Vec<usize>,
    /// Sum of the weights in each family.
    total: Vec<f64>,
}

impl Weights {
    /// Of the values of each node.
    pub(super) fn of(values: &[Vec<f64>], family: &[usize], families: usize) -> Weights {
        let fewest = super::FEWEST.max(values.len().div_ceil(2));
        let mut column = Vec::with_capacity(values.len());
        let mut points: Vec<Option<OverNodes>> = (0..family.len())
            .map(|point| {
                column.clear();
                column.extend(values.iter().map(|v| v[point]).filter(|v| v.is_finite()));
                if column.len() < fewest {
                    return None;
                }
                let (center, sd) = scatter(&column)?;
                Some(OverNodes {
                    center,
                    sd: sd.max(LEAST_SD),
                    nodes: column.len(),
                    weight: 0.0,
                })
            })
            .collect();
        moderate(&mut points);
        let mut total = vec![0.0; families];
        for (f, total) in total.iter_mut().enumerate() {
            let own = |p: &(&mut Option<OverNodes>, &usize)| *p.1 == f;
            let sds = points.iter().zip(family).filter(|(_, own)| **own == f);
            let sds: Vec<f64> = sds.filter_map(|(p, _)| Some(p.as_ref()?.sd)).collect();
            let usual = median(&sds).unwrap_or(LEAST_SD);
            for (point, _) in points.iter_mut().zip(family).filter(own) {
                if let Some(point) = point {
                    // A quiet point counts at most twice as much as the median one, and a noisy one fades.
                    point.weight = 1.0 / (point.sd.powi(2) + usual.powi(2));
                    *total += point.weight;
                }
            }
        }
        Weights {
            points,
            family: family.to_vec(),
            total,
        }
    }

    fn of_family(&self, family: usize) -> impl Iterator<Item = &OverNodes> {
        let points = self.points.iter().zip(&self.family);
        points.filter_map(move |(point, own)| point.as_ref().filter(|_| *own == family))
    }

    /// Points of a family.
    pub(super) fn points(&self, family: usize) -> usize {
        self.of_family(family).count()
    }

    /// What is known of the points.
    pub(super) fn scales(&self) -> Vec<Option<PointScale>> {
        let scale = |p: &OverNodes| PointScale {
            center: p.center,
            sd: p.sd,
        };
        let points = self.points.iter();
        points.map(|p| p.as_ref().map(scale)).collect()
    }

    /// The mean deviation of a node in each family; NaN where it lacks points of more than half of the weight, but where half of
    /// the points with a quarter of the weight are there: one that is quieter than the others must not be all that counts.
    pub(super) fn means(&self, values: &[f64]) -> Vec<f64> {
        #[derive(Clone, Copy, Default)]
        struct Sum {
            of: f64,
            weight: f64,
            points: usize,
            all: usize,
        }
        let mut sums = vec![Sum::default(); self.total.len()];
        for ((point, family), value) in self.points.iter().zip(&self.family).zip(values) {
            let Some(point) = point else { continue };
            let sum = &mut sums[*family];
            sum.all += 1;
            if value.is_finite() {
                sum.of += point.weight * (value - point.center);
                sum.weight += point.weight;
                sum.points += 1;
            }
        }
        let sums = sums.into_iter().zip(&self.total);
        sums.map(|(sum, total)| {
            let share = sum.weight / total;
            match share >= 0.5 || (share >= 0.25 && 2 * sum.points >= sum.all) {
                true => sum.of / sum.weight,
                false => f64::NAN,
            }
        })
        .collect()
    }

    /// The variance of a family's mean: the part of points that scatter independently, and what full correlation
    /// adds to it.
    pub(super) fn parts(&self, family: usize) -> [f64; 2] {
        let total = self.total[family];
        let (mut squares, mut sum) = (0.0, 0.0);
        for point in self.of_family(family) {
            let part = point.weight / total * point.sd;
            squares += part * part;
            sum += part;
        }
        [squares, (sum * sum - squares).max(0.0)]
    }
}
