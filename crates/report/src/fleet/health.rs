//! A health check for the nodes themselves: a script that needs nothing but a shell and its own host's name.

use std::fmt::Write;

use whyslow_model::fleet::{FleetNode, FleetReport, NodeVerdict};
use whyslow_model::text::visible;

use super::words::{in_short, quoted, slow};

/// Days after which the script says that it does not know.
const DAYS: u32 = 30;

/// The script: exit code 0 for a node that is the same, 1 for a slow one with the reason, 3 for all that is not known,
/// which a health checker should leave as it is.
pub(crate) fn health(report: &FleetReport) -> String {
    let date = report.newest.as_deref().unwrap_or_default();
    let date = date.get(..10).unwrap_or_default();
    let mut script = format!(
        "#!/bin/sh\n\
         # Made by whyslow fleet report, option --health; records up to {date}.\n\
         # Exit code 0: the same as its group; 1: slow; 3: not known, the state of the node is to be left as it is.\n\
         node=${{1:-$(hostname -s)}}\n\
         made={}\n\
         age=$(( ($(date +%s) - $(date -d \"$made\" +%s 2>/dev/null || echo 0)) / 86400 ))\n\
         if [ \"$age\" -gt {DAYS} ]; then\n    \
             echo \"whyslow: measured more than {DAYS} days ago: not known\"\n    exit 3\n\
         fi\n\
         case $node in\n",
        quoted(date)
    );
    for node in slow(report) {
        let reason = format!("whyslow: {}", in_short(node));
        let reason = quoted(&visible(&reason));
        arm(&mut script, node, &format!("echo {reason}; exit 1"));
    }
    for node in &report.nodes {
        if node.verdict == NodeVerdict::Same {
            arm(&mut script, node, "exit 0");
        }
    }
    script + "esac\necho \"whyslow: $node is not known to be slow or the same\"\nexit 3\n"
}

fn arm(script: &mut String, node: &FleetNode, what: &str) {
    // Writing to text does not fail.
    let _ = writeln!(script, "{}) {what} ;;", quoted(&node.node));
}
