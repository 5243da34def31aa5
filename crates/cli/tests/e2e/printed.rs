//! Commands that screens print, run as they are printed: pasted into a shell in the folder where the screen was seen.
//!
//! What would measure is asked for its help with the same words instead, which refuses what is no option, and what it
//! selects is looked up.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use whyslow_model::shell::quote;

use crate::env::{Said, TestEnv};
use crate::gallery::two_records;

/// What words stand for that only the reader knows.
const READERS_OWN: [&str; 2] = ["PROGRAM", "COMMAND"];

/// Commands that read and measure nothing; all others are asked for their help.
const READS: [&str; 11] = [
    "show", "list", "host", "doctor", "compare", "explain", "report", "plot", "card", "fleet",
    "catalog",
];

/// Names of commands in front of which a sentence may speak of the program: "whyslow run on a server".
fn commands(env: &TestEnv) -> BTreeSet<String> {
    let help = env.run("--help").out;
    let named = help.lines().skip_while(|line| *line != "Commands:");
    let named = named.skip(1).take_while(|line| !line.is_empty());
    // Further lines of what a command does stand farther in.
    let named = named.filter_map(|line| line.strip_prefix("  "));
    let names = named.filter_map(|line| line.split(' ').next());
    let names = names.filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// The text of a page as it is read: elements away, code between backticks.
fn page_text(html: &str) -> String {
    let begin = html.find("<body").unwrap();
    let body = html[begin..].replace("<code>", "`").replace("</code>", "`");
    let mut text = String::new();
    let mut rest = body.as_str();
    while let Some(at) = rest.find('<') {
        text += &rest[..at];
        let script = rest[at..].starts_with("<script");
        let end = if script { "</script>" } else { ">" };
        let length = rest[at..].find(end).unwrap() + end.len();
        rest = &rest[at + length..];
        text.push(' ');
    }
    text += rest;
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    signs
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// Where in `text` the program is named as a command: alone, or with variables or another program before it.
fn starts_command(text: &str) -> bool {
    let Some(at) = text.find("whyslow ") else {
        return false;
    };
    let mut before = text[..at].split_whitespace();
    match before.next() {
        None => true,
        Some("sudo") => before.next().is_none(),
        Some("taskset" | "zstd" | "gzip" | "xz") => true,
        Some(word) => word.contains('=') && before.all(|word| word.contains('=')),
    }
}

/// The commands of a screen, each as it would be copied, and what names a command in running text without a mark.
fn printed(screen: &str, names: &BTreeSet<String>) -> (BTreeSet<String>, Vec<String>) {
    let mut found = BTreeSet::new();
    let mut rest = String::new();
    // How a command is used is a form to be filled in.
    let lines = screen.lines();
    for line in lines.filter(|line| !line.starts_with("Usage: ")) {
        let trimmed = line.trim();
        // What stands in front of a command on a line of its own.
        let signs = ["next:", "all:", "$\u{a0}", "$ "];
        let own = signs.iter().find_map(|sign| trimmed.strip_prefix(sign));
        let step = trimmed
            .split_once(". ")
            .filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
        let command = own
            .or(step.map(|(_, command)| command))
            .unwrap_or(trimmed)
            .trim();
        let known = command.find("whyslow ").is_some_and(|at| {
            let word = command[at..].split_whitespace().nth(1).unwrap_or_default();
            names.contains(word)
        });
        if known && starts_command(command) && !command.contains('`') {
            found.insert(command.to_owned());
        } else {
            rest += line;
            rest.push('\n');
        }
    }
    // Running text is broken into lines; a command in it stands between backticks.
    let flowing = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut left = String::new();
    for (at, part) in flowing.split('`').enumerate() {
        if at % 2 == 1 && starts_command(part) {
            found.insert(part.to_owned());
        } else {
            left += part;
        }
    }
    let unmarked = left.match_indices("whyslow ").filter_map(|(at, _)| {
        let word = left[at..].split_whitespace().nth(1).unwrap_or_default();
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let near = || left[at..].chars().take(80).collect();
        names.contains(word).then(near)
    });
    let unmarked = unmarked.collect();
    (found, unmarked)
}

/// Runs `line` in a shell, as pasted.
fn pasted(env: &TestEnv, line: &str) -> Said {
    let folder = Path::new(env!("CARGO_BIN_EXE_whyslow")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(env.path(""))
        .env("PATH", path)
        .env("TMPDIR", env.path("tmp"))
        .env("XDG_STATE_HOME", env.path("state"))
        .env("XDG_CACHE_HOME", env.path("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Said::of(output)
}

/// What is wrong with the command, as far as that can be told without measuring; nothing if it runs.
fn wrong(env: &TestEnv, command: &str) -> Option<String> {
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        let stands_for = word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
        if READERS_OWN.contains(&word.as_str()) {
            *word = "true".to_owned();
        } else if stands_for {
            return Some(format!("what is {word}?"));
        }
    }
    let line = words.join(" ");
    let (before, own) = line.split_at(line.find("whyslow ")?);
    let name = own.split_whitespace().nth(1).unwrap_or_default();
    if let Some((_, cause)) = own.split_once(" --experiment ") {
        let known = whyslow_explain::chosen(Some(cause), None);
        if !known.is_ok_and(|causes| !causes.is_empty()) {
            return Some("no such cause can be switched".to_owned());
        }
    }
    let measures = !READS.contains(&name) || own.contains(" --experiment");
    if !measures {
        let said = pasted(env, &line);
        let ran = matches!(said.code, Some(0 | 1 | 3));
        return (!ran).then(|| format!("{said:?}"));
    }
    let asked = match own.split_once(" -- ") {
        Some((own, program)) => format!("{own} --help -- {program}"),
        None => format!("{own} --help"),
    };
    // Other programs in front are not tried: they may not be there, or may ask for a password.
    let variables = before.split_whitespace().filter(|word| word.contains('='));
    let variables: Vec<&str> = variables.collect();
    let said = pasted(env, &format!("{} {asked}", variables.join(" ")));
    if said.code != Some(0) {
        return Some(format!("{said:?}"));
    }
    let (_, globs) = own.split_once("--only ")?;
    let globs = match globs.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next(),
        None => globs.split(' ').next(),
    };
    let listed = pasted(env, &format!("whyslow list {}", quote(globs?)));
    (listed.code != Some(0)).then(|| format!("selects nothing: {listed:?}"))
}

/// A folder with records whose names need quotes, imported results, a load and a fleet.
fn records() -> TestEnv {
    let env = TestEnv::new();
    fs::create_dir(env.path("my records")).unwrap();
    two_records(&env, ["a.whyslow", "my records/b.whyslow"]);
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/open");
    for (name, from) in [
        ("before.txt", "byte-2.4.19-2.5.33-side-by-side-2002"),
        ("cores.txt", "c2c-ryzen9950x-agesa-2024"),
        ("ccs.txt", "ccs-mimalloc-glibc-16-threads-2020"),
    ] {
        let files = fs::read_dir(cases.join(from))
            .unwrap()
            .map(|f| f.unwrap().path());
        let mut files: Vec<_> = files.filter(|f| !f.ends_with("case.toml")).collect();
        files.sort();
        fs::copy(&files[0], env.path(name)).unwrap();
        let imported = env.run(&format!("import {name}"));
        assert_eq!(imported.code, Some(0), "{imported:?}");
    }
    let loaded = env.run("load -j 1,2 --repeat 2 -o load.whyslow -- true");
    assert_eq!(loaded.code, Some(0), "{loaded:?}");
    env
}

#[test]
fn commands_on_screens_run_as_they_are_printed() {
    let env = records();
    let names = commands(&env);
    assert!(names.len() > 15, "{names:?}");
    let b = "my records/b.whyslow";
    let screens: &[&[&str]] = &[
        &["show", "a.whyslow"],
        &["show", b],
        &["show", "a.whyslow", b],
        &["show", "a.whyslow", "--format", "table"],
        &["show", "a.whyslow", "--format", "lmbench"],
        &["show", "a.whyslow", "--format", "byte"],
        &["show", "load.whyslow"],
        &["show", "before.txt.whyslow"],
        &["compare", "a.whyslow", b],
        &["compare", b, "a.whyslow", "--format", "markdown"],
        &["compare", "a.whyslow", "load.whyslow"],
        &["compare", "load.whyslow", "load.whyslow"],
        &["explain", "a.whyslow"],
        &["explain", b],
        &["explain", "a.whyslow", b],
        &["explain", b, "a.whyslow", "--also-b", "a.whyslow"],
        &["explain", "before.txt#2.4.19", "before.txt#2.5.33"],
        &["explain", "load.whyslow"],
        &["explain"],
        &["report", "a.whyslow", "-o", "-"],
        &["report", "a.whyslow", b, "-o", "-"],
        &["report", "load.whyslow", "-o", "-"],
        &["report", b, "cores.txt.whyslow", "a.whyslow", "-o", "-"],
        &["doctor"],
        &["host"],
        &["list"],
        &["list", "app.*"],
        &["list", "nothing.here"],
        &["plot", "nothing.*", b, "-o", "x.svg"],
        &["plot", "os.*", "a.whyslow", "-o", "x.svg"],
        &["card", "load.whyslow", "-o", "x.svg"],
        &["card", b, "-o", "x.svg"],
        &["sim", "--like", "a.whyslow"],
        &["sim", "--like", "load.whyslow"],
        &["sim", "--trace", b],
        &[
            "sim",
            "--pattern",
            "stride",
            "--stride",
            "256",
            "--memory",
            "1MiB",
        ],
        &["run", "--only", "nothing.*"],
        &["run", "--only", "os.null_call{size=1}"],
        &["run", "--against", "load.whyslow", "-o", "c.whyslow"],
        &["run", "--resume", "load.whyslow"],
        &[
            "load",
            "--arm",
            "before",
            "--arm",
            "after=thp=always",
            "-o",
            "l2.whyslow",
            "--",
            "echo",
            "a b",
        ],
        &["fleet", "report", "my records"],
        &["color", "map", "--budget", "2"],
        &["color", "run", "--", "true"],
        &[
            "tune",
            "--setting",
            "env:A=1",
            "--budget",
            "2",
            "--",
            "true",
        ],
        &["selfcheck", "a.whyslow"],
        &["catalog"],
        &["restore"],
    ];
    let (mut all, mut troubles) = (BTreeSet::new(), Vec::new());
    for words in screens {
        let said = env.whyslow("").args(*words).output().unwrap();
        let said = Said::of(said);
        let screen = words.join(" ");
        assert!(!said.err.contains("panicked"), "{said:?}");
        let text = match said.out.starts_with("<!DOCTYPE") {
            true => page_text(&said.out),
            false => said.out,
        };
        for text in [text, said.err] {
            let (found, unmarked) = printed(&text, &names);
            let unmarked = unmarked.iter();
            troubles.extend(
                unmarked.map(|near| format!("{screen}: no mark tells it from the text: {near}")),
            );
            for command in found {
                if all.contains(&command) {
                    continue;
                }
                let wrong = wrong(&env, &command);
                troubles.extend(wrong.map(|why| format!("{screen}: {command}: {why}")));
                all.insert(command);
            }
        }
    }
    assert!(troubles.is_empty(), "{troubles:#?}");
    let shown: Vec<&String> = all.iter().collect();
    assert!(all.len() > 12, "{shown:#?}");
    let quoted = "whyslow explain 'my records/b.whyslow'";
    assert!(all.contains(quoted), "{shown:#?}");
}

#[test]
fn a_command_is_told_from_text() {
    let names: BTreeSet<String> = ["run", "show"].map(str::to_owned).into();
    let screen = "LOAD\n  1. LC_ALL=C whyslow run --only 'a b'\nIn text it is `whyslow\n   show x`, and whyslow measures.";
    let (found, unmarked) = printed(screen, &names);
    let found: Vec<String> = found.into_iter().collect();
    assert_eq!(
        found,
        ["LC_ALL=C whyslow run --only 'a b'", "whyslow show x"]
    );
    assert!(unmarked.is_empty(), "{unmarked:?}");
    let page =
        "<body><p>It is <code>whyslow show &#39;x&#39;</code></p><script>`whyslow run`</script>";
    assert_eq!(page_text(page).trim(), "It is `whyslow show 'x'`");
    let (_, unmarked) = printed("take whyslow run now", &names);
    assert_eq!(unmarked, ["whyslow run now"]);
}
