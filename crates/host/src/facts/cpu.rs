//! The processors: identity, microcode, features, bugs.

use std::collections::BTreeSet;

use whyslow_model::host::{CoreKind, Cpu, CpuSet, Known};

use crate::live::Cpuid;
use crate::parse::{Processor, processors};
use crate::root::HostRoot;

/// Arm's list of implementers, as far as they make servers (MIDR_EL1, bits 31 to 24).
const IMPLEMENTERS: [(u32, &str); 10] = [
    (0x41, "Arm"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x51, "Qualcomm"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0xc0, "Ampere"),
];

/// Parts by implementer (MIDR_EL1, bits 15 to 4), from the makers' manuals.
const PARTS: [(u32, u32, &str); 22] = [
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd83, "Neoverse-V3AE"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "TaiShan-v110"),
    (0xc0, 0xac3, "Ampere-1"),
];

/// The processors, from `/proc/cpuinfo`, or where there is none, from CPUID.
pub(super) fn cpu(root: &HostRoot) -> Cpu {
    let cpuid = &root.calls().cpuid;
    let text = root.text("/proc/cpuinfo");
    let found = text.as_ref().and_then(|text| {
        let found = processors(text);
        if found.is_empty() {
            Known::unknown("no processor in /proc/cpuinfo")
        } else {
            Known::Is(found)
        }
    });
    let bits = |which: usize| {
        found
            .as_ref()
            .and_then(|found| address_bits(&found[0], which))
            .or_else(|| leaf(cpuid, |cpuid| Some(cpuid.address_bits()?[which])))
    };
    Cpu {
        kinds: found
            .as_ref()
            .map(|found| kinds(root, found))
            .or_else(|| cpuid.as_ref().and_then(|cpuid| kind_by_cpuid(root, cpuid))),
        features: found
            .as_ref()
            .and_then(|found| common(found, &["flags", "Features"])),
        bugs: found.as_ref().and_then(|found| bugs(&found[0])),
        physical_address_bits: bits(0),
        virtual_address_bits: bits(1),
    }
}

/// A fact out of CPUID, or the reason why there is none.
pub(super) fn leaf<T>(cpuid: &Known<Cpuid>, fact: impl Fn(&Cpuid) -> Option<T>) -> Known<T> {
    cpuid.as_ref().and_then(|cpuid| {
        fact(cpuid).map_or_else(|| Known::unknown("CPUID does not say"), Known::Is)
    })
}

/// CPUs of one identity together, in the order of the first of each.
fn kinds(root: &HostRoot, found: &[Processor<'_>]) -> Vec<CoreKind> {
    let mut kinds: Vec<(CoreKind, Vec<u32>)> = vec![];
    for processor in found {
        let kind = kind(root, processor);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, cpus)) => cpus.push(processor.cpu),
            None => kinds.push((kind, vec![processor.cpu])),
        }
    }
    kinds
        .into_iter()
        .map(|(kind, cpus)| CoreKind {
            cpus: cpus.into_iter().collect(),
            ..kind
        })
        .collect()
}

/// The identity of one CPU, without its number.
fn kind(root: &HostRoot, processor: &Processor<'_>) -> CoreKind {
    if let Known::Is(implementer) = processor.hex("CPU implementer") {
        return arm_kind(processor, implementer);
    }
    let path = format!(
        "/sys/devices/system/cpu/cpu{}/microcode/version",
        processor.cpu
    );
    CoreKind {
        cpus: CpuSet::default(),
        vendor: processor.text("vendor_id"),
        name: processor.text("model name"),
        family: processor.value("cpu family"),
        model: processor.value("model"),
        stepping: processor.value("stepping"),
        microcode: processor.text("microcode").or_else(|| root.line(&path)),
    }
}

fn arm_kind(processor: &Processor<'_>, implementer: u32) -> CoreKind {
    let maker = IMPLEMENTERS.iter().find(|(code, _)| *code == implementer);
    let vendor = maker.map_or_else(
        || format!("{implementer:#04x}"),
        |(code, name)| format!("{code:#04x} {name}"),
    );
    let name = |part: u32| {
        PARTS
            .iter()
            .find(|(maker, code, _)| (*maker, *code) == (implementer, part))
            .map_or_else(
                || Known::unknown(format!("part {part:#x} of {vendor} is not in our table")),
                |(_, _, name)| Known::Is((*name).to_owned()),
            )
    };
    let part = processor.hex("CPU part");
    let stepping = processor.hex("CPU variant").and_then(|variant| {
        processor
            .value::<u32>("CPU revision")
            .map(|revision| (variant & 0xf) << 4 | revision & 0xf)
    });
    CoreKind {
        cpus: CpuSet::default(),
        name: part.clone().and_then(name),
        vendor: Known::Is(vendor),
        family: processor.value("CPU architecture"),
        model: part,
        stepping,
        microcode: Known::unknown("Arm cores do not show one"),
    }
}

fn kind_by_cpuid(root: &HostRoot, cpuid: &Cpuid) -> Known<Vec<CoreKind>> {
    let said =
        |text: Option<String>| text.map_or_else(|| Known::unknown("CPUID does not say"), Known::Is);
    let Some([family, model, stepping]) = cpuid.signature() else {
        return Known::unknown("CPUID does not say");
    };
    Known::Is(vec![CoreKind {
        // CPUID speaks of the CPU that it ran on; that the others are alike
        // is all that can be said without `/proc`.
        cpus: root
            .calls()
            .affinity
            .clone()
            .into_value()
            .unwrap_or_default(),
        vendor: said(cpuid.vendor()),
        name: said(cpuid.brand()),
        family: Known::Is(family),
        model: Known::Is(model),
        stepping: Known::Is(stepping),
        microcode: Known::unknown("CPUID does not say; /proc/cpuinfo cannot be read"),
    }])
}

/// The words that every CPU has under the first of `keys` that is there.
fn common(found: &[Processor<'_>], keys: &[&str]) -> Known<Vec<String>> {
    let words = |processor: &Processor<'_>| {
        keys.iter()
            .map(|key| processor.get(key))
            .reduce(|found, next| found.or_else(|| next))
            .unwrap_or_else(|| Known::unknown("no key"))
            .map(|text| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<BTreeSet<_>>()
            })
    };
    found
        .iter()
        .map(words)
        .reduce(|all, next| all.and_then(|all| next.map(|next| &all & &next)))
        .unwrap_or_else(|| Known::unknown("no processor"))
        .map(|words| words.into_iter().collect())
}

/// An x86 kernel that knows of no bug prints the key with nothing behind it.
fn bugs(processor: &Processor<'_>) -> Known<Vec<String>> {
    if processor.get("vendor_id").is_known() && !processor.get("bugs").is_known() {
        return Known::unknown("no bugs named in /proc/cpuinfo");
    }
    processor
        .get("bugs")
        .map(|text| text.split_whitespace().map(str::to_owned).collect())
}

/// From `48 bits physical, 57 bits virtual`.
fn address_bits(processor: &Processor<'_>, which: usize) -> Known<u32> {
    processor.get("address sizes").and_then(|text| {
        text.split(',')
            .nth(which)
            .and_then(|part| part.split_whitespace().next()?.parse().ok())
            .map_or_else(
                || Known::unknown("not understood: address sizes in /proc/cpuinfo"),
                Known::Is,
            )
    })
}
