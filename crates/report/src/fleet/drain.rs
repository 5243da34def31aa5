//! Commands that take slow nodes out of service in Slurm.

use whyslow_model::fleet::FleetReport;
use whyslow_model::text::visible;

use super::words::{in_short, quoted, slow};

/// One command for each slow node, as the words that a shell makes of it.
pub(crate) fn drain(report: &FleetReport) -> Vec<Vec<String>> {
    slow(report)
        .map(|node| {
            // A reason is one line, and quotes in it would end it in Slurm's own output.
            let reason = visible(&in_short(node)).replace(['"', '\''], "");
            vec![
                "scontrol".to_owned(),
                "update".to_owned(),
                format!("nodename={}", node.node),
                "state=drain".to_owned(),
                format!("reason=whyslow: {reason}"),
            ]
        })
        .collect()
}

/// The same as lines for a shell.
pub(crate) fn lines(report: &FleetReport) -> String {
    let line = |words: &Vec<String>| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        words.join(" ") + "\n"
    };
    drain(report).iter().map(line).collect()
}
