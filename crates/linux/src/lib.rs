//! Interfaces of the kernel that several crates use, each read or set in one place.
//!
//! | module | answers |
//! |---|---|
//! | [`affinity`] | on which CPUs a thread may run |
//! | [`mounts`] | what is mounted where |
//! | [`cgroup`] | in which control groups a process is, and where these lie |
//! | [`smaps`] | what backs a range of memory |
//!
//! Parsers take text, so that a caller may read below another root; what speaks of the calling process
//! alone says so.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod affinity;
pub mod cgroup;
pub mod mounts;
pub mod smaps;
