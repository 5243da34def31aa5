//! Commands that stand above what they printed: what runs of one file differ in.

use crate::{Row, Text};

/// The command that a file's next rows are of, where it has several different ones.
pub(crate) struct Commands {
    typed: fn(&str) -> Option<&str>,
    several: bool,
    /// Commands differ in more than in what they are done to.
    by_what: bool,
    now: String,
}

impl Commands {
    /// Of a file, before its first line.
    pub(crate) fn of(text: &Text) -> Self {
        Self::typed_as(text, typed)
    }

    /// The same where the format knows its commands also without a prompt.
    pub(crate) fn typed_as(text: &Text, typed: fn(&str) -> Option<&str>) -> Self {
        let found = text.lines().filter_map(|(_, line)| typed(line));
        let mut all: Vec<String> = found.map(in_order).collect();
        all.sort_unstable();
        all.dedup();
        let mut without: Vec<String> = all.iter().map(|c| without_target(c)).collect();
        without.sort_unstable();
        without.dedup();
        Commands {
            typed,
            several: all.len() > 1,
            by_what: without.len() == all.len(),
            now: String::new(),
        }
    }

    /// Behind `line`; says whether that was a command.
    pub(crate) fn at(&mut self, line: &str) -> bool {
        let found = (self.typed)(line);
        if let Some(command) = found.filter(|_| self.several) {
            self.now = in_order(command);
        }
        found.is_some()
    }

    /// `row`, kept apart from that of another command.
    pub(crate) fn on(&self, row: Row) -> Row {
        match self.now.as_str() {
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

/// Does a line begin with the prompt of a shell, also with nothing typed behind it?
pub(crate) fn is_prompt(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("$ ") || is_bare_prompt(line) || behind_prompt(line).is_some()
}

/// Is a line a prompt of a shell that nothing was typed behind?
pub(crate) fn is_bare_prompt(line: &str) -> bool {
    let prompt = line.trim().strip_suffix(['$', '#']);
    prompt.and_then(host_of).is_some()
}

/// What stands behind the prompt of a shell, `user@host:~/bench$ `, `[root@host ~]# `.
pub(crate) fn behind_prompt(line: &str) -> Option<&str> {
    let (prompt, typed) = line.split_once("# ").or_else(|| line.split_once("$ "))?;
    host_of(prompt).map(|_| typed.trim())
}

/// The host and the folder of `user@host:~/bench`, `[root@host ~]`.
fn host_of(prompt: &str) -> Option<&str> {
    let inner = prompt.strip_prefix('[').unwrap_or(prompt);
    let (user, host) = inner.split_once('@')?;
    let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let named = !user.is_empty() && user.chars().all(plain) && host.starts_with(plain);
    (named && host.split_whitespace().count() <= 2).then_some(host)
}

/// `command` without what it is done to, which is another on the other side: devices, addresses, the other end of a
/// measured path; and without who may do it.
fn without_target(command: &str) -> String {
    let is_target = |word: &&str| {
        let address = word
            .split('.')
            .filter(|part| part.parse::<u8>().is_ok())
            .count()
            == 4;
        word.starts_with("/dev/") || address || *word == "localhost"
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    let words = match words.split_first() {
        Some((&"sudo", rest)) if !rest.is_empty() => rest,
        _ => &words[..],
    };
    let to_other = words.first().is_some_and(|program| {
        let name = program.rsplit('/').next().unwrap_or(program);
        ["iperf", "iperf3", "netperf"].contains(&name)
    });
    let is_end = |at: usize| to_other && at > 0 && ["-c", "-H"].contains(&words[at - 1]);
    let kept = words.iter().enumerate();
    let kept = kept.filter(|(at, word)| !is_target(word) && !is_end(*at));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

/// `command` with its options in one order, as the other side may have them in another: `-q -P 16`, `-P 16 -q`. What is
/// not surely options with a value each stays as it was typed.
fn in_order(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_option = |word: &&str| {
        let name = word.strip_prefix('-').map(|w| w.trim_start_matches('-'));
        name.is_some_and(|name| name.starts_with(char::is_alphabetic))
    };
    let first = words.iter().position(is_option);
    let (program, rest) = words.split_at(first.unwrap_or(words.len()));
    let mut options: Vec<Vec<&str>> = Vec::new();
    for word in rest {
        match options.last_mut() {
            Some(option) if !is_option(word) => option.push(word),
            _ => options.push(vec![word]),
        }
    }
    // Behind the value of the last one stands what all of it is done to.
    let last = options.last_mut();
    let target = last.map_or(Vec::new(), |last| last.split_off(last.len().min(2)));
    let name = |option: &Vec<&str>| option[0].split('=').next().map(str::to_owned);
    let mut names: Vec<Option<String>> = options.iter().map(name).collect();
    names.sort_unstable();
    names.dedup();
    // Repeated options may begin another job, and other programs have options of their own.
    if names.len() == options.len() && options.iter().all(|option| option.len() <= 2) {
        options.sort_unstable();
    }
    let all = program
        .iter()
        .chain(options.iter().flatten())
        .chain(&target);
    all.copied().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn options_in_another_order() {
        for (one, other, same) in [
            ("./x -t get,set -q -P 16", "./x -P 16 -t get,set  -q", true),
            (
                "ab -k -n 9 -c 4 http://a/",
                "ab -n 9 -k -c 4 http://a/",
                true,
            ),
            ("ab -k -n 9 http://a/", "ab -n 9 -k http://b/", false),
            ("./x -q", "./x -q -P 16", false),
            (
                "fio --name=a --rw=read --name=b --rw=write",
                "fio --name=a --rw=write --name=b --rw=read",
                false,
            ),
            ("nice -n 5 ./x -c 4", "nice -c 4 ./x -n 5", false),
            ("./x 4 -q", "./x 8 -q", false),
        ] {
            assert_eq!(
                super::in_order(one) == super::in_order(other),
                same,
                "{one}"
            );
        }
    }

    #[test]
    fn what_is_done_to_the_other_end_is_one_command() {
        for (command, what) in [
            ("sudo iperf -c engine2 -P 4", "iperf -c -P 4"),
            ("iperf -c 192.168.1.9 -P 4", "iperf -c -P 4"),
            ("./run -c fast /dev/sda", "./run -c fast"),
            ("sudo", "sudo"),
        ] {
            assert_eq!(super::without_target(command), what);
        }
    }

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
