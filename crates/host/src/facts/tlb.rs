//! Translation buffers, out of CPUID. Sources: AMD64 Architecture Programmer's
//! Manual volume 3, appendix E; Intel Software Developer's Manual volume 2, CPUID.

use std::collections::BTreeSet;

use whyslow_model::host::{CacheKind, Known, Tlb};

use crate::live::Cpuid;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Every translation buffer that CPUID tells of, by level, kind and page size.
pub(super) fn tlbs(cpuid: &Cpuid) -> Known<Vec<Tlb>> {
    let mut tlbs = match cpuid.vendor().as_deref() {
        Some("AuthenticAMD" | "HygonGenuine") => amd(cpuid),
        _ => intel(cpuid),
    };
    if tlbs.is_empty() {
        return Known::unknown("CPUID tells of no translation buffers; a hypervisor may hide them");
    }
    tlbs.sort_by(|a, b| (a.level, a.kind, &a.page_bytes).cmp(&(b.level, b.kind, &b.page_bytes)));
    Known::Is(tlbs)
}

/// The ways that AMD's four-bit codes stand for, except 15, fully associative.
fn amd_ways(code: u32) -> Known<u32> {
    let ways = match code {
        1..=4 => code,
        0x5 => 6,
        0x6 => 8,
        0x8 => 16,
        0xa => 32,
        0xb => 48,
        0xc => 64,
        0xd => 96,
        0xe => 128,
        _ => return Known::unknown(format!("CPUID gives the reserved code {code:#x}")),
    };
    Known::Is(ways)
}

/// What the entries of level 2 are counted in: from Zen 5 on by 32, and then bit
/// 14 (`L2TlbSizeX32`) of leaf 0x80000021 says so. Hypervisors pass on the
/// counts and hide that bit, so that on these CPUs a missing bit says nothing.
fn level_2_unit(cpuid: &Cpuid) -> Known<u32> {
    /// Family of Zen 5.
    const FIRST_BY_32: u32 = 0x1a;
    let by_32 = cpuid
        .leaf(0x8000_0021, 0)
        .is_some_and(|[a, ..]| a >> 14 & 1 == 1);
    let family = cpuid.signature().map_or(0, |[family, ..]| family);
    if by_32 {
        Known::Is(32)
    } else if family >= FIRST_BY_32 && cpuid.is_guest() == Some(true) {
        Known::unknown("hides whether by ones or by 32 (bit 14 of CPUID 0x80000021)")
    } else {
        Known::Is(1)
    }
}

fn amd(cpuid: &Cpuid) -> Vec<Tlb> {
    let mut tlbs = vec![];
    let mut push = |leaf: u32, level, kind, page, entries: Known<u32>, ways| {
        if entries != Known::Is(0) {
            tlbs.push(Tlb {
                level,
                kind,
                page_bytes: vec![page],
                entries,
                ways,
                source: format!("CPUID {leaf:#x}"),
            });
        }
    };
    // Level 1 has bytes: instruction entries, ways, data entries, ways; 255 ways
    // means fully associative.
    if let Some([large, small, ..]) = cpuid.leaf(0x8000_0005, 0) {
        let ways = |ways: u32, entries| match ways {
            0 => Known::unknown("CPUID gives 0 ways"),
            0xff => Known::Is(entries),
            ways => Known::Is(ways),
        };
        for (word, page) in [(small, 4 * KIB), (large, 2 * MIB)] {
            let [i, i_ways, d, d_ways] = word.to_le_bytes().map(u32::from);
            for (kind, entries, code) in [
                (CacheKind::Instruction, i, i_ways),
                (CacheKind::Data, d, d_ways),
            ] {
                let ways = ways(code, entries);
                push(0x8000_0005, 1, kind, page, Known::Is(entries), ways);
            }
        }
    }
    // The others have 12 bits of entries and 4 bits of code, instruction low,
    // data high.
    let unit = level_2_unit(cpuid);
    let mut packed = |leaf, level, word: u32, page| {
        for (kind, half) in [
            (CacheKind::Instruction, word & 0xffff),
            (CacheKind::Data, word >> 16),
        ] {
            let (count, code) = (half & 0xfff, half >> 12);
            let entries = match (&unit, level, count) {
                (_, 1, _) | (_, _, 0) => Known::Is(count),
                (Known::Is(unit), ..) => Known::Is(count * unit),
                (Known::Unknown(unknown), ..) => {
                    Known::unknown(format!("CPUID gives {count}, but {}", unknown.unknown))
                }
            };
            let ways = match code {
                0xf => entries.clone(),
                code => amd_ways(code),
            };
            push(leaf, level, kind, page, entries, ways);
        }
    };
    if let Some([large, small, ..]) = cpuid.leaf(0x8000_0006, 0) {
        packed(0x8000_0006, 2, small, 4 * KIB);
        packed(0x8000_0006, 2, large, 2 * MIB);
    }
    if let Some([first, second, ..]) = cpuid.leaf(0x8000_0019, 0) {
        packed(0x8000_0019, 1, first, GIB);
        packed(0x8000_0019, 2, second, GIB);
    }
    tlbs
}

