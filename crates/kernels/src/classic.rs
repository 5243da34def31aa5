//! The programs of the classic suites: Dhrystone, Whetstone, the arithmetic test and the tower of
//! Hanoi, written anew from their published descriptions.
//!
//! The arithmetic test is assembly. The others are made of what a compiler is there to translate, so
//! they are compiled, and whoever shows their figures says by what ([`crate::compiled::BY`]): every
//! value that a compiler could work out beforehand is hidden from it, and procedures stay procedures.

pub mod arith;
pub mod dhrystone;
pub mod hanoi;
pub mod whetstone;
