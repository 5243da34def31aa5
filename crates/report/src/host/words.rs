//! Facts as words.

use std::collections::BTreeMap;
use std::fmt::Display;

use whyslow_model::host::{CpuSet, Known, Limit};

use crate::numbers;

/// Groups that are listed before the rest is counted.
const GROUPS: usize = 8;

/// As it displays itself.
pub(crate) fn same<T: Display>(value: &T) -> String {
    value.to_string()
}

pub(crate) fn bytes(value: &u64) -> String {
    numbers::size(*value)
}

pub(crate) fn yes_no(value: &bool) -> String {
    if *value { "yes" } else { "no" }.to_owned()
}

pub(crate) fn on_off(value: &bool) -> String {
    if *value { "on" } else { "off" }.to_owned()
}

/// `128 CPUs: 0-127`.
pub(crate) fn cpus(set: &CpuSet) -> String {
    match set.len() {
        0 => String::new(),
        n => format!("{}: {set}", numbers::counted(n as u64, "CPU", "CPUs")),
    }
}

/// `16: 0-7 | 8-15 | ...`.
pub(crate) fn groups(sets: &[CpuSet]) -> String {
    let mut text = sets
        .iter()
        .take(GROUPS)
        .map(CpuSet::to_string)
        .collect::<Vec<_>>()
        .join(" | ");
    if sets.len() > GROUPS {
        text += &format!(" | and {} more", sets.len() - GROUPS);
    }
    format!("{}: {text}", sets.len())
}

pub(crate) fn limit<T: Copy>(limit: &Limit<T>, text: impl Fn(T) -> String) -> String {
    limit.at().map_or_else(|| "unlimited".to_owned(), text)
}

pub(crate) fn list(values: &[impl AsRef<str>]) -> String {
    values
        .iter()
        .map(AsRef::as_ref)
        .collect::<Vec<_>>()
        .join(" ")
}

/// `a=1, b=2`.
pub(crate) fn pairs<V: Display>(map: &BTreeMap<String, V>) -> String {
    map.iter()
        .map(|(k, v)| format!("{k}={v}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A known value within a longer text.
pub(crate) fn inner<T>(known: &Known<T>, text: impl Fn(&T) -> String) -> String {
    known.value().map_or_else(|| "unknown".to_owned(), text)
}
