//! How far values drift from one run of a minute to the next on a host where nothing was changed: by the clock, other
//! guests, the place of pages and of virtual CPUs. Standard deviations of the logarithm of a point's value.
//!
//! Chosen from two sets of ten quick runs on one guest of two CPUs, on different days (docs/intervals.md): with them, 95 %
//! intervals of the differences between two runs held 1.0 in 95 % of 16,334 tests, where the spread within the runs
//! alone gave 91 to 92 %. Each is the smallest of 0.5, 0.75, 1, 1.5 and 2 % with which every probe of the kind came to
//! 91 % and more in both sets.

/// Loads and stores of the core's own: latency, bandwidth, parallelism, address translation.
pub(crate) const MEMORY: f64 = 0.005;

/// What has no number of its own: copies by the library, lines between cores, new processes.
pub(crate) const USUAL: f64 = 0.0075;

/// System calls, and the clock.
pub(crate) const CALLS: f64 = 0.01;

/// The shortest of calls, in which a few nanoseconds of return are a percent; switches of context and pipes, which the
/// scheduler has a part in.
pub(crate) const SWITCHES: f64 = 0.015;

/// Lines that two CPUs pass to each other: a guest does not know where its CPUs are.
pub(crate) const CORES: f64 = 0.02;
