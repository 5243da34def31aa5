//! Which shapes there are, and which of them this CPU has the instructions for.
#![allow(unsafe_code)]

use crate::measure::{Area, Cell, Compare, Copy, Set};
use crate::shapes;

/// As [`Area::time`], of one routine.
pub(crate) type Time = fn(&Area, Cell, &mut usize, u64) -> Option<f64>;

/// One way of doing a function.
#[derive(Debug, Clone, Copy)]
pub struct Shape<F> {
    /// The symbol of the library.
    pub name: &'static str,
    /// The function in this process.
    pub function: F,
    /// Times it, by a call in code that calls nothing else: a CPU foresees where an indirect call goes by what the same place
    /// called before, so that of several routines that one place calls in turns each but the first takes some cycles more.
    pub(crate) time: Time,
    needs: Needs,
}

/// Instructions beyond those that every CPU of the architecture has.
#[derive(Debug, Clone, Copy)]
enum Needs {
    Nothing,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Needs {
    fn met(self) -> bool {
        match self {
            Needs::Nothing => true,
            #[cfg(target_arch = "x86_64")]
            Needs::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Needs::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("bmi2")
            }
        }
    }
}

/// A shape, by its function's name.
macro_rules! shape {
    ($timed:ident $name:ident, $needs:ident) => {
        Shape {
            name: stringify!($name),
            function: shapes::$name,
            time: |area, cell, cursor, calls| {
                // SAFETY: it does what its kind does, and only shapes are timed that the CPU has the instructions for.
                unsafe {
                    area.$timed(cell, cursor, calls, |one, other, bytes| {
                        shapes::$name(one, other, bytes)
                    })
                }
            },
            needs: Needs::$needs,
        }
    };
}

#[cfg(target_arch = "x86_64")]
const COPIES: &[Shape<Copy>] = &[
    shape!(copies whyslow_copy_16, Nothing),
    shape!(copies whyslow_copy_32, Avx2),
    shape!(copies whyslow_copy_32_upper, Avx512),
    shape!(copies whyslow_copy_64, Avx512),
    shape!(copies whyslow_copy_64_few, Avx512),
    shape!(copies whyslow_copy_32_masked, Avx512),
    shape!(copies whyslow_copy_64_masked, Avx512),
];
#[cfg(target_arch = "x86_64")]
const SETS: &[Shape<Set>] = &[
    shape!(fills whyslow_set_16, Nothing),
    shape!(fills whyslow_set_32, Avx2),
    shape!(fills whyslow_set_32_upper, Avx512),
    shape!(fills whyslow_set_64, Avx512),
    shape!(fills whyslow_set_64_few, Avx512),
    shape!(fills whyslow_set_32_masked, Avx512),
    shape!(fills whyslow_set_64_masked, Avx512),
];
#[cfg(target_arch = "x86_64")]
const COMPARES: &[Shape<Compare>] = &[
    shape!(compares whyslow_compare_16, Nothing),
    shape!(compares whyslow_compare_32, Avx2),
    shape!(compares whyslow_compare_64, Avx512),
    shape!(compares whyslow_compare_64_masked, Avx512),
    shape!(compares whyslow_compare_64_then_32, Avx512),
];

#[cfg(target_arch = "aarch64")]
const COPIES: &[Shape<Copy>] = &[shape!(copies whyslow_copy_16, Nothing)];
#[cfg(target_arch = "aarch64")]
const SETS: &[Shape<Set>] = &[shape!(fills whyslow_set_16, Nothing)];
#[cfg(target_arch = "aarch64")]
const COMPARES: &[Shape<Compare>] = &[shape!(compares whyslow_compare_16, Nothing)];

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
const COPIES: &[Shape<Copy>] = &[];
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
const SETS: &[Shape<Set>] = &[];
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
const COMPARES: &[Shape<Compare>] = &[];

fn met<F: std::marker::Copy>(shapes: &[Shape<F>]) -> Vec<Shape<F>> {
    let here = shapes.iter().filter(|shape| shape.needs.met());
    here.copied().collect()
}

/// The copies that this CPU can do, the narrowest vectors first.
pub fn copies() -> Vec<Shape<Copy>> {
    met(COPIES)
}

/// The fills that it can do.
pub fn sets() -> Vec<Shape<Set>> {
    met(SETS)
}

/// The comparisons that it can do.
pub fn compares() -> Vec<Shape<Compare>> {
    met(COMPARES)
}

/// Whether string instructions are among the ways that limits choose from.
pub fn has_strings() -> bool {
    cfg!(target_arch = "x86_64")
}
