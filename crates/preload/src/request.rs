//! What to run, and with which colors.

use std::ffi::OsString;

use whyslow_page_color::pool::Policy;

/// The program to run, with options.
#[derive(Debug, Clone)]
pub struct Request {
    /// The program, and its arguments.
    pub program: OsString,
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// The colors and their order.
    pub policy: Policy,
    /// Smallest block that is colored, bytes.
    pub least: u64,
    /// Largest block that is colored, bytes.
    pub most: u64,
    /// Pages for the color search.
    pub pages: usize,
    /// Size of the L1 data cache, if known, bytes.
    pub first_level_bytes: Option<u64>,
    /// Size of the second-level cache, as the host claims it or is taken for granted, bytes.
    pub cache_bytes: u64,
    /// Seed of all choices.
    pub seed: u64,
}
