//! The arithmetic test of BYTE: the sum of x*x / (x*x - 1) for x from 2 to 101, in six types.
//!
//! The loops are assembly, one multiplication, subtraction, division and addition a term, none of them
//! vectorized. UnixBench's are C: with `-O3` compilers compute several terms at once and remove the
//! empty loop, so they measure the compiler rather than the core.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as loops;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable as loops;
#[cfg(target_arch = "x86_64")]
use x86_64 as loops;

/// Terms of one sum.
pub const TERMS: u64 = 100;

/// The type that is computed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// None: the loop that counts from 2 to 101 and does nothing.
    Overhead,
    /// 16-bit integers, which C computes in 32 bits and cuts off after each step.
    Short,
    /// 32-bit integers.
    Int,
    /// 64-bit integers.
    Long,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
}

impl Type {
    /// All of them.
    pub const ALL: [Type; 6] = [
        Type::Overhead,
        Type::Short,
        Type::Int,
        Type::Long,
        Type::Float,
        Type::Double,
    ];
}

/// Computes the sum `times` times (at least once) and returns the last one; 0 for the overhead.
pub fn sums(kind: Type, times: u64) -> f64 {
    let times = times.max(1);
    match kind {
        Type::Overhead => {
            loops::empty(times);
            0.0
        }
        Type::Short => f64::from(loops::short(times)),
        Type::Int => f64::from(loops::int(times)),
        Type::Long => loops::long(times) as f64,
        Type::Float => f64::from(loops::float(times)),
        Type::Double => loops::double(times),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// Integer division leaves 1 for every term.
    fn expected(kind: Type) -> f64 {
        let terms = (2..102).map(|x| f64::from(x * x));
        match kind {
            Type::Overhead => 0.0,
            Type::Short | Type::Int | Type::Long => TERMS as f64,
            Type::Float => terms
                .fold(0f32, |sum, y| sum + y as f32 / (y as f32 - 1.0))
                .into(),
            Type::Double => terms.fold(0.0, |sum, y| sum + y / (y - 1.0)),
        }
    }

    #[test]
    fn sums_what_it_says() {
        for kind in Type::ALL {
            assert_eq!(sums(kind, 1), expected(kind), "{kind:?}");
            assert_eq!(sums(kind, 3), expected(kind), "{kind:?}");
        }
    }

    #[test]
    fn the_portable_loops_agree() {
        assert_eq!(f64::from(portable::short(2)), expected(Type::Short));
        assert_eq!(f64::from(portable::int(2)), expected(Type::Int));
        assert_eq!(portable::long(2) as f64, expected(Type::Long));
        assert_eq!(f64::from(portable::float(2)), expected(Type::Float));
        assert_eq!(portable::double(2), expected(Type::Double));
        portable::empty(2);
    }

    /// Ten times the work in at least three times the time: a folded loop takes none.
    #[test]
    fn takes_time_in_proportion() {
        for kind in Type::ALL {
            let best = |n| {
                (0..20)
                    .map(|_| {
                        let start = Instant::now();
                        sums(kind, n);
                        start.elapsed()
                    })
                    .min()
            };
            assert!(best(2000) > best(200).map(|t| 3 * t), "{kind:?}");
        }
    }
}