/// Leaf 0x18 where the CPU has it, and otherwise the descriptors of leaf 2.
fn intel(cpuid: &Cpuid) -> Vec<Tlb> {
    let listed: Vec<Tlb> = (0..)
        .map_while(|index| cpuid.leaf(0x18, index))
        .filter_map(listed)
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    cpuid.leaf(2, 0).map(by_descriptors).unwrap_or_default()
}

/// One subleaf of leaf 0x18.
fn listed([_, b, c, d]: [u32; 4]) -> Option<Tlb> {
    let kind = match d & 0x1f {
        // 4 and 5 serve loads only and stores only.
        1 | 4 | 5 => CacheKind::Data,
        2 => CacheKind::Instruction,
        3 => CacheKind::Unified,
        _ => return None,
    };
    let pages = [4 * KIB, 2 * MIB, 4 * MIB, GIB];
    let page_bytes: Vec<u64> = (0..4)
        .filter(|bit| b >> bit & 1 == 1)
        .map(|bit| pages[bit])
        .collect();
    let ways = b >> 16;
    let entries = ways.checked_mul(c)?;
    (entries != 0 && !page_bytes.is_empty()).then(|| Tlb {
        level: d >> 5 & 7,
        kind,
        page_bytes,
        entries: Known::Is(entries),
        ways: Known::Is(ways),
        source: "CPUID 0x18".into(),
    })
}

