//! Commands that stand above what they printed: what runs of one file differ in.

use crate::{Row, Text};

/// The command that a file's next rows are of, where it has several different ones.
pub(crate) struct Commands<'a> {
    several: bool,
    now: &'a str,
}

impl<'a> Commands<'a> {
    /// Of a file, before its first line.
    pub(crate) fn of(text: &'a Text) -> Self {
        let mut commands = text.lines().filter_map(|(_, line)| command(line));
        let first = commands.next();
        Commands {
            several: first.is_some_and(|first| commands.any(|other| other != first)),
            now: "",
        }
    }

    /// Behind `line`; says whether that was a command.
    pub(crate) fn at(&mut self, line: &'a str) -> bool {
        let found = command(line);
        if let Some(command) = found.filter(|_| self.several) {
            self.now = command;
        }
        found.is_some()
    }

    /// `row`, kept apart from that of another command.
    pub(crate) fn on(&self, row: Row) -> Row {
        match self.now {
            "" => row,
            command => row.with("command", command),
        }
    }
}

/// What was typed in `$ numactl -m 0 ./stream` or `# taskset -c 4 tinymembench`.
fn command(line: &str) -> Option<&str> {
    let line = line.trim();
    let typed = line.strip_prefix(['$', '#'])?.trim();
    let program = typed.split_whitespace().next()?;
    let plain = |c: char| c.is_alphanumeric() || "._-+/=".contains(c);
    // A comment is words, a command has a path, an option or a setting.
    let told = typed
        .split_whitespace()
        .any(|word| word.starts_with(['-', '/', '.']) || word.contains('='));
    (program.chars().all(plain) && told).then_some(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_comments() {
        for (line, typed) in [
            ("$ numactl -m 0 ./stream", Some("numactl -m 0 ./stream")),
            (
                "#OMP_NUM_THREADS=4 ./stream",
                Some("OMP_NUM_THREADS=4 ./stream"),
            ),
            ("# measured again, see above", None),
            ("## New system", None),
            ("$", None),
            ("numactl -m 0", None),
        ] {
            assert_eq!(command(line), typed, "{line}");
        }
    }
}
