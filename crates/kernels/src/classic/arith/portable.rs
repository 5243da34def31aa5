//! The sums as the compiler makes them, one term at a time.

use crate::opaque::opaque;

/// x from 2 to 101, each hidden.
fn terms() -> impl Iterator<Item = i32> {
    (2..102).map(opaque)
}

pub(super) fn empty(times: u64) {
    for _ in 0..times {
        terms().for_each(|_| {});
    }
}

/// A sum in one type: `from` makes an x of it.
macro_rules! sum {
    ($name:ident, $type:ty, $one:literal, |$x:ident| $from:expr) => {
        pub(super) fn $name(times: u64) -> $type {
            let mut sum = $one - $one;
            for _ in 0..times {
                sum = $one - $one;
                for $x in terms() {
                    let x: $type = $from;
                    let y = x * x;
                    sum += y / (y - $one);
                }
            }
            sum
        }
    };
}

sum!(short, i16, 1i16, |x| x as i16);
sum!(int, i32, 1i32, |x| x);
sum!(long, i64, 1i64, |x| i64::from(x));
sum!(float, f32, 1f32, |x| x as f32);
sum!(double, f64, 1f64, |x| f64::from(x));
