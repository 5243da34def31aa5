//! The manifest of the Job of a node.

use std::fmt::Write;

use serde_json::Value;

use crate::launch::task::{Setup, Task};

/// Longest part of a name of a Job that is the node's: names of pods, which are longer, have 63 characters.
const READABLE: usize = 15;

/// Label of all Jobs of a launch, and annotation of the node's name, which may be longer than a label.
pub(super) const PLAN: &str = "whyslow/plan";
pub(super) const NODE: &str = "whyslow/node";

/// The name of the Job of `node`, as DNS takes it.
pub(super) fn name(setup: &Setup, node: &str) -> String {
    let plain = node.to_ascii_lowercase();
    let plain = plain.chars().map(|c| match c.is_ascii_alphanumeric() {
        true => c,
        false => '-',
    });
    let plain: String = plain.take(READABLE).collect();
    let hash = blake3::hash(node.as_bytes()).to_hex();
    format!("{}-{}-{}", setup.name, plain.trim_matches('-'), &hash[..8])
}

/// The manifest of the Job of a node.
pub(super) fn manifest(setup: &Setup, image: &str, namespace: Option<&str>, task: &Task) -> String {
    // A string of JSON is one of YAML.
    let quoted = |text: &str| Value::from(text).to_string();
    let mut text = String::new();
    let mut line = |indent: usize, content: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:indent$}{content}", "");
    };
    line(0, "---");
    line(0, "apiVersion: batch/v1");
    line(0, "kind: Job");
    line(0, "metadata:");
    line(2, &format!("name: {}", name(setup, &task.node)));
    if let Some(namespace) = namespace {
        line(2, &format!("namespace: {}", quoted(namespace)));
    }
    line(2, "labels:");
    line(4, &format!("{PLAN}: {}", setup.name));
    line(2, "annotations:");
    line(4, &format!("{NODE}: {}", quoted(&task.node)));
    line(0, "spec:");
    // A node that fails is told; a second try would be of another time.
    line(2, "backoffLimit: 0");
    line(2, "template:");
    line(4, "metadata:");
    line(6, "labels:");
    line(8, &format!("{PLAN}: {}", setup.name));
    line(6, "annotations:");
    line(8, &format!("{NODE}: {}", quoted(&task.node)));
    line(4, "spec:");
    line(6, "restartPolicy: Never");
    // Of the pod, as that of a Job counts the time that it waits for its node.
    let longest = setup.longest(task).as_secs();
    line(6, &format!("activeDeadlineSeconds: {longest}"));
    line(6, "automountServiceAccountToken: false");
    // By the scheduler rather than by nodeName, which takes no account of what else is on the node.
    line(6, "affinity:");
    line(8, "nodeAffinity:");
    line(10, "requiredDuringSchedulingIgnoredDuringExecution:");
    line(12, "nodeSelectorTerms:");
    line(12, "- matchFields:");
    line(14, "- key: metadata.name");
    line(16, "operator: In");
    line(16, &format!("values: [{}]", quoted(&task.node)));
    line(6, "containers:");
    line(6, "- name: whyslow");
    line(8, &format!("image: {}", quoted(image)));
    line(8, "command:");
    for word in setup.sends(task, false) {
        line(8, &format!("- {}", quoted(&word)));
    }
    // The image has nothing but the program.
    line(8, "volumeMounts:");
    line(8, "- name: tmp");
    line(10, "mountPath: /tmp");
    line(6, "volumes:");
    line(6, "- name: tmp");
    line(8, "emptyDir: {}");
    text
}
