//! What a record says of the settings of its node, as lines that can be held against those of others.

use std::collections::BTreeMap;

use serde_json::Value;
use whyslow_model::fleet::HardwareFact;
use whyslow_model::record::{FailureKind, Outcome};
use whyslow_model::{Point, Record};

/// What is not there, such as a limit that no process has.
pub(crate) const ABSENT: &str = "absent";

/// Longest value that is kept, characters.
const LONGEST: usize = 400;

/// Facts that are of one node or one moment by their nature, by the beginnings of their paths: two nodes that are alike
/// have other ones. Limits of processes follow the memory in bytes.
const OWN: &[&str] = &[
    "now.",
    "rlimits",
    "cgroup.levels",
    "cpus.irq_affinity",
    "environment.count",
    "kernel.config.source",
    "libc.routines",
    "mounts.work.at",
    "mounts.work.source",
    "mounts.temporary.at",
    "mounts.temporary.source",
    "memory.swap",
];

/// A kernel's options are hundreds: their hash says whether one differs.
const HASHED: &str = "kernel.config.options";

/// Words of a command line of the kernel that name the node, its disks or its network.
const OF_NODE: [&str; 12] = [
    "root=",
    "resume=",
    "BOOTIF=",
    "BOOT_IMAGE=",
    "initrd=",
    "ip=",
    "nfsroot=",
    "hostname=",
    "systemd.hostname=",
    "systemd.machine_id=",
    "rd.",
    "uuid=",
];

/// The name of what could not be measured.
pub(crate) const NOT_MEASURED: &str = "not measured";

/// The settings that `record` began with, by their paths as `whyslow host` has them, and what it could not measure.
pub(crate) fn settings(record: &Record) -> Vec<HardwareFact> {
    let mut found = BTreeMap::new();
    if let Some(at) = record.states.first() {
        let state = serde_json::to_value(&at.state).unwrap_or(Value::Null);
        leaves("", &state, &mut found);
    }
    if let Some(host) = &record.host {
        let mut add = |name: &str, value: Option<String>| {
            found.insert(name.to_owned(), value.unwrap_or_else(|| ABSENT.to_owned()));
        };
        add("machine.firmware", host.machine.firmware.value().cloned());
        add(
            "machine.container",
            host.hypervisor.container.value().cloned(),
        );
        let kinds = host.cpu.kinds.value();
        let microcode = kinds.map(|kinds| {
            let known = kinds.iter().filter_map(|kind| kind.microcode.value());
            known.map(String::as_str).collect::<Vec<&str>>().join(", ")
        });
        add("cpu.microcode", microcode);
        let features = host.cpu.features.value();
        add("cpu.features", features.map(|all| all.join(" ")));
    }
    if let Some(reasons) = not_measured(record) {
        found.insert(NOT_MEASURED.to_owned(), reasons);
    }
    let lines = found.into_iter();
    lines
        .map(|(name, value)| HardwareFact {
            name: one_line(&name),
            value: one_line(&value),
        })
        .collect()
}

/// One line without tabs, as an index keeps facts by lines, and no character that a database may refuse.
fn one_line(text: &str) -> String {
    let line = text.replace(['\n', '\r', '\t', '\0'], " ");
    match line.char_indices().nth(LONGEST) {
        // What is cut must differ where the whole did.
        Some((end, _)) => {
            let hash = blake3::hash(line.as_bytes()).to_hex();
            format!("{} ({})", &line[..end], &hash[..8])
        }
        None => line,
    }
}

