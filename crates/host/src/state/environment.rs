//! Language settings and the size of the environment.

use std::collections::BTreeMap;

use whyslow_model::state::Environment;

use crate::root::HostRoot;

/// Variables that steer the loader or an allocator, by their beginning. Only these and the language
/// are kept: the rest is private.
const STEERING: [&str; 7] = [
    "GLIBC_TUNABLES",
    "LD_",
    "MALLOC_",
    "MIMALLOC_",
    "JE_MALLOC_CONF",
    "TCMALLOC_",
    "OMP_",
];

pub(super) fn environment(root: &HostRoot) -> Environment {
    let variables = &root.calls().environment;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let kept = |is_kept: fn(&str) -> bool| -> BTreeMap<String, String> {
        variables
            .iter()
            .map(|(name, value)| (text(name), text(value)))
            .filter(|(name, _)| is_kept(name))
            .collect()
    };
    Environment {
        locale: kept(|name| name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_")),
        steering: kept(|name| STEERING.iter().any(|start| name.starts_with(start))),
        preload_file: root.text("/etc/ld.so.preload").into_value(),
        count: variables.len() as u64,
        // Each is stored as "name=value" with a NUL behind it.
        bytes: variables
            .iter()
            .map(|(name, value)| (name.len() + value.len() + 2) as u64)
            .sum(),
    }
}
