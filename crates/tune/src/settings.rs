//! The settings that are tried on a command, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

pub mod arenas_one;
pub mod arenas_two;
pub mod batch;
pub mod bind_late;
pub mod bind_now;
pub mod copies_by_vectors;
pub mod locale_c;
pub mod malloc_huge_pages;
pub mod malloc_keep;
pub mod malloc_map;
pub mod malloc_pad;
pub mod malloc_trim;
pub mod no_huge_pages;
pub mod one_cpu;
pub mod priority;
pub mod temporary_in_memory;
pub mod timer_slack;

/// Every setting.
pub const SETTINGS: &[&crate::Setting] = &[
    &arenas_one::SETTING,
    &arenas_two::SETTING,
    &batch::SETTING,
    &bind_late::SETTING,
    &bind_now::SETTING,
    &copies_by_vectors::SETTING,
    &locale_c::SETTING,
    &malloc_huge_pages::SETTING,
    &malloc_keep::SETTING,
    &malloc_map::SETTING,
    &malloc_pad::SETTING,
    &malloc_trim::SETTING,
    &no_huge_pages::SETTING,
    &one_cpu::SETTING,
    &priority::SETTING,
    &temporary_in_memory::SETTING,
    &timer_slack::SETTING,
];
