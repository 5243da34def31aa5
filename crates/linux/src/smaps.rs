//! `/proc/self/smaps` and `/proc/self/smaps_rollup`: what backs memory (proc_pid_smaps(5)).

use std::fs;
use std::io;
use std::ops::Range;

/// One mapping, with the fields that are asked for here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// Its addresses.
    pub range: Range<u64>,
    /// Bytes in transparent huge pages; none where the kernel does not report them.
    pub anonymous_huge: Option<u64>,
}

/// The mappings of a text of either file; the rollup has one that spans all. Lines of any other form are
/// skipped.
pub fn mappings(text: &str) -> Vec<Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if let Some(range) = addresses(first) {
            found.push(Mapping {
                range,
                anonymous_huge: None,
            });
        } else if let ("AnonHugePages:", Some(mapping)) = (first, found.last_mut()) {
            mapping.anonymous_huge = words.next().and_then(kib);
        }
    }
    found
}

fn addresses(word: &str) -> Option<Range<u64>> {
    let (from, to) = word.split_once('-')?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    Some(address(from)?..address(to)?)
}

/// Bytes of a number of KiB.
fn kib(number: &str) -> Option<u64> {
    number.parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes in transparent huge pages of the calling process's mapping that holds `address`; none where
/// the kernel does not report them.
///
/// # Errors
/// When smaps cannot be read.
pub fn anonymous_huge_at(address: usize) -> io::Result<Option<u64>> {
    let text = fs::read_to_string("/proc/self/smaps")?;
    let address = address as u64;
    let mapping = mappings(&text)
        .into_iter()
        .find(|mapping| mapping.range.contains(&address));
    Ok(mapping.and_then(|mapping| mapping.anonymous_huge))
}

/// Bytes in transparent huge pages of the calling process; none where the kernel does not report them.
pub fn anonymous_huge() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    mappings(&text).first()?.anonymous_huge
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
55d0c8a00000-55d0c8a21000 r--p 00000000 fe:00 1234                       /usr/bin/a-b c
Size:                132 kB
KernelPageSize:        4 kB
AnonHugePages:         0 kB
VmFlags: rd mr mw me
7f0000000000-7f0000800000 rw-p 00000000 00:00 0
Size:               8192 kB
AnonHugePages:      6144 kB
ShmemPmdMapped:        0 kB
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
Size:                  4 kB
";

    #[test]
    fn fields_belong_to_the_mapping_above_them() {
        let found = mappings(TEXT);
        let huge: Vec<_> = found.iter().map(|m| m.anonymous_huge).collect();
        assert_eq!(huge, [Some(0), Some(6144 << 10), None]);
        assert_eq!(found[1].range, 0x7f00_0000_0000..0x7f00_0080_0000);
    }

    #[test]
    fn a_rollup_is_one_mapping() {
        let found = mappings(
            "55d0c8a00000-7fff5c5fe000 ---p 00000000 00:00 0     [rollup]\nRss:  1 kB\nAnonHugePages:  2048 kB\n",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].anonymous_huge, Some(2 << 20));
    }

    #[test]
    fn damage_is_no_number() {
        assert!(mappings("AnonHugePages: 4 kB\n\nx-y z\n").is_empty());
        let found = mappings("1-2 rw-p\nAnonHugePages: many kB\n");
        assert_eq!(found[0].anonymous_huge, None);
    }

    #[test]
    fn the_own_memory_is_there() {
        // Kernels without transparent huge pages do not report them, and sandboxes may hide the file.
        let local = 0_u8;
        if let Ok(Some(huge)) = anonymous_huge_at((&raw const local).addr()) {
            assert_eq!(huge % 4096, 0);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "([0-9a-f -]|AnonHugePages: |\n)*") {
            mappings(&text);
        }
    }
}
