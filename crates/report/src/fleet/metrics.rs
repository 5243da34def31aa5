//! The report as OpenMetrics, for the textfile collector of a node exporter or for a file that is scraped.

use std::fmt::Write;

use whyslow_model::fleet::{FleetReport, NodeVerdict};

/// The text.
pub(crate) fn metrics(report: &FleetReport) -> String {
    let mut out = head(
        "whyslow_node_verdict",
        "1 for the verdict on a node: slow, same or not_known.",
    );
    for node in &report.nodes {
        let verdict = match node.verdict {
            NodeVerdict::Slow => "slow",
            NodeVerdict::Same => "same",
            NodeVerdict::NotKnown => "not_known",
        };
        let labels = labels(&[
            ("node", &node.node),
            ("group", &node.group),
            ("verdict", verdict),
        ]);
        // Writing to text does not fail.
        let _ = writeln!(out, "whyslow_node_verdict{{{labels}}} 1");
    }
    type Value = fn(&whyslow_model::fleet::NodeFamily) -> f64;
    let values: [(&str, &str, Value); 3] = [
        (
            "whyslow_node_times_longer",
            "How many times longer a node takes than its group, by family.",
            |f| f.times_longer,
        ),
        (
            "whyslow_node_times_longer_low",
            "Lower end of the interval of the same.",
            |f| f.range[0],
        ),
        (
            "whyslow_node_times_longer_high",
            "Upper end of the interval of the same.",
            |f| f.range[1],
        ),
    ];
    for (name, help, value) in values {
        out += &head(name, help);
        for node in &report.nodes {
            for of in &node.families {
                let labels = labels(&[
                    ("node", &node.node),
                    ("group", &node.group),
                    ("family", &of.family),
                ]);
                let _ = writeln!(out, "{name}{{{labels}}} {}", value(of));
            }
        }
    }
    out + "# EOF\n"
}

/// What stands before the values of a name.
fn head(name: &str, help: &str) -> String {
    format!("# TYPE {name} gauge\n# HELP {name} {help}\n")
}

fn labels(pairs: &[(&str, &str)]) -> String {
    let pair = |(name, value): &(&str, &str)| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        format!("{name}=\"{}\"", value.replace('\n', "\\n"))
    };
    pairs.iter().map(pair).collect::<Vec<String>>().join(",")
}
