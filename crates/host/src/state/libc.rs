//! The C library that programs on this host use, and the cache sizes it assumes.

use std::collections::BTreeMap;

use whyslow_model::host::Known;
use whyslow_model::state::Libc;

use crate::root::HostRoot;

pub(super) fn libc(root: &HostRoot) -> Libc {
    let live = root.calls();
    let tools = &live.tools;
    Libc {
        loader: tools.loader.clone(),
        version: tools.loader_version.as_ref().and_then(|text| version(text)),
        tunables: tools
            .loader_tunables
            .as_ref()
            .and_then(|text| filled(tunables(text), "the loader prints no tunables")),
        caches: tools
            .getconf
            .as_ref()
            .and_then(|text| filled(caches(text), "getconf prints no cache sizes")),
        routines: Some(tools.loader_diagnostics.as_ref().and_then(|text| {
            let why = "the loader prints no thresholds (it does on x86)";
            filled(routines(text), why)
        })),
        own: live.own_libc.clone(),
    }
}

fn filled<V>(map: BTreeMap<String, V>, why: &str) -> Known<BTreeMap<String, V>> {
    if map.is_empty() {
        Known::unknown(why)
    } else {
        Known::Is(map)
    }
}

/// glibc says it in one line; musl has the name in one and the number in the next.
fn version(text: &str) -> Known<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return Known::unknown("the loader does not say");
    };
    let version = match lines.next().filter(|_| first.starts_with("musl")) {
        Some(second) => format!("{first} {second}"),
        None => first.trim_end_matches('.').to_owned(),
    };
    Known::Is(version.chars().take(200).collect())
}

/// Lines such as `glibc.cpu.x86_data_cache_size: 0xc000 (min: 0x0, max: ...)`;
/// one without a value is left out.
fn tunables(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(':')?;
            let value = rest
                .split_once(" (min:")
                .map_or(rest, |(value, _)| value)
                .trim();
            (name.starts_with("glibc.") && !value.is_empty())
                .then(|| (name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// Lines such as `LEVEL1_DCACHE_SIZE   49152`. The library says 0 for what it
/// does not know.
fn caches(text: &str) -> BTreeMap<String, u64> {
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(char::is_whitespace)?;
            let value: u64 = value.trim().parse().ok()?;
            (name.starts_with("LEVEL") && name.contains("CACHE") && value != 0)
                .then(|| (name.to_owned(), value))
        })
        .collect()
}

/// What the loader says of the CPU as the library uses it.
const FEATURES: &str = "x86.cpu_features.";

/// Of that, what decides how the library copies and fills; the rest is the CPU's.
const DECIDE: [&str; 11] = [
    "non_temporal_threshold",
    "memset_non_temporal_threshold",
    "rep_movsb_threshold",
    "rep_movsb_stop_threshold",
    "rep_stosb_threshold",
    "data_cache_size",
    "shared_cache_size",
    "level3_cache_size",
    "preferred.Prefer_ERMS",
    "preferred.Prefer_FSRM",
    "preferred.Avoid_Short_Distance_REP_MOVSB",
];

/// Fast string instructions among the bits of CPUID's leaf 7: its register, the bit, and their name.
const STRING_BITS: [(&str, u32, &str); 2] = [("0x1", 9, "usable.ERMS"), ("0x3", 4, "usable.FSRM")];

/// Lines such as `x86.cpu_features.rep_movsb_threshold=0x840`. Bits that the library may use are `active` ones, in
/// glibc 2.33 `usable`.
fn routines(text: &str) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let lines = text.lines().filter_map(|line| line.strip_prefix(FEATURES));
    for (name, value) in lines.filter_map(|line| line.split_once('=')) {
        let digits = value.trim().strip_prefix("0x");
        let Some(value) = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) else {
            continue;
        };
        if DECIDE.contains(&name) {
            found.insert(name.to_owned(), value);
        }
        for (register, bit, called) in STRING_BITS {
            let bits = ["active", "usable"].map(|kind| format!("features[0x1].{kind}[{register}]"));
            if bits.iter().any(|bits| bits == name) {
                found.insert(called.to_owned(), value >> bit & 1);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_the_tools_print() {
        let map = tunables(
            "glibc.cpu.x86_shared_cache_size: 0x18000000 (min: 0x0, max: 0xffff)\nglibc.cpu.hwcaps:\nx: 1\n",
        );
        assert_eq!(map.len(), 1);
        assert_eq!(map["glibc.cpu.x86_shared_cache_size"], "0x18000000");
        let map = caches(
            "LEVEL3_CACHE_SIZE    402653184\nLEVEL3_CACHE_ASSOC   0\nLEVEL4_CACHE_SIZE   \nPAGESIZE 4096\n",
        );
        assert_eq!(map.len(), 1);
        assert_eq!(map["LEVEL3_CACHE_SIZE"], 402_653_184);
        assert_eq!(
            version("ld.so (Debian GLIBC 2.36-9) stable release version 2.36.\nCopyright"),
            Known::Is("ld.so (Debian GLIBC 2.36-9) stable release version 2.36".into())
        );
        assert_eq!(
            version("musl libc (x86_64)\nVersion 1.2.4\n"),
            Known::Is("musl libc (x86_64) Version 1.2.4".into())
        );
    }

    #[test]
    fn what_the_routines_go_by() {
        let map = routines(
            "env[0x0]=\"x86.cpu_features.rep_movsb_threshold=0x1\"\n\
             x86.cpu_features.basic.family=0x19\n\
             x86.cpu_features.features[0x1].cpuid[0x1]=0xf1bf07ab\n\
             x86.cpu_features.features[0x1].active[0x1]=0xf1af0328\n\
             x86.cpu_features.features[0x1].active[0x3]=0x0\n\
             x86.cpu_features.preferred.Prefer_FSRM=0x0\n\
             x86.cpu_features.non_temporal_threshold=0xf000000\n\
             x86.cpu_features.rep_movsb_threshold=0x840\n\
             x86.cpu_features.rep_stosb_threshold=many\n",
        );
        let map: Vec<(&str, u64)> = map.iter().map(|(name, v)| (name.as_str(), *v)).collect();
        let wanted = [
            ("non_temporal_threshold", 0xf00_0000),
            ("preferred.Prefer_FSRM", 0),
            ("rep_movsb_threshold", 2112),
            ("usable.ERMS", 1),
            ("usable.FSRM", 0),
        ];
        assert_eq!(map, wanted);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = (tunables(&text), caches(&text), version(&text), routines(&text));
        }
    }
}
