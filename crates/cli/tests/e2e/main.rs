//! The program as its users meet it: short real runs, in good places and in bad ones.
//!
//! What a test needs from the machine (root, a cgroup, a tool) it asks of [`env::need`]: without it
//! the test is skipped with a printed reason, or fails where `WHYSLOW_REQUIRE_E2E=1` is set.
#![allow(clippy::unwrap_used, clippy::print_stderr)] // helpers of tests are tests

mod against;
mod answers;
mod browser;
mod catalog;
mod color_denied;
mod color_programs;
mod color_run;
mod confined;
mod database;
mod doctor;
mod env;
mod experiments;
mod first_screen;
mod fleet;
mod fleet_failures;
mod fleet_history;
mod fleet_postgres;
mod fleet_run;
mod fleet_slurm;
mod gallery;
mod hang_up;
mod hostile;
mod input;
mod interrupted;
mod kept;
mod kills;
mod leftovers;
mod limits;
mod load;
mod load_arms;
mod machine;
mod mcp;
mod os_rows;
mod page;
mod page_places;
mod places;
mod plan;
mod plots;
mod printed;
mod schema;
mod seccomp;
mod sim;
mod slowdown;
mod static_build;
mod suites;
mod tune;
mod tune_copies;
mod tune_run;
mod workers;