/// A descriptor byte of leaf 2: level, kind, pages, entries, ways; 0 ways where
/// the manual gives none, as many as entries where it says fully associative.
type Descriptor = (u8, u32, CacheKind, &'static [u64], u32, u32);

const SMALL: &[u64] = &[4 * KIB];
const LARGE: &[u64] = &[2 * MIB, 4 * MIB];
const HUGE: &[u64] = &[4 * MIB];
const MEDIUM: &[u64] = &[2 * MIB];
const GIANT: &[u64] = &[GIB];
const SMALL_OR_LARGE: &[u64] = &[4 * KIB, 2 * MIB, 4 * MIB];
const SMALL_OR_MEDIUM: &[u64] = &[4 * KIB, 2 * MIB];

/// Table 3-12 of the manual, as far as it is about translation.
const DESCRIPTORS: [Descriptor; 39] = [
    (0x01, 1, CacheKind::Instruction, SMALL, 32, 4),
    (0x02, 1, CacheKind::Instruction, HUGE, 2, 2),
    (0x03, 1, CacheKind::Data, SMALL, 64, 4),
    (0x04, 1, CacheKind::Data, HUGE, 8, 4),
    (0x05, 2, CacheKind::Data, HUGE, 32, 4),
    (0x0b, 1, CacheKind::Instruction, HUGE, 4, 4),
    (0x4f, 1, CacheKind::Instruction, SMALL, 32, 0),
    (0x50, 1, CacheKind::Instruction, SMALL_OR_LARGE, 64, 0),
    (0x51, 1, CacheKind::Instruction, SMALL_OR_LARGE, 128, 0),
    (0x52, 1, CacheKind::Instruction, SMALL_OR_LARGE, 256, 0),
    (0x55, 1, CacheKind::Instruction, LARGE, 7, 7),
    (0x56, 1, CacheKind::Data, HUGE, 16, 4),
    (0x57, 1, CacheKind::Data, SMALL, 16, 4),
    (0x59, 1, CacheKind::Data, SMALL, 16, 16),
    (0x5a, 1, CacheKind::Data, LARGE, 32, 4),
    (0x5b, 1, CacheKind::Data, &[4 * KIB, 4 * MIB], 64, 0),
    (0x5c, 1, CacheKind::Data, &[4 * KIB, 4 * MIB], 128, 0),
    (0x5d, 1, CacheKind::Data, &[4 * KIB, 4 * MIB], 256, 0),
    (0x61, 1, CacheKind::Instruction, SMALL, 48, 48),
    // 0x63 stands for two buffers; the one for pages of 1 GiB is below.
    (0x63, 1, CacheKind::Data, LARGE, 32, 4),
    (0x63, 1, CacheKind::Data, GIANT, 4, 4),
    (0x64, 1, CacheKind::Data, SMALL, 512, 4),
    (0x6a, 1, CacheKind::Data, SMALL, 64, 8),
    (0x6b, 2, CacheKind::Data, SMALL, 256, 8),
    (0x6c, 2, CacheKind::Data, LARGE, 128, 8),
    (0x6d, 2, CacheKind::Data, GIANT, 16, 16),
    (0x76, 1, CacheKind::Instruction, LARGE, 8, 8),
    (0xa0, 1, CacheKind::Data, SMALL, 32, 32),
    (0xb0, 1, CacheKind::Instruction, SMALL, 128, 4),
    (0xb2, 1, CacheKind::Instruction, SMALL, 64, 4),
    (0xb3, 1, CacheKind::Data, SMALL, 128, 4),
    (0xb4, 2, CacheKind::Data, SMALL, 256, 4),
    (0xb5, 1, CacheKind::Instruction, SMALL, 64, 8),
    (0xb6, 1, CacheKind::Instruction, SMALL, 128, 8),
    (0xba, 1, CacheKind::Data, SMALL, 64, 4),
    (0xc1, 2, CacheKind::Unified, SMALL_OR_MEDIUM, 1024, 8),
    (0xc3, 2, CacheKind::Unified, SMALL_OR_MEDIUM, 1536, 6),
    (0xc4, 1, CacheKind::Data, LARGE, 32, 4),
    (0xca, 2, CacheKind::Unified, SMALL, 512, 4),
];

/// Descriptors that two rows of sizes belong to: 0xc3 also holds pages of 1 GiB,
/// 0xb1 has 8 entries for 2 MiB or 4 for 4 MiB, 0xc0 and 0xc2 are small data buffers.
const MORE_DESCRIPTORS: [Descriptor; 5] = [
    (0xb1, 1, CacheKind::Instruction, MEDIUM, 8, 4),
    (0xb1, 1, CacheKind::Instruction, HUGE, 4, 4),
    (0xc0, 1, CacheKind::Data, &[4 * KIB, 4 * MIB], 8, 4),
    (0xc2, 1, CacheKind::Data, SMALL_OR_MEDIUM, 16, 4),
    (0xc3, 2, CacheKind::Unified, GIANT, 16, 4),
];

fn by_descriptors(registers: [u32; 4]) -> Vec<Tlb> {
    // The lowest byte of EAX is not a descriptor, and a register with bit 31
    // set holds none.
    let bytes: BTreeSet<u8> = registers
        .iter()
        .enumerate()
        .filter(|(_, word)| *word >> 31 == 0)
        .flat_map(|(index, word)| {
            let skipped = usize::from(index == 0);
            word.to_le_bytes().into_iter().skip(skipped)
        })
        .collect();
    DESCRIPTORS
        .iter()
        .chain(&MORE_DESCRIPTORS)
        .filter(|(code, ..)| bytes.contains(code))
        .map(|&(code, level, kind, pages, entries, ways)| Tlb {
            level,
            kind,
            page_bytes: pages.to_vec(),
            entries: Known::Is(entries),
            ways: if ways == 0 {
                Known::unknown("the manual does not say")
            } else {
                Known::Is(ways)
            },
            source: format!("CPUID 0x2 descriptor {code:#04x}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEL: ((u32, u32), [u32; 4]) = ((0, 0), [0x18, 0x756e_6547, 0x6c65_746e, 0x4965_6e69]);
    const AMD: ((u32, u32), [u32; 4]) = ((0, 0), [0x10, 0x6874_7541, 0x444d_4163, 0x6974_6e65]);

    fn find(tlbs: &[Tlb], level: u32, kind: CacheKind, page: u64) -> (u32, Known<u32>) {
        let is_it =
            |tlb: &&Tlb| (tlb.level, tlb.kind) == (level, kind) && tlb.page_bytes.contains(&page);
        let tlb = tlbs.iter().find(is_it).unwrap();
        (tlb.entries.clone().into_value().unwrap(), tlb.ways.clone())
    }

    #[test]
    fn zen_2() {
        // As an EPYC 7742 gives them: 64 entries fully associative at level 1,
        // 1024 instruction (8 ways) and 2048 data (8 ways) at level 2.
        let cpuid = Cpuid::new([
            AMD,
            ((0x8000_0005, 0), [0xff40_ff40, 0xff40_ff40, 0, 0]),
            ((0x8000_0006, 0), [0x4800_6400, 0x6800_6400, 0, 0]),
            ((0x8000_0019, 0), [0xf040_0000, 0, 0, 0]),
        ]);
        let tlbs = tlbs(&cpuid).into_value().unwrap();
        assert_eq!(
            find(&tlbs, 1, CacheKind::Data, 4 * KIB),
            (64, Known::Is(64))
        );
        assert_eq!(
            find(&tlbs, 2, CacheKind::Data, 4 * KIB),
            (2048, Known::Is(8))
        );
        assert_eq!(
            find(&tlbs, 2, CacheKind::Instruction, 4 * KIB),
            (1024, Known::Is(8))
        );
        assert_eq!(
            find(&tlbs, 2, CacheKind::Data, 2 * MIB),
            (2048, Known::Is(4))
        );
        assert_eq!(find(&tlbs, 1, CacheKind::Data, GIB), (64, Known::Is(64)));
        // 0 entries is no buffer.
        assert!(
            !tlbs
                .iter()
                .any(|tlb| tlb.level == 2 && tlb.page_bytes == [GIB])
        );
    }

    #[test]
    fn zen_5_counts_by_32_and_a_guest_may_not_see_it() {
        let leaves = |feature: u32, is_guest: u32| {
            Cpuid::new([
                AMD,
                ((1, 0), [0x00b0_0f21, 0, is_guest << 31, 0]),
                ((0x8000_0006, 0), [0x4080_2040, 0x6080_4040, 0, 0]),
                ((0x8000_0021, 0), [feature, 0, 0, 0]),
            ])
        };
        let bare = tlbs(&leaves(1 << 14, 0)).into_value().unwrap();
        assert_eq!(
            find(&bare, 2, CacheKind::Data, 4 * KIB),
            (4096, Known::Is(8))
        );
        let guest = tlbs(&leaves(0, 1)).into_value().unwrap();
        assert!(
            guest
                .iter()
                .all(|tlb| tlb.entries.why().unwrap().contains("by 32"))
        );
    }

    #[test]
    fn intel_by_descriptors() {
        // Skylake server: 76036301 00f0b5ff 00000000 00c30000; 0xff sends to leaf 4.
        let cpuid = Cpuid::new([INTEL, ((2, 0), [0x7603_6301, 0x00f0_b5ff, 0, 0x00c3_0000])]);
        let tlbs = tlbs(&cpuid).into_value().unwrap();
        assert_eq!(find(&tlbs, 1, CacheKind::Data, 4 * KIB), (64, Known::Is(4)));
        assert_eq!(
            find(&tlbs, 1, CacheKind::Instruction, 4 * KIB),
            (64, Known::Is(8))
        );
        assert_eq!(
            find(&tlbs, 2, CacheKind::Unified, 4 * KIB),
            (1536, Known::Is(6))
        );
        assert_eq!(find(&tlbs, 2, CacheKind::Unified, GIB), (16, Known::Is(4)));
        // The lowest byte, 01, counts queries: it is not the descriptor 0x01.
        assert!(
            !tlbs
                .iter()
                .any(|tlb| tlb.entries == Known::Is(32) && tlb.page_bytes == [4 * KIB])
        );
    }

    #[test]
    fn intel_by_list() {
        // Ice Lake server, subleaves 1 (instruction, 4 KiB, 8 ways of 16 sets)
        // and 4 (both, 4 KiB and 2 MiB, 8 ways of 128 sets, level 2).
        let cpuid = Cpuid::new([
            INTEL,
            ((0x18, 0), [8, 0, 0, 0]),
            ((0x18, 1), [0, 0x0008_0001, 16, 0x22]),
            ((0x18, 2), [0, 0x0008_0007, 128, 0x43]),
        ]);
        let tlbs = tlbs(&cpuid).into_value().unwrap();
        assert_eq!(tlbs.len(), 2);
        assert_eq!(
            find(&tlbs, 1, CacheKind::Instruction, 4 * KIB),
            (128, Known::Is(8))
        );
        assert_eq!(
            find(&tlbs, 2, CacheKind::Unified, 2 * MIB),
            (1024, Known::Is(8))
        );
    }

    #[test]
    fn nothing_is_a_reason() {
        assert!(tlbs(&Cpuid::new([AMD])).why().is_some());
        assert!(
            tlbs(&Cpuid::new([INTEL, ((2, 0), [0xff00_0001, 0, 0, 0])]))
                .why()
                .is_some()
        );
    }
}
