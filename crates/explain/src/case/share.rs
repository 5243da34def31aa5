//! How much of the whole difference a cause covers.
//!
//! The whole is the sum, over the roles of which something moved, of the mean logarithm by which they
//! moved: a role with many points does not outweigh one with few, and a factor of four counts as two
//! factors of two.

use whyslow_model::share::Share;

use super::Case;
use whyslow_model::role::Role;

/// A role that a cause covers, and the logarithm that it accounts for in it; nothing for all of it.
pub(crate) type Covered = (Role, Option<f64>);

impl Case<'_> {
    /// The share of the whole difference that `covered` makes up; nothing when nothing moved.
    pub(crate) fn share(&self, covered: &[Covered]) -> Option<Share> {
        let (mut of_cause, mut of_rest) = ([0.0; 3], [0.0; 3]);
        let mut all_tested = true;
        for role in self.moved_roles() {
            let Some(group) = self.group(&[role]) else {
                continue;
            };
            let whole = size(group.worse, group.range);
            all_tested &= group.range.is_some();
            let part = covered.iter().find(|(r, _)| *r == role);
            let fraction = match part {
                None => 0.0,
                Some((_, None)) => 1.0,
                Some((_, Some(ln))) if whole[0] > 0.0 && ln * group.worse > 0.0 => {
                    (ln.abs() / whole[0]).min(1.0)
                }
                Some(_) => 0.0,
            };
            for i in 0..3 {
                of_cause[i] += fraction * whole[i];
                of_rest[i] += (1.0 - fraction) * whole[i];
            }
        }
        let share = |cause: f64, rest: f64| {
            let all = cause + rest;
            if all > 0.0 { cause / all } else { 0.0 }
        };
        (of_cause[0] + of_rest[0] > 0.0).then(|| Share {
            value: share(of_cause[0], of_rest[0]),
            range: all_tested.then(|| {
                [
                    share(of_cause[1], of_rest[2]),
                    share(of_cause[2], of_rest[1]),
                ]
            }),
        })
    }
}

/// Size of a move with its least and largest, as logarithms.
fn size(worse: f64, range: Option<[f64; 2]>) -> [f64; 3] {
    let Some([lo, hi]) = range else {
        return [worse.abs(); 3];
    };
    let least = if lo <= 0.0 && hi >= 0.0 {
        0.0
    } else {
        lo.abs().min(hi.abs())
    };
    [worse.abs(), least, lo.abs().max(hi.abs())]
}
