//! The tests of this crate from outside, in one program: every program more takes seconds to compile and link.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "../common/mod.rs"]
mod common;

mod at_once;
mod framed;
mod headers;
mod layouts;
mod never_panics;
mod pairs;
mod rows;
mod samples;
mod seeds;
mod sided;
mod sided_keys;
mod sided_layouts;
mod unheaded;
mod unknown;
