//! The settings that are tried on a command, one file each. Written by `cargo test -p whyslow-gather`; not edited by hand.

pub mod arenas_one;
pub mod arenas_two;
pub mod batch;
pub mod bind_late;
pub mod bind_now;
pub mod compaction_off;
pub mod copies_by_vectors;
pub mod energy_performance;
pub mod governor_performance;
pub mod guest_poll;
pub mod guest_poll_off;
pub mod kvm_poll_off;
pub mod locale_c;
pub mod malloc_huge_pages;
pub mod malloc_keep;
pub mod malloc_map;
pub mod malloc_pad;
pub mod malloc_trim;
pub mod no_huge_pages;
pub mod one_cpu;
pub mod priority;
pub mod read_ahead_far;
pub mod read_ahead_near;
pub mod slice_long;
pub mod slice_short;
pub mod swappiness_low;
pub mod temporary_in_memory;
pub mod thp_always;
pub mod thp_defrag_always;
pub mod thp_defrag_never;
pub mod thp_never;
pub mod timer_slack;

/// Every setting.
pub const SETTINGS: &[&crate::Setting] = &[
    &arenas_one::SETTING,
    &arenas_two::SETTING,
    &batch::SETTING,
    &bind_late::SETTING,
    &bind_now::SETTING,
    &compaction_off::SETTING,
    &copies_by_vectors::SETTING,
    &energy_performance::SETTING,
    &governor_performance::SETTING,
    &guest_poll::SETTING,
    &guest_poll_off::SETTING,
    &kvm_poll_off::SETTING,
    &locale_c::SETTING,
    &malloc_huge_pages::SETTING,
    &malloc_keep::SETTING,
    &malloc_map::SETTING,
    &malloc_pad::SETTING,
    &malloc_trim::SETTING,
    &no_huge_pages::SETTING,
    &one_cpu::SETTING,
    &priority::SETTING,
    &read_ahead_far::SETTING,
    &read_ahead_near::SETTING,
    &slice_long::SETTING,
    &slice_short::SETTING,
    &swappiness_low::SETTING,
    &temporary_in_memory::SETTING,
    &thp_always::SETTING,
    &thp_defrag_always::SETTING,
    &thp_defrag_never::SETTING,
    &thp_never::SETTING,
    &timer_slack::SETTING,
];
