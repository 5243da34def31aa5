//! The C library's memory routines: thresholds that do not fit the CPU.
//!
//! Only what the loader, the kernel and the library's version say: how fast copies are, a run measures.

use std::collections::BTreeMap;

use whyslow_model::doctor::Finding;
use whyslow_model::host::{Host, Known};
use whyslow_model::tunables::{NO_REP_MOVSB, NON_TEMPORAL, PLACES, line};

use super::{Checker, Seen, advise, bytes, good, unknown};

pub(super) const CHECKS: &[Checker] = &[("memory routines of the C library", routines)];

/// What the rules go by.
struct Library<'a> {
    /// Of glibc, major and minor.
    version: Option<(u32, u32)>,
    /// AMD's family.
    amd: Option<u32>,
    /// The L3 that the kernel claims, bytes.
    l3: Option<u64>,
    says: &'a BTreeMap<String, u64>,
}

/// A way in which the thresholds do not fit.
struct Rule {
    /// What is so, if it is.
    what: fn(&Library<'_>) -> Option<String>,
    /// What that does.
    harm: &'static str,
    /// The tunable that mends it.
    mend: fn(&Library<'_>) -> String,
}

/// Above it, no library takes REP MOVSB for small copies; as fixed, it begins at the size of the L3.
const LARGE: u64 = 64 << 10;

/// No cache is as large; 2.33 to 2.40 cut such sizes to 32 bits.
const NO_CACHE: u64 = 4 << 30;
/// What the loader prints for a size that is not known begins here.
const NO_SIZE: u64 = 1 << 56;

/// The most harmful first.
const RULES: [Rule; 5] = [
    Rule {
        what: slow_strings,
        harm: "such copies take up to 30 times as long where the destination begins 1 to 15 bytes after the source within pages (on some CPUs up to 31): what is measured of copies is the library's choice",
        mend: |_| NO_REP_MOVSB.to_owned(),
    },
    Rule {
        what: |lib| {
            let from = lib
                .of("non_temporal_threshold")
                .filter(|&from| from < LARGE)?;
            Some(format!("copies go past the caches from {from} bytes on"))
        },
        harm: "what was copied comes from memory when it is used; a threshold of 0 has crashed programs (glibc 2.34 to 2.36)",
        mend: non_temporal,
    },
    Rule {
        what: |lib| {
            let l3 = lib.of("level3_cache_size")?;
            let claimed = (NO_CACHE..NO_SIZE).contains(&l3);
            claimed.then(|| format!("an L3 of {} is assumed", bytes(l3)))
        },
        harm: "sizes of 4 GiB and more were cut to 32 bits, and copies have crashed",
        mend: non_temporal,
    },
    Rule {
        what: |lib| {
            let l3 = lib.l3.filter(|_| lib.of("level3_cache_size") == Some(0))?;
            Some(format!(
                "no L3 is assumed, and the kernel claims {}",
                bytes(l3)
            ))
        },
        harm: "thresholds are guessed, and not taken from a size",
        mend: non_temporal,
    },
    Rule {
        what: |lib| {
            let (from, l3) = (lib.of("non_temporal_threshold")?, lib.l3?);
            (from > 2 * l3).then(|| {
                let [from, l3] = [from, l3].map(bytes);
                format!(
                    "copies go past the caches from {from} on, and the kernel claims an L3 of {l3}"
                )
            })
        },
        harm: "copies larger than the L3 put out of it what others use; whether they are slower, the program itself tells, with the tunable and without",
        mend: non_temporal,
    },
];

/// Zen 3 and Zen 4. What later families do is not known, and earlier ones do not have fast short strings.
const ZEN_3_AND_4: u32 = 0x19;

/// From the version that copies by REP MOVSB on AMD up to the last one that was never mended; 2.39 may be.
const UNMENDED: std::ops::RangeInclusive<(u32, u32)> = (2, 33)..=(2, 38);

impl Library<'_> {
    fn of(&self, name: &str) -> Option<u64> {
        self.says.get(name).copied()
    }

    /// From where on copies use REP MOVSB, and up to where, on a CPU of AMD for which the library takes it for fast.
    fn strings(&self) -> Option<[u64; 2]> {
        let from = self.of("rep_movsb_threshold")?;
        let to = self.of("rep_movsb_stop_threshold").unwrap_or(u64::MAX);
        let used = from < to.min(LARGE);
        let fast = ["usable.ERMS", "usable.FSRM"].map(|bit| self.of(bit) == Some(1));
        let unmended = self.version.is_some_and(|v| UNMENDED.contains(&v));
        (used && fast == [true, true] && unmended && self.amd.is_some()).then_some([from, to])
    }
}

fn slow_strings(lib: &Library<'_>) -> Option<String> {
    let [from, to] = lib.strings().filter(|_| lib.amd == Some(ZEN_3_AND_4))?;
    Some(format!(
        "copies of {from} bytes to {} use REP MOVSB at any distance between the blocks (glibc 2.33 to 2.38, Zen 3 and Zen 4)",
        bytes(to)
    ))
}

/// Three quarters of the cache, as the library has it by itself.
fn non_temporal(lib: &Library<'_>) -> String {
    match lib.l3 {
        Some(l3) => format!("{NON_TEMPORAL}={}", l3 / 4 * 3),
        None => format!("{NON_TEMPORAL}=<three quarters of the L3, bytes>"),
    }
}

fn routines(seen: &Seen) -> Finding {
    let libc = &seen.state.libc;
    let says = match &libc.routines {
        Some(Known::Is(says)) => says,
        Some(other) => return unknown(other),
        None => return unknown::<u64>(&Known::unknown("not recorded")),
    };
    let lib = Library {
        version: libc.version.value().and_then(|text| version(text)),
        amd: amd(&seen.host),
        l3: l3(&seen.host),
        says,
    };
    let found: Vec<(String, &Rule)> = RULES
        .iter()
        .filter_map(|rule| Some(((rule.what)(&lib)?, rule)))
        .collect();
    match found.first() {
        Some((_, worst)) => trouble(&lib, &found, worst),
        None if lib.strings().is_some() => Finding::Unknown {
            why: "whether REP MOVSB is slow at some distances on this CPU is not known here: `whyslow run --only 'mem.libc{op=memcpy,*distance=*}'` measures it".to_owned(),
        },
        None => good(fitting(&lib)),
    }
}

/// The worst is mended first: each further tunable is one more that nothing has shown to help.
fn trouble(lib: &Library<'_>, found: &[(String, &Rule)], worst: &Rule) -> Finding {
    let whats: Vec<&str> = found.iter().map(|(what, _)| what.as_str()).collect();
    let advice = format!(
        "start programs with {} (joined by `:` to what the variable has already): put it {PLACES}",
        line(&[(worst.mend)(lib)])
    );
    Finding::Limits(advise(whats.join("; also, "), worst.harm, advice))
}

/// What the thresholds are, where none of the rules holds.
fn fitting(lib: &Library<'_>) -> String {
    let of = |name: &str, what: &str| {
        lib.of(name)
            .map(|from| format!("{what} from {}", bytes(from)))
    };
    let parts = [
        of("rep_movsb_threshold", "REP MOVSB"),
        of("non_temporal_threshold", "past the caches"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => "no threshold is printed".to_owned(),
        false => format!("copies: {}", parts.join(", ")),
    }
}

/// `2.36` of `ld.so (Debian GLIBC 2.36-9) stable release version 2.36.`
fn version(text: &str) -> Option<(u32, u32)> {
    let (_, number) = text.rsplit_once("release version ")?;
    let (major, minor) = number.trim_end_matches('.').split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The family, where all cores are AMD's and of one.
fn amd(host: &Host) -> Option<u32> {
    let kinds = host.cpu.kinds.value()?;
    let mut families = kinds.iter().map(|kind| {
        let is_amd = kind.vendor.value().is_some_and(|v| v == "AuthenticAMD");
        kind.family.value().filter(|_| is_amd).copied()
    });
    let first = families.next().flatten()?;
    families
        .all(|family| family == Some(first))
        .then_some(first)
}

fn l3(host: &Host) -> Option<u64> {
    let caches = host.caches.value()?.iter().filter(|cache| cache.level == 3);
    caches.filter_map(|c| c.size_bytes.value().copied()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let text = "ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36";
        assert_eq!(version(text), Some((2, 36)));
        assert_eq!(
            version("ld.so (GNU libc) stable release version 2.40."),
            Some((2, 40))
        );
        assert_eq!(version("musl libc (x86_64) Version 1.2.4"), None);
    }

    fn holds(version: (u32, u32), amd: Option<u32>, l3: u64, says: &[(&str, u64)]) -> Vec<usize> {
        let says = says
            .iter()
            .map(|(name, v)| ((*name).to_owned(), *v))
            .collect();
        let lib = Library {
            version: Some(version),
            amd,
            l3: Some(l3),
            says: &says,
        };
        let all = RULES.iter().enumerate();
        all.filter(|(_, rule)| (rule.what)(&lib).is_some())
            .map(|(i, _)| i)
            .collect()
    }

    const L3: u64 = 32 << 20;
    const ZEN: [(&str, u64); 6] = [
        ("usable.ERMS", 1),
        ("usable.FSRM", 1),
        ("rep_movsb_threshold", 2112),
        ("rep_movsb_stop_threshold", 1 << 20),
        ("level3_cache_size", L3),
        ("non_temporal_threshold", 24 << 20),
    ];

    fn with(name: &str, value: u64) -> Vec<(&'static str, u64)> {
        let of = |(known, had)| (known, if known == name { value } else { had });
        ZEN.into_iter().map(of).collect()
    }

    #[test]
    fn each_rule_holds_alone() {
        let zen = |says: &[_]| holds((2, 36), Some(0x19), L3, says);
        assert_eq!(zen(&ZEN), [0]);
        let off = |name: &str, value| zen(&with(name, value));
        assert!(off("rep_movsb_threshold", 1 << 30).is_empty());
        assert!(off("usable.ERMS", 0).is_empty());
        let intel = |name: &str, value| holds((2, 36), None, L3, &with(name, value));
        assert_eq!(intel("non_temporal_threshold", 0x4040), [1]);
        assert_eq!(intel("level3_cache_size", 1 << 40), [2]);
        assert_eq!(intel("level3_cache_size", 0), [3]);
        assert_eq!(intel("non_temporal_threshold", 240 << 20), [4]);
    }

    #[test]
    fn what_cannot_be_known_is_no_trouble() {
        assert!(holds((2, 36), None, L3, &ZEN).is_empty(), "Intel");
        assert!(
            holds((2, 39), Some(0x19), L3, &ZEN).is_empty(),
            "may be mended"
        );
        assert!(holds((2, 36), Some(0x1a), L3, &ZEN).is_empty(), "Zen 5");
        assert!(
            holds((2, 36), Some(0x19), L3, &[]).is_empty(),
            "nothing printed"
        );
        let unknown = with("level3_cache_size", u64::MAX);
        assert!(holds((2, 36), None, L3, &unknown).is_empty());
    }
}
