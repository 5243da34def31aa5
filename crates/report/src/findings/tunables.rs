//! Tunables of the C library that the environment of the run set, and whether the library took them.

use whyslow_model::state::Libc;
use whyslow_model::tunables::{HWCAPS, NON_TEMPORAL, REP_MOVSB, REP_STOSB, VARIABLE};

use super::{Finding, Rank};
use crate::numbers;
use crate::view::View;

/// What is measured of copies, allocation and starting is what these settings make of it.
pub(super) fn set(view: &View<'_>) -> Option<Finding> {
    let state = view.state()?;
    let variable = state.environment.steering.get(VARIABLE)?;
    let second = view.host().and_then(|h| h.caches.value()).and_then(|all| {
        let sizes = all.iter().filter(|c| c.level == 2);
        sizes.filter_map(|c| c.size_bytes.value().copied()).max()
    });
    let each: Vec<String> = variable
        .split(':')
        .filter_map(|setting| setting.split_once('='))
        .map(|(name, value)| {
            let effect = effect(&state.libc, name, value, second);
            format!("{name}={value}{effect}")
        })
        .collect();
    if each.is_empty() {
        return None;
    }
    let text = format!(
        "{VARIABLE} is set in the environment of this run: {}. What is measured of the C library is measured \
         with it; `env -u {VARIABLE} whyslow run --only 'mem.libc*'` shows what the library chooses by itself.",
        each.join("; "),
    );
    Finding::new(Rank::Mended, text)
}

/// What a setting does, or that the library did not take it.
fn effect(libc: &Libc, name: &str, value: &str, second: Option<u64>) -> String {
    let Some(listed) = libc.tunables.value().and_then(|all| all.get(name)) else {
        return match libc.tunables.value() {
            Some(_) if name != HWCAPS => " (this library has no such tunable)".to_owned(),
            _ => String::new(),
        };
    };
    let (Some(taken), Some(asked)) = (number(listed), number(value)) else {
        return String::new();
    };
    if taken != asked {
        return format!(" (not taken: the library uses {})", numbers::count(taken));
    }
    let from = format!("{} bytes", numbers::count(taken));
    match name {
        NON_TEMPORAL if second.is_some_and(|second| taken < second) => format!(
            " (copies go past the caches from {from} on, and the L2 has {}: what was copied comes from memory when it is used)",
            numbers::size(second.unwrap_or(0))
        ),
        NON_TEMPORAL => format!(" (copies go past the caches from {from} on)"),
        REP_MOVSB => format!(" (copies use REP MOVSB from {from} on)"),
        REP_STOSB => format!(" (fills use REP STOSB from {from} on)"),
        _ => String::new(),
    }
}

/// A value as the loader and its users write it: decimal, hexadecimal or octal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
