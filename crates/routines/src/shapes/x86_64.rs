//! The shapes on x86-64, in assembly throughout: no compiler may turn a loop of memcpy into a call of memcpy.

#[macro_use]
mod lines;
#[macro_use]
mod straight;
#[macro_use]
mod small_copy;
#[macro_use]
mod steps;

mod compare;
mod copy;
mod set;

pub(crate) use compare::*;
pub(crate) use copy::*;
pub(crate) use set::*;

use super::super::limits::LIMITS;
