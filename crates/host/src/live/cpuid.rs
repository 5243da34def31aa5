//! The CPUID leaves that this crate decodes, as registers.

use std::collections::BTreeMap;

use whyslow_model::host::Known;

/// CPUID leaves as read on one CPU: registers `[eax, ebx, ecx, edx]` by leaf
/// and subleaf. A leaf that the CPU does not have is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpuid(BTreeMap<(u32, u32), [u32; 4]>);

/// Leaves without subleaves that are decoded here.
const PLAIN: [u32; 15] = [
    0x0,
    0x1,
    0x2,
    0x7,
    0x4000_0000,
    0x8000_0000,
    0x8000_0001,
    0x8000_0002,
    0x8000_0003,
    0x8000_0004,
    0x8000_0005,
    0x8000_0006,
    0x8000_0008,
    0x8000_0019,
    0x8000_0021,
];

/// Leaves with subleaves, and how many are kept: caches have at most five
/// (16 leaves room), translation buffers about as many kinds again.
const LISTS: [(u32, u32); 3] = [(0x4, 16), (0x18, 32), (0x8000_001d, 16)];

impl Cpuid {
    /// From recorded leaves.
    pub fn new(leaves: impl IntoIterator<Item = ((u32, u32), [u32; 4])>) -> Self {
        Self(leaves.into_iter().collect())
    }

    /// The registers of a leaf, if the CPU has it.
    pub fn leaf(&self, leaf: u32, subleaf: u32) -> Option<[u32; 4]> {
        self.0.get(&(leaf, subleaf)).copied()
    }

    /// Reads the leaves through `ask(leaf, subleaf)`, never beyond the maximum
    /// that the CPU gives for each range: past it, old CPUs answer with the
    /// content of another leaf.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    fn read(ask: impl Fn(u32, u32) -> [u32; 4]) -> Self {
        let is_guest = ask(1, 0)[2] >> 31 == 1;
        let (basic, extended) = (ask(0, 0)[0], ask(0x8000_0000, 0)[0]);
        let has = |leaf: u32| match leaf >> 28 {
            0 => leaf <= basic,
            4 => is_guest,
            _ => leaf <= extended,
        };
        let plain = PLAIN.into_iter().map(|leaf| (leaf, 1));
        let leaves = plain
            .chain(LISTS)
            .filter(|&(leaf, _)| has(leaf))
            .flat_map(|(leaf, count)| (0..count).map(move |subleaf| (leaf, subleaf)))
            .map(|(leaf, subleaf)| ((leaf, subleaf), ask(leaf, subleaf)));
        Self::new(leaves)
    }

    /// `GenuineIntel`, `AuthenticAMD`, ...
    pub(crate) fn vendor(&self) -> Option<String> {
        let [_, b, c, d] = self.leaf(0, 0)?;
        printable(&[b, d, c])
    }

    /// Family, model and stepping, by the vendors' common rule.
    pub(crate) fn signature(&self) -> Option<[u32; 3]> {
        let [a, ..] = self.leaf(1, 0)?;
        let (family, model) = (a >> 8 & 0xf, a >> 4 & 0xf);
        let extended_model = (a >> 16 & 0xf) << 4;
        let full_family = if family == 0xf {
            family + (a >> 20 & 0xff)
        } else {
            family
        };
        let full_model = if family == 0xf || family == 0x6 {
            model + extended_model
        } else {
            model
        };
        Some([full_family, full_model, a & 0xf])
    }

    /// The name for sale.
    pub(crate) fn brand(&self) -> Option<String> {
        let mut words = vec![];
        for leaf in 0x8000_0002..=0x8000_0004 {
            words.extend(self.leaf(leaf, 0)?);
        }
        printable(&words)
    }

    /// Whether the CPU says that it runs a guest.
    pub(crate) fn is_guest(&self) -> Option<bool> {
        Some(self.leaf(1, 0)?[2] >> 31 == 1)
    }

    /// The hypervisor's signature.
    pub(crate) fn hypervisor(&self) -> Option<String> {
        let [_, b, c, d] = self.leaf(0x4000_0000, 0)?;
        printable(&[b, c, d])
    }

    /// Bits of a physical and of a virtual address.
    pub(crate) fn address_bits(&self) -> Option<[u32; 2]> {
        let [a, ..] = self.leaf(0x8000_0008, 0)?;
        (a & 0xff != 0).then_some([a & 0xff, a >> 8 & 0xff])
    }
}

/// Registers as text, least byte first, up to the first NUL.
fn printable(words: &[u32]) -> Option<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = bytes.split(|&byte| byte == 0).next()?;
    let text = std::str::from_utf8(text).ok()?.trim();
    let is_text = !text.is_empty() && text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    is_text.then(|| text.to_owned())
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn native() -> Known<Cpuid> {
    Known::Is(Cpuid::read(|leaf, subleaf| {
        let result = raw_cpuid::native_cpuid::cpuid_count(leaf, subleaf);
        [result.eax, result.ebx, result.ecx, result.edx]
    }))
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn native() -> Known<Cpuid> {
    Known::unknown("this architecture has no CPUID")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        // Cascade Lake, family 6 model 85 stepping 7.
        let cpuid = Cpuid::new([
            ((0, 0), [0x16, 0x756e_6547, 0x6c65_746e, 0x4965_6e69]),
            ((1, 0), [0x0005_0657, 0, 1 << 31, 0]),
            (
                (0x4000_0000, 0),
                [0x4000_0001, 0x4b4d_564b, 0x564b_4d56, 0x4d],
            ),
        ]);
        assert_eq!(cpuid.vendor().as_deref(), Some("GenuineIntel"));
        assert_eq!(cpuid.signature(), Some([6, 85, 7]));
        assert_eq!(cpuid.hypervisor().as_deref(), Some("KVMKVMKVM"));
        assert_eq!(cpuid.is_guest(), Some(true));
        assert_eq!(cpuid.brand(), None);
    }

    #[test]
    fn leaves_past_the_maximum_are_not_asked() {
        let cpuid = Cpuid::read(|leaf, _| {
            assert!(leaf <= 2 || leaf == 0x8000_0000, "{leaf:x}");
            if leaf == 0 { [2, 1, 1, 1] } else { [0; 4] }
        });
        assert!(cpuid.leaf(2, 0).is_some() && cpuid.leaf(4, 0).is_none());
    }
}
