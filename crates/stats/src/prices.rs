//! Few prices for many differences: robust sparse regression.
//!
//! Each row is a difference with its standard error and how often it contains each of some mechanisms. Mechanisms are
//! taken in one by one, the one that lowers the loss most, as long as it lowers it by enough; prices of those taken are
//! fitted together by iteratively reweighted least squares with Huber's loss (Huber 1964) from the median on, so that a
//! row that none of them explains does not pull them.

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct PricedRow {
    /// The difference.
    pub added: f64,
    /// Its standard error, above 0.
    pub error: f64,
    /// How often it contains each mechanism.
    pub counts: Vec<f64>,
}

/// A mechanism that was taken in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Priced {
    /// Its column.
    pub mechanism: usize,
    /// Its price.
    pub price: f64,
    /// Standard error of the price.
    pub error: f64,
}

/// Mechanisms at most: more are no explanation of a table of some ten rows.
const MOST: usize = 3;

/// Errors beyond which a row pulls no harder: Huber's constant for 95 % efficiency at normal errors is 1.345; twice that,
/// as counts are round figures.
const PULL: f64 = 2.7;

/// A mechanism lowers the loss by this share of what there was at first, and by as much as chance seldom does (a
/// chi-square of 1 at 0.1 %, halved as the loss is).
const ENOUGH: f64 = 0.1;
const BY_CHANCE: f64 = 5.4;

/// Errors beyond which a row is wholly unexplained: more would leave nothing for the others to say.
const WHOLLY: f64 = 20.0;

/// Errors from which on a row differs at all.
const MOVED: f64 = 2.0;

/// Rounds of reweighting; the weights settle in a few.
const ROUNDS: usize = 20;

fn loss(rows: &[PricedRow], taken: &[Priced]) -> f64 {
    let one = |row: &PricedRow| {
        let off = ((row.added - made_up(row, taken)).abs() / row.error).min(WHOLLY);
        if off <= PULL {
            off * off / 2.0
        } else {
            PULL * (off - PULL / 2.0)
        }
    };
    rows.iter().map(one).sum()
}

/// What the prices make of a row.
pub fn made_up(row: &PricedRow, taken: &[Priced]) -> f64 {
    let of = |p: &Priced| row.counts.get(p.mechanism).copied().unwrap_or(0.0) * p.price;
    taken.iter().map(of).sum()
}

/// The price of a further mechanism by itself: the median of what is left of each row that contains it, over how often. A
/// row that contains it many times and has another cause then pulls no more than any other.
fn median_price(rows: &[PricedRow], taken: &[Priced], column: usize) -> Option<f64> {
    let count = |row: &PricedRow| row.counts.get(column).copied().unwrap_or(0.0);
    let containing = rows.iter().filter(|row| count(row) > 0.0);
    let mut each: Vec<f64> = containing
        .map(|row| (row.added - made_up(row, taken)) / count(row))
        .collect();
    each.sort_by(f64::total_cmp);
    each.get(each.len().checked_sub(1)? / 2).copied()
}

/// The prices of those `known` and of one `column` more, fitted together; nothing where the rows do not tell them apart.
fn fit(rows: &[PricedRow], known: &[Priced], column: usize) -> Option<Vec<Priced>> {
    let mut taken = known.to_vec();
    taken.push(Priced {
        mechanism: column,
        price: median_price(rows, known, column)?,
        error: 0.0,
    });
    let columns: Vec<usize> = taken.iter().map(|p| p.mechanism).collect();
    let k = columns.len();
    for _ in 0..ROUNDS {
        let mut normal = vec![vec![0.0; k]; k];
        let mut right = vec![0.0; k];
        for row in rows {
            let off = (row.added - made_up(row, &taken)).abs() / row.error;
            let pull = match off {
                near if near <= PULL => 1.0,
                far if far <= WHOLLY => PULL / far,
                _ => 0.0,
            };
            let weight = pull / (row.error * row.error);
            let count = |at: usize| row.counts.get(columns[at]).copied().unwrap_or(0.0);
            for (i, line) in normal.iter_mut().enumerate() {
                right[i] += weight * count(i) * row.added;
                for (j, cell) in line.iter_mut().enumerate() {
                    *cell += weight * count(i) * count(j);
                }
            }
        }
        let inverse = inverted(normal)?;
        for i in 0..k {
            taken[i].price = (0..k).map(|j| inverse[i][j] * right[j]).sum();
            taken[i].error = inverse[i][i].max(0.0).sqrt();
        }
    }
    Some(taken)
}

