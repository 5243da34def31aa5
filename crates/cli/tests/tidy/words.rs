//! The language of comments, messages and documents: standard terms, impersonal.

use crate::sources::{has_word, none, read};

/// Words that are not used, and what is said in their place.
const NOT_SAID: &[(&[&str], &str)] = &[
    (
        &[
            "nobody", "somebody", "whoever", "himself", "he", "him", "his",
        ],
        "name the thing: a process, a thread, another guest, the caller",
    ),
    (&["neighbour", "neighbours"], "neighbor"),
    (&["colour", "colours", "behaviour"], "American spelling"),
    (&["luck"], "randomization"),
    (&["FIXME", "XXX"], "an issue"),
];

/// Phrases likewise.
const NOT_SAID_EITHER: &[(&str, &str)] = &[
    ("acts as", "effective size"),
    ("believes in", "assumes"),
    ("left to the kernel", "unpinned"),
    ("kept waiting", "run-queue delay"),
    ("page walks add", "TLB-miss cost"),
    ("misses overlap", "memory-level parallelism"),
    ("goes past the caches", "non-temporal stores"),
    ("chance looks like a difference", "false-positive rate (A/A)"),
];

/// Names that are serialized so and stay readable, and code that lists what is banned.
const ALLOWED: &[&str] = &[
    "crates/cli/tests/tidy/words.rs",
    "schema/",
    "/tests/data/",
    "/tests/trees/",
    "/snapshots/",
];

/// The part of a line that is prose: a comment, or what stands in quotes.
fn prose(line: &str) -> String {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") {
        return trimmed.to_owned();
    }
    let mut parts = line.split('"');
    parts.next();
    let mut text = String::new();
    while let Some(inside) = parts.next() {
        text.push_str(inside);
        text.push(' ');
        parts.next();
    }
    if let Some((_, comment)) = line.split_once(" // ") {
        text.push_str(comment);
    }
    text
}

#[test]
fn prose_uses_standard_terms() {
    let texts = read(|path| {
        let kind = path.extension().and_then(|e| e.to_str());
        matches!(kind, Some("rs" | "md"))
    });
    let mut offences = Vec::new();
    for source in &texts {
        if ALLOWED.iter().any(|part| source.path.contains(part)) {
            continue;
        }
        let is_rust = source.path.ends_with(".rs");
        for (at, line) in source.text.lines().enumerate() {
            let text = if is_rust { prose(line) } else { line.to_owned() };
            let lower = text.to_lowercase();
            for (words, instead) in NOT_SAID {
                for word in *words {
                    if has_word(&lower, &word.to_lowercase()) {
                        offences.push(format!("{}:{}: '{word}' ({instead})", source.path, at + 1));
                    }
                }
            }
            for (phrase, instead) in NOT_SAID_EITHER {
                if lower.contains(phrase) {
                    offences.push(format!("{}:{}: '{phrase}' ({instead})", source.path, at + 1));
                }
            }
        }
    }
    none("say it in the field's terms (CONTRIBUTING.md, Style)", offences);
}
