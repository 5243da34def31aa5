//! How far values drift from one run of a minute to the next on a host where nothing was changed: by the clock, other
//! guests, the place of pages and of virtual CPUs. Standard deviations of the logarithm of a point's value.
//!
//! Chosen from sets of quick runs on one quiet guest of two CPUs (docs/intervals.md): of 0.5, 0.75, 1, 1.5 and 2 %, each is the
//! smallest with which 95 % intervals of the differences between two runs held 1.0 in 91 % of the tests of its kind. A busy
//! host drifts more, which a comparison takes from the spread of processes.

/// What the private caches and buffers of one core do: their latency, bandwidth.
pub(crate) const PRIVATE: f64 = 0.005;

/// What has no number of its own: copies by the library, lines between cores.
pub(crate) const USUAL: f64 = 0.0075;

/// System calls, and the clock.
pub(crate) const CALLS: f64 = 0.01;

/// The shortest of calls, in which a few nanoseconds of return are a percent; switches of context, pipes and new
/// processes, which the scheduler has a part in.
pub(crate) const SWITCHES: f64 = 0.015;

/// Latency beyond the private caches, of which other guests have a part; address translation, which drifted as
/// much.
pub(crate) const SHARED: f64 = 0.02;

/// Walks of page tables that are larger than private caches: a guest's go through the host's tables as well, and how the host
/// backs memory may differ from run to run. Between ten runs of four sets, 0 to 54 % was seen.
pub(crate) const WALKS: f64 = 0.15;

/// Lines that two CPUs pass to each other: a guest does not know where its CPUs are. Between ten runs of a crowded
/// one 4 % was seen; with 2 %, intervals held 1.0 in 79 to 86 % of the tests.
pub(crate) const CORES: f64 = 0.05;
