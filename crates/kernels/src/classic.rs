//! The programs of the classic suites: Dhrystone, Whetstone, the arithmetic test and the tower of
//! Hanoi, reimplemented from their published descriptions.
//!
//! The arithmetic test is assembly. The others are made of what a compiler is there to translate, so
//! they are compiled, and their figures are shown with the compiler ([`crate::compiled::BY`]): every
//! value that a compiler could precompute is hidden from it, and procedures are not inlined.

pub mod arith;
pub mod dhrystone;
pub mod hanoi;
pub mod whetstone;
