//! The knobs, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

pub mod child_of;
pub mod clocksource;
pub mod cpus;
pub mod environment;
pub mod kernel;
pub mod library_path;
pub mod locale;
pub mod memory_neighbor;
pub mod neighbor;
pub mod nice;
pub mod nothing;
pub mod open_files;
pub mod preload;
pub mod quota;
pub mod scheduler;
pub mod scratch;
pub mod seccomp;
pub mod stopped;
pub mod thp;
pub mod timer_slack;
pub mod trace;
pub mod tunables;
pub mod variable;

/// Every knob.
pub const KNOBS: &[&crate::Knob] = &[
    &child_of::KNOB,
    &clocksource::KNOB,
    &cpus::KNOB,
    &environment::KNOB,
    &kernel::KNOB,
    &library_path::KNOB,
    &locale::KNOB,
    &memory_neighbor::KNOB,
    &neighbor::KNOB,
    &nice::KNOB,
    &nothing::KNOB,
    &open_files::KNOB,
    &preload::KNOB,
    &quota::KNOB,
    &scheduler::KNOB,
    &scratch::KNOB,
    &seccomp::KNOB,
    &stopped::KNOB,
    &thp::KNOB,
    &timer_slack::KNOB,
    &trace::KNOB,
    &tunables::KNOB,
    &variable::KNOB,
];
