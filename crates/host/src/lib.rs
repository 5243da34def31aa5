//! Reads the machine: topology, caches, state and counters, from a root path.
