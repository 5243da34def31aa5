//! Any launcher, by a template of its command line.

use whyslow_model::shell::quote;

use super::{EngineError, Offered, Starts, Task};
use crate::launch::task::Setup;

/// Stands for the node.
const NODE: &str = "{node}";

/// Stands for the words of the command.
const COMMAND: &str = "{command}";

/// Stands for the command as one word, for what gives it to a shell on the node.
const LINE: &str = "{line}";

/// A launcher whose output is that of the command.
pub struct Template {
    /// What is the same for all nodes.
    pub setup: Setup,
    /// Its command line for a shell here.
    pub template: String,
    /// The nodes.
    pub nodes: Vec<String>,
}

impl Template {
    /// Does the template say what is to be run, and where?
    pub fn is_complete(template: &str) -> bool {
        template.contains(NODE) && (template.contains(COMMAND) || template.contains(LINE))
    }

    fn line(&self, task: &Task) -> String {
        let words = self.setup.sends(task, false);
        let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
        let command = words.join(" ");
        // One after the other in one pass, so that a name of a node stands for nothing else.
        let (mut line, mut rest) = (String::new(), self.template.as_str());
        while let Some(at) = rest.find('{') {
            line += &rest[..at];
            rest = &rest[at..];
            let of = |text: &'static str, value: String| {
                rest.strip_prefix(text).map(|after| (value, after))
            };
            let (value, after) = of(NODE, quote(&task.node))
                .or_else(|| of(COMMAND, command.clone()))
                .or_else(|| of(LINE, quote(&command)))
                .unwrap_or_else(|| ("{".to_owned(), &rest[1..]));
            line += &value;
            rest = after;
        }
        line + rest
    }
}

impl Starts for Template {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        let nodes = self.nodes.iter();
        Ok(nodes.map(|node| (node.clone(), Offered::Idle)).collect())
    }

    fn words(&self, task: &Task) -> Vec<String> {
        vec!["sh".to_owned(), "-c".to_owned(), self.line(task)]
    }

    fn shown(&self, task: &Task) -> String {
        self.line(task)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn words_and_lines_arrive_as_they_were() {
        let mut template = Template {
            setup: Setup {
                name: "whyslow-t".to_owned(),
                program: "/opt/my tools/whyslow".into(),
                run: vec!["--only".to_owned(), "os.*".to_owned()],
                limit: Duration::from_secs(60),
            },
            template: "launch -w {node} ${HOME} -- {command}".to_owned(),
            nodes: vec!["n1".to_owned()],
        };
        let task = Task {
            node: "{line}".to_owned(),
            records: vec!["/f/n1/t.whyslow".into()],
        };
        insta::assert_snapshot!(template.shown(&task), @"launch -w '{line}' ${HOME} -- '/opt/my tools/whyslow' __node --limit 60 --send 1 -- --only 'os.*'");
        template.template = "rsh {node} {line}".to_owned();
        insta::assert_snapshot!(template.shown(&task), @r#"rsh '{line}' ''\''/opt/my tools/whyslow'\'' __node --limit 60 --send 1 -- --only '\''os.*'\'''"#);
        assert!(Template::is_complete(&template.template));
        assert!(!Template::is_complete("rsh n1 {line}"));
        assert!(!Template::is_complete("rsh {node} uptime"));
    }
}
