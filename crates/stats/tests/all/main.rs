//! The tests of this crate from outside, in one program: every program more takes seconds to compile and link.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "../common/mod.rs"]
mod common;
#[path = "../machine/mod.rs"]
mod machine;

mod alone;
mod levels;
mod moderated;
mod never_panics;
mod reach;
mod record;
mod simulation;
mod values;
