//! Commands that stand above what they printed: what runs of one file differ in.

use crate::{Row, Text};

/// The command that a file's next rows are of, where it has several different ones.
pub(crate) struct Commands<'a> {
    several: bool,
    /// Commands differ in more than in what they are done to.
    by_what: bool,
    now: &'a str,
}

impl<'a> Commands<'a> {
    /// Of a file, before its first line.
    pub(crate) fn of(text: &'a Text) -> Self {
        let mut all: Vec<&str> = text.lines().filter_map(|(_, line)| typed(line)).collect();
        all.sort_unstable();
        all.dedup();
        let mut without: Vec<String> = all.iter().map(|c| without_target(c)).collect();
        without.sort_unstable();
        without.dedup();
        Commands {
            several: all.len() > 1,
            by_what: without.len() == all.len(),
            now: "",
        }
    }

    /// Behind `line`; says whether that was a command.
    pub(crate) fn at(&mut self, line: &'a str) -> bool {
        let found = typed(line);
        if let Some(command) = found.filter(|_| self.several) {
            self.now = command;
        }
        found.is_some()
    }

    /// `row`, kept apart from that of another command.
    pub(crate) fn on(&self, row: Row) -> Row {
        match self.now {
            "" => row,
            command if self.by_what => row.with("command", &without_target(command)),
            command => row.with("command", command),
        }
    }
}

/// What was typed in `$ numactl -m 0 ./stream`, `# taskset -c 4 tinymembench` or `root@hp01:~# ioping -R /dev/sda`.
pub(crate) fn typed(line: &str) -> Option<&str> {
    let line = line.trim();
    let typed = match line.strip_prefix(['$', '#']) {
        Some(typed) => typed.trim(),
        None => behind_prompt(line)?,
    };
    let program = typed.split_whitespace().next()?;
    let plain = |c: char| c.is_alphanumeric() || "._-+/=".contains(c);
    // A comment is words, a command has a path, an option or a setting.
    let told = typed
        .split_whitespace()
        .any(|word| word.starts_with(['-', '/', '.']) || word.contains('='));
    (program.chars().all(plain) && told).then_some(typed)
}

/// What stands behind the prompt of a shell, `user@host:~/bench$ `, `[root@host ~]# `.
fn behind_prompt(line: &str) -> Option<&str> {
    let (prompt, typed) = line.split_once("# ").or_else(|| line.split_once("$ "))?;
    let inner = prompt.strip_prefix('[').unwrap_or(prompt);
    let (user, host) = inner.split_once('@')?;
    let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let named = !user.is_empty() && user.chars().all(plain) && host.starts_with(plain);
    (named && host.split_whitespace().count() <= 2).then_some(typed.trim())
}

/// `command` without what it is done to, which is another on the other side: devices, addresses.
fn without_target(command: &str) -> String {
    let is_target = |word: &&str| {
        let address = word
            .split('.')
            .filter(|part| part.parse::<u8>().is_ok())
            .count()
            == 4;
        word.starts_with("/dev/") || address || *word == "localhost"
    };
    let kept: Vec<&str> = command
        .split_whitespace()
        .filter(|w| !is_target(w))
        .collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_and_comments() {
        for (line, typed) in [
            ("$ numactl -m 0 ./stream", Some("numactl -m 0 ./stream")),
            (
                "#OMP_NUM_THREADS=4 ./stream",
                Some("OMP_NUM_THREADS=4 ./stream"),
            ),
            ("[me@box ~]$ ./stream 4", Some("./stream 4")),
            (
                "root@hp01:~/b# ioping -R /dev/sda",
                Some("ioping -R /dev/sda"),
            ),
            ("who@cares.org wrote in # 12 of -x", None),
            ("# measured again, see above", None),
            ("## New system", None),
            ("$", None),
            ("numactl -m 0", None),
        ] {
            assert_eq!(super::typed(line), typed, "{line}");
        }
    }
}
