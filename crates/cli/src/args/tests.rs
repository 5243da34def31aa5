//! Commands that screens tell a user to run are commands.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use super::*;

/// A command line as a POSIX shell splits it: blanks, quotes, a backslash.
pub(crate) fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut inside, mut quoted) = (Vec::new(), String::new(), false, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => (quoted, inside) = (!quoted, true),
            '\\' if !quoted => word.extend(chars.next()),
            ' ' if !quoted => {
                if inside {
                    words.push(std::mem::take(&mut word));
                }
                inside = false;
            }
            c => {
                word.push(c);
                inside = true;
            }
        }
    }
    if inside {
        words.push(word);
    }
    words
}

/// Text literals of the source files below `folder`.
fn literals(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            found.extend(literals(&entry));
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&entry).unwrap();
            for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
                let inside = line.split('"').skip(1).step_by(2);
                found.extend(inside.map(|text| (entry.clone(), text.to_owned())));
            }
        }
    }
    found
}

#[test]
fn next_steps_are_commands_that_can_be_pasted() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/src");
    let mut seen = 0;
    for (path, text) in literals(&sources) {
        // Environment for the command may come before it.
        let words = split(&text.replace("{records}", "a.whyslow 'b c.whyslow'"));
        let Some(at) = words.iter().position(|w| w == "whyslow") else {
            continue;
        };
        if !words[..at].iter().all(|w| w.contains('=')) {
            continue;
        }
        seen += 1;
        let parsed = Arguments::try_parse_from(&words[at..]);
        assert!(
            parsed.is_ok(),
            "{}: {text}: {:?}",
            path.display(),
            parsed.err()
        );
        for word in &words {
            let stands_for = word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
            assert!(!stands_for, "{}: {text}: what is {word}?", path.display());
        }
    }
    assert!(seen > 30, "{seen} commands found");
}

/// Words in commands that stand for what only the reader knows.
const READERS_OWN: [&str; 2] = ["PROGRAM", "COMMAND"];

/// What every source file below `folder` says to a reader, without comments and with broken lines put together.
fn said(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        let ends = |ending: &str| entry.extension().is_some_and(|e| e == ending);
        if entry.is_dir() {
            found.extend(said(&entry));
        } else if ends("rs") && !entry.ends_with("tests.rs") || ends("js") {
            let text = fs::read_to_string(&entry).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = text.lines().map(str::trim);
            let lines: Vec<&str> = lines.filter(|l| !l.starts_with("//")).collect();
            found.push((entry, lines.join("\n").replace("\\\n", "")));
        }
    }
    found
}

/// A command of a source with the values put in that it leaves to be filled.
fn filled(command: &str) -> String {
    let mut out = String::new();
    let mut rest = command;
    while let Some(at) = rest.find(['{', '}']) {
        out += &rest[..at];
        let (open, after) = (&rest[at..=at], &rest[at + 1..]);
        // `{{` stands for a brace, `{name}` for a value.
        if after.starts_with(open) {
            out += open;
            rest = &after[1..];
        } else if let (true, Some(end)) = (open == "{", after.find('}')) {
            out.push('1');
            rest = &after[end + 1..];
        } else {
            panic!("braces of {command}");
        }
    }
    out + rest
}

/// Whatever is printed between backticks and begins with the name of the program is a command, without a word that only
/// stands for something.
#[test]
fn commands_in_messages_can_be_typed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seen = 0;
    for one in fs::read_dir(crates).unwrap() {
        let sources = one.unwrap().path().join("src");
        for (path, text) in said(&sources) {
            let quoted = text
                .lines()
                .flat_map(|line| line.split('`').skip(1).step_by(2));
            for quoted in quoted {
                let Some(at) = quoted.find("whyslow ") else {
                    continue;
                };
                let command = filled(&quoted[at..]);
                seen += 1;
                let parsed = super::command().try_get_matches_from(split(&command));
                // The name of a command stands for it in a sentence, whatever it takes besides.
                let named = split(&command)
                    .iter()
                    .all(|w| w.bytes().all(|b| b.is_ascii_lowercase()));
                let asked = format!("{command} --help");
                let asked = super::command().try_get_matches_from(split(&asked));
                let shows = |e: &clap::Error| !e.use_stderr();
                let help =
                    parsed.as_ref().is_err_and(shows) || named && asked.is_err_and(|e| shows(&e));
                assert!(
                    parsed.is_ok() || help,
                    "{}: {command}: {:?}",
                    path.display(),
                    parsed.err()
                );
                for word in split(&command) {
                    let stands_for = word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
                    assert!(
                        !stands_for || READERS_OWN.contains(&word.as_str()),
                        "{}: {command}: what is {word}?",
                        path.display()
                    );
                }
            }
        }
    }
    assert!(seen > 30, "{seen} commands found");
}

/// Lines of the README that are taken in at one look.
const FIRST_SCREEN: usize = 30;

#[test]
fn the_first_screen_of_the_readme_answers_with_commands() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(readme).unwrap();
    let first = text.lines().take(FIRST_SCREEN);
    let questions = first.filter_map(|line| line.strip_prefix("| ")?.split_once("? | `"));
    let mut asked = 0;
    for (question, answer) in questions {
        let command = answer.split('`').next().unwrap();
        let parsed = super::command().try_get_matches_from(split(command));
        assert!(parsed.is_ok(), "{question}: {command}: {:?}", parsed.err());
        asked += 1;
    }
    assert_eq!(asked, 10);
    // Further down, lists of commands have what they do beside them.
    for line in text.lines().filter(|line| line.starts_with("whyslow ")) {
        let command = line.split("  ").next().unwrap();
        let parsed = super::command().try_get_matches_from(split(command));
        assert!(parsed.is_ok(), "{command}: {:?}", parsed.err());
    }
}

#[test]
fn a_share_is_a_percentage() {
    for text in ["±3%", "3%", "3", "+-3 %"] {
        assert_eq!(share(text), Ok(0.03), "{text}");
    }
    for text in ["", "0", "x", "±%", "101", "NaN"] {
        assert!(share(text).is_err(), "{text}");
    }
}

#[test]
fn the_command_line_is_consistent() {
    command().debug_assert();
}