/// The inverse by Gauss-Jordan; nothing where there is none.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let k = matrix.len();
    let mut inverse = vec![vec![0.0; k]; k];
    for (i, row) in inverse.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for at in 0..k {
        let best = (at..k).max_by(|&x, &y| matrix[x][at].abs().total_cmp(&matrix[y][at].abs()))?;
        let pivot = matrix[best][at];
        // Columns that go together tell no prices apart.
        if pivot.is_nan() || pivot.abs() <= 1e-9 * f64::max(matrix[at][at].abs(), f64::MIN_POSITIVE)
        {
            return None;
        }
        matrix.swap(at, best);
        inverse.swap(at, best);
        for j in 0..k {
            matrix[at][j] /= pivot;
            inverse[at][j] /= pivot;
        }
        for i in (0..k).filter(|&i| i != at) {
            let by = matrix[i][at];
            for j in 0..k {
                matrix[i][j] -= by * matrix[at][j];
                inverse[i][j] -= by * inverse[at][j];
            }
        }
    }
    Some(inverse)
}

/// Does the mechanism make up the difference of two rows, or of one that contains nothing else? Any difference of one row
/// could be put down to something that only it contains.
fn is_supported(rows: &[PricedRow], fitted: &[Priced], column: usize) -> bool {
    let own: Vec<Priced> = fitted
        .iter()
        .copied()
        .filter(|p| p.mechanism == column)
        .collect();
    let (mut made, mut alone) = (0, false);
    for row in rows
        .iter()
        .filter(|row| row.added.abs() > MOVED * row.error)
    {
        let left = (row.added - made_up(row, fitted)).abs();
        let is_told = left <= (row.added.abs() / 2.0).max(PULL * row.error);
        if is_told && made_up(row, &own) / row.added >= 0.5 {
            made += 1;
            alone |= row.counts.iter().filter(|n| **n > 0.0).count() == 1;
        }
    }
    made > 1 || alone
}

/// The prices, the one that explains most first. Rows without a positive error are left out.
pub fn prices(rows: &[PricedRow]) -> Vec<Priced> {
    let good = |row: &&PricedRow| row.error > 0.0 && row.error.is_finite() && row.added.is_finite();
    let rows: Vec<PricedRow> = rows.iter().filter(good).cloned().collect();
    let columns = rows.iter().map(|r| r.counts.len()).max().unwrap_or(0);
    let whole = loss(&rows, &[]);
    let mut taken: Vec<Priced> = Vec::new();
    while taken.len() < MOST {
        let before = loss(&rows, &taken);
        let known: Vec<usize> = taken.iter().map(|p| p.mechanism).collect();
        let tries = (0..columns)
            .filter(|c| !known.contains(c))
            .filter_map(|column| {
                let fitted = fit(&rows, &taken, column)?;
                if !is_supported(&rows, &fitted, column) {
                    return None;
                }
                Some((loss(&rows, &fitted), fitted))
            });
        let Some((after, fitted)) = tries.min_by(|(x, _), (y, _)| x.total_cmp(y)) else {
            break;
        };
        if before - after < (ENOUGH * whole).max(BY_CHANCE) {
            break;
        }
        taken = fitted;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(added: f64, counts: &[f64]) -> PricedRow {
        PricedRow {
            added,
            error: 10.0,
            counts: counts.to_vec(),
        }
    }

    #[test]
    fn one_price_explains_rows_of_any_length() {
        let rows = [
            row(150.0, &[1.0, 0.0]),
            row(310.0, &[2.0, 0.0]),
            row(590.0, &[4.0, 2.0]),
            row(0.0, &[0.0, 1.0]),
        ];
        let found = prices(&rows);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].mechanism, 0);
        assert!((found[0].price - 150.0).abs() < 5.0, "{found:?}");
    }

    #[test]
    fn a_row_that_nothing_explains_does_not_pull() {
        let rows = [
            row(150.0, &[1.0, 0.0]),
            row(300.0, &[2.0, 0.0]),
            row(450.0, &[3.0, 0.0]),
            row(1e6, &[9.0, 1.0]),
        ];
        let found = prices(&rows);
        assert!((found[0].price - 150.0).abs() < 20.0, "{found:?}");
        assert!(found.iter().all(|p| p.mechanism == 0), "{found:?}");
    }

    #[test]
    fn nothing_has_no_price() {
        assert!(prices(&[]).is_empty());
        let rows = [row(5.0, &[1.0]), row(-8.0, &[2.0]), row(f64::NAN, &[1.0])];
        assert!(prices(&rows).is_empty());
    }

    #[test]
    fn columns_that_go_together_are_no_two_prices() {
        let rows = [
            row(100.0, &[1.0, 1.0]),
            row(200.0, &[2.0, 2.0]),
            row(300.0, &[3.0, 3.0]),
        ];
        assert_eq!(prices(&rows).len(), 1);
    }
}
