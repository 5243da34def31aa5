//! The system's own ssh, with its own configuration, keys and agent.

use std::path::{Path, PathBuf};

use whyslow_model::shell::quote;

use super::{EngineError, Offered, Starts, Task};
use crate::launch::task::Setup;

/// Nothing is asked, and a node that does not answer is known within a minute or so, also while it measures.
const OPTIONS: [&str; 9] = [
    "-T",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=20",
    "-o",
    "ServerAliveInterval=15",
    "-o",
    "ServerAliveCountMax=4",
];

/// ssh, a process a node.
pub struct Ssh {
    /// What is the same for all nodes.
    pub setup: Setup,
    /// The nodes, as ssh knows them.
    pub nodes: Vec<String>,
    /// A program here that is copied to each node for the time of its job, with its size in bytes.
    pub copy: Option<(PathBuf, u64)>,
}

impl Ssh {
    /// What the shell of the node gets.
    fn line(&self, task: &Task) -> String {
        // What is measured ends with the connection: its other end holds the standard input open.
        let words = self.setup.sends(task, true);
        let quoted = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
            words.join(" ")
        };
        match (&self.copy, words.split_first()) {
            (Some((_, size)), Some((_, rest))) => format!(
                "d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && trap 'exit 129' HUP TERM && \
                 head -c {size} >\"$d/whyslow\" && chmod 700 \"$d/whyslow\" && \"$d/whyslow\" {}",
                quoted(rest)
            ),
            _ => quoted(&words),
        }
    }
}

impl Starts for Ssh {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        let nodes = self.nodes.iter();
        Ok(nodes.map(|node| (node.clone(), Offered::Idle)).collect())
    }

    fn words(&self, task: &Task) -> Vec<String> {
        let mut words = vec!["ssh".to_owned()];
        words.extend(OPTIONS.map(str::to_owned));
        words.push("--".to_owned());
        words.extend([task.node.clone(), self.line(task)]);
        words
    }

    fn input(&self) -> Option<&Path> {
        self.copy.as_ref().map(|(path, _)| path.as_path())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_node_gets_one_line() {
        let mut ssh = Ssh {
            setup: Setup {
                name: "whyslow-t".to_owned(),
                program: "/opt/whyslow".into(),
                run: vec!["--only".to_owned(), "os.*".to_owned()],
                limit: Duration::from_secs(60),
            },
            nodes: Vec::new(),
            copy: None,
        };
        let task = Task {
            node: "n1".to_owned(),
            records: vec!["/f/n1/t.whyslow".into(), "/f/n1/t-2.whyslow".into()],
        };
        insta::assert_snapshot!(ssh.shown(&task), @r#"ssh -T -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4 -- n1 '/opt/whyslow __node --limit 60 --send 2 --until-eof -- --only '\''os.*'\'''"#);
        ssh.copy = Some(("/usr/bin/whyslow".into(), 4711));
        insta::assert_snapshot!(ssh.line(&task), @r#"d=$(mktemp -d) && trap 'rm -rf "$d"' EXIT && trap 'exit 129' HUP TERM && head -c 4711 >"$d/whyslow" && chmod 700 "$d/whyslow" && "$d/whyslow" __node --limit 60 --send 2 --until-eof -- --only 'os.*'"#);
    }
}
