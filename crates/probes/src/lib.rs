//! The registry of probes, one file a family.
