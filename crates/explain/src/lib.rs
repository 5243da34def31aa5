//! Why things differ: models of latency curves, causes, and the evidence for and against each.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod curve;
