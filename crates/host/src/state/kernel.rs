//! The kernel itself, its configuration and its mitigations.

use std::collections::BTreeMap;

use whyslow_model::host::Known;
use whyslow_model::state::{Kernel, KernelConfig};

use crate::live::Uname;
use crate::root::HostRoot;

/// Options that bear on speed, by their beginning. Chosen by what moves a system
/// call, a fault, a switch or a copy: tick, preemption, page handling,
/// mitigations, hardening and debugging.
const OPTIONS: [&str; 44] = [
    "ARM64_16K_PAGES",
    "ARM64_4K_PAGES",
    "ARM64_64K_PAGES",
    "AUDITSYSCALL",
    "CC_OPTIMIZE_FOR_",
    "CFI",
    "CFS_BANDWIDTH",
    "CONTEXT_TRACKING",
    "DEBUG_LOCK_ALLOC",
    "DEBUG_PAGEALLOC",
    "DEBUG_PREEMPT",
    "DEBUG_VM",
    "FORTIFY_SOURCE",
    "FUNCTION_TRACER",
    "HARDENED_USERCOPY",
    "HZ",
    "INIT_ON_ALLOC_DEFAULT_ON",
    "INIT_ON_FREE_DEFAULT_ON",
    "INIT_STACK_ALL_",
    "IRQ_TIME_ACCOUNTING",
    "KASAN",
    "KCSAN",
    "KFENCE",
    "KMSAN",
    "LRU_GEN",
    "LTO_",
    "MEMCG",
    "MITIGATION_",
    "NO_HZ",
    "NUMA_BALANCING",
    "PAGE_TABLE_CHECK",
    "PAGE_TABLE_ISOLATION",
    "PARAVIRT",
    "PREEMPT",
    "PROVE_LOCKING",
    "RANDOMIZE_KSTACK_OFFSET",
    "RCU_NOCB_CPU",
    "RETPOLINE",
    "SCHED_",
    "SHUFFLE_PAGE_ALLOCATOR",
    "SLAB_FREELIST_",
    "TICK_CPU_ACCOUNTING",
    "TRANSPARENT_HUGEPAGE",
    "VIRT_CPU_ACCOUNTING",
];

pub(super) fn kernel(root: &HostRoot) -> Kernel {
    let uname = |field: fn(&Uname) -> &String| {
        root.calls()
            .uname
            .as_ref()
            .map(|uname| field(uname).clone())
    };
    let release = root
        .line("/proc/sys/kernel/osrelease")
        .or_else(|| uname(|uname| &uname.release));
    Kernel {
        version: root
            .line("/proc/sys/kernel/version")
            .or_else(|| uname(|uname| &uname.version)),
        compiler: root.line("/proc/version").and_then(|text| {
            compiler(&text).map_or_else(
                || Known::unknown("not named in /proc/version"),
                |compiler| Known::Is(compiler.to_owned()),
            )
        }),
        command_line: root.line("/proc/cmdline"),
        config: config(root, &release),
        tainted: root.value("/proc/sys/kernel/tainted"),
        release,
    }
}

/// The second pair of parentheses of `Linux version R (who) (compiler) #1 ...`,
/// up to its partner, since a compiler's name has parentheses of its own.
fn compiler(version: &str) -> Option<&str> {
    let (_, rest) = version.split_once(") (")?;
    let mut depth = 1_i32;
    let end = rest.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    rest.get(..end)
}

/// From `/boot`, or where that has none for the running kernel, from the kernel
/// itself.
fn config(root: &HostRoot, release: &Known<String>) -> Known<KernelConfig> {
    let boot = release.as_ref().and_then(|release| {
        let places = [
            format!("/boot/config-{release}"),
            format!("/lib/modules/{release}/config"),
        ];
        let read = |place: String| root.text(&place).map(|text| known_options(place, &text));
        places
            .into_iter()
            .map(read)
            .reduce(|found, next| found.or_else(|| next))
            .unwrap_or_else(|| Known::unknown("no place to look at"))
    });
    let packed = &root.calls().tools.kernel_config;
    match (boot, packed) {
        (Known::Is(config), _) => Known::Is(config),
        (_, Known::Is(text)) => Known::Is(known_options("/proc/config.gz".into(), text)),
        (Known::Unknown(boot), Known::Unknown(packed)) => {
            Known::unknown(format!("{}; {}", boot.unknown, packed.unknown))
        }
    }
}

fn known_options(source: String, text: &str) -> KernelConfig {
    let hash = blake3::hash(text.trim().as_bytes()).to_hex();
    let options: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| {
            let (name, value) = line.strip_prefix("CONFIG_")?.split_once('=')?;
            let is_wanted = OPTIONS.iter().any(|start| name.starts_with(start));
            is_wanted.then(|| (name.to_owned(), value.trim_matches('"').to_owned()))
        })
        .collect();
    KernelConfig {
        source,
        hash: hash.chars().take(32).collect(),
        options,
    }
}

/// What the kernel says of each hardware bug.
pub(super) fn mitigations(root: &HostRoot) -> Known<BTreeMap<String, String>> {
    let folder = "/sys/devices/system/cpu/vulnerabilities";
    match root.names(folder) {
        Err(why) => Known::unknown(why),
        Ok(names) => Known::Is(
            names
                .into_iter()
                .filter_map(|name| {
                    let text = root.line(&format!("{folder}/{name}")).into_value()?;
                    Some((name, text))
                })
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn compiler_of_a_version() {
        for (text, want) in [
            (
                "Linux version 6.1.0-13-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP",
                Some("gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40"),
            ),
            ("Linux version 6.1", None),
            ("Linux version 6.1 (a) (b", None),
        ] {
            assert_eq!(compiler(text), want);
        }
    }

    #[test]
    fn options_that_bear_on_speed() {
        let config = known_options(
            "/x".into(),
            "CONFIG_HZ=250\n# CONFIG_PREEMPT is not set\nCONFIG_USB=y\nCONFIG_NO_HZ_IDLE=y\nCONFIG_HZ\n",
        );
        let names: Vec<&str> = config.options.keys().map(String::as_str).collect();
        assert_eq!(names, ["HZ", "NO_HZ_IDLE"]);
        assert_eq!(config.hash.len(), 32);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            compiler(&text);
            known_options(String::new(), &text);
        }
    }
}
