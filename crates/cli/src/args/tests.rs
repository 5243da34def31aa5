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
