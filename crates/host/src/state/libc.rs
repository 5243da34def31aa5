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

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = (tunables(&text), caches(&text), version(&text));
        }
    }
}