fn leaves(path: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    if OWN.iter().any(|own| path.starts_with(own)) {
        return;
    }
    if path == HASHED {
        let hash = blake3::hash(value.to_string().as_bytes()).to_hex();
        found.insert(path.to_owned(), hash[..16].to_owned());
        return;
    }
    let text = match value {
        // A reason why it is not known names files, and is none.
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("unknown") => return,
        Value::Object(fields) => {
            for (name, value) in fields {
                let below = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                leaves(&below, value, found);
            }
            return;
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    found.insert(path.to_owned(), alike(path, text, value));
}

/// The value without what differs between nodes that are alike.
fn alike(path: &str, text: String, value: &Value) -> String {
    match path {
        "kernel.command_line" => {
            let words = text.split_whitespace();
            let words = words.filter(|word| !OF_NODE.iter().any(|own| word.starts_with(own)));
            words.collect::<Vec<&str>>().join(" ")
        }
        // A name that is longer by some characters changes nothing; another power of two does.
        "environment.bytes" => match value.as_u64() {
            Some(bytes) => format!("up to {}", bytes.next_power_of_two()),
            None => text,
        },
        "security.tracer_pid" if text != "0" => "traced".to_owned(),
        "memory.hugetlb" => pools(value).unwrap_or(text),
        _ => text,
    }
}

/// Pools of huge pages without what of them is in use.
fn pools(value: &Value) -> Option<String> {
    let mut pools = value.as_array()?.clone();
    for pool in &mut pools {
        pool.as_object_mut()?.remove("free");
    }
    Some(Value::from(pools).to_string())
}

/// The points that no process of `record` could measure, with the first reason.
pub(crate) fn unavailable(record: &Record) -> BTreeMap<&Point, &str> {
    let mut failed: BTreeMap<&Point, Option<&str>> = BTreeMap::new();
    for process in record.processes.iter().filter(|p| p.round > 0) {
        let reason = match &process.outcome {
            Outcome::Failed(failure) if failure.how == FailureKind::Unavailable => {
                Some(failure.why.as_str())
            }
            _ => None,
        };
        let known = failed.entry(&process.point).or_insert(reason);
        if reason.is_none() {
            *known = None;
        }
    }
    let failed = failed.into_iter();
    failed
        .filter_map(|(point, reason)| Some((point, reason?)))
        .collect()
}

/// The points that the node could not measure, with the first reason; none if there are none. What was not planned is not
/// among them: it follows from settings and sizes.
fn not_measured(record: &Record) -> Option<String> {
    let failed = unavailable(record).into_iter();
    let failed: BTreeMap<String, &str> = failed.map(|(p, why)| (p.to_string(), why)).collect();
    let (first, why) = failed.first_key_value()?;
    Some(match failed.len() {
        1 => format!("{first}: {why}"),
        n => format!("{n} points, the first {first}: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_of_one_node_by_its_nature_is_left_out() {
        let state = json!({
            "now": {"uptime_s": 5.0},
            "kernel": {"release": "6.1", "command_line": "root=UUID=5 quiet BOOTIF=01 mitigations=off"},
            "memory": {"thp": {"enabled": "madvise"},
                       "hugetlb": [{"page_bytes": 2_097_152, "pages": 8, "free": 3}]},
            "cgroup": {"levels": [{"path": "/job_17"}], "cpu_quota": 0.5},
            "security": {"tracer_pid": 1234},
            "environment": {"count": 12, "bytes": 480},
            "frequency": {"boost": {"unknown": "no such file: /sys/x"}},
        });
        let mut found = BTreeMap::new();
        leaves("", &state, &mut found);
        let told: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(
            told,
            [
                "cgroup.cpu_quota=0.5",
                "environment.bytes=up to 512",
                "kernel.command_line=quiet mitigations=off",
                "kernel.release=6.1",
                r#"memory.hugetlb=[{"page_bytes":2097152,"pages":8}]"#,
                "memory.thp.enabled=madvise",
                "security.tracer_pid=traced",
            ]
        );
    }

    #[test]
    fn a_long_value_is_cut_and_still_differs() {
        let long = |end: &str| one_line(&("x".repeat(1000) + end));
        assert!(long("a").len() < 500);
        assert_ne!(long("a"), long("b"));
        assert_eq!(one_line("a\tb\nc"), "a b c");
    }
}
