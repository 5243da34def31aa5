//! The language of comments and documents: standard terms, impersonal.

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
    (
        "chance looks like a difference",
        "false-positive rate (A/A)",
    ),
];

/// What other tools and recorded hosts say, and the list itself.
const ALLOWED: &[&str] = &[
    "crates/cli/tests/tidy/words.rs",
    "schema/",
    "/tests/data/",
    "/tests/trees/",
    "/snapshots/",
];

/// The comment of a line of Rust; texts that a user sees have tests of their own.
fn comment(line: &str) -> &str {
    let trimmed = line.trim_start();
    match trimmed.starts_with("//") {
        true => trimmed,
        false => line.split_once(" // ").map_or("", |(_, comment)| comment),
    }
}

/// Crates whose comments were read through with this list; the others follow, and none leaves it.
const READ_THROUGH: [&str; 6] = [
    "gather",
    "leftovers",
    "model",
    "kernels",
    "probes",
    "import",
];

#[test]
fn prose_uses_standard_terms() {
    let texts = read(|path| {
        let kind = path.extension().and_then(|e| e.to_str());
        matches!(kind, Some("rs" | "md"))
    });
    let mut offences = Vec::new();
    for source in &texts {
        let room = source.path.strip_prefix("crates/");
        let room = room
            .and_then(|rest| rest.split('/').next())
            .unwrap_or_default();
        if !READ_THROUGH.contains(&room) || ALLOWED.iter().any(|p| source.path.contains(p)) {
            continue;
        }
        let is_rust = source.path.ends_with(".rs");
        // What stands between fences is what programs print.
        let mut quoted = false;
        for (at, line) in source.text.lines().enumerate() {
            let text = if is_rust { comment(line) } else { line };
            if !is_rust && line.trim_start().starts_with("```") {
                quoted = !quoted;
            }
            if quoted {
                continue;
            }
            // Names of code stand between backquotes.
            let plain: String = text.split('`').step_by(2).collect();
            let lower = plain.to_lowercase();
            for (words, instead) in NOT_SAID {
                for word in *words {
                    if has_word(&lower, &word.to_lowercase()) {
                        offences.push(format!("{}:{}: '{word}' ({instead})", source.path, at + 1));
                    }
                }
            }
            for (phrase, instead) in NOT_SAID_EITHER {
                if lower.contains(phrase) {
                    offences.push(format!(
                        "{}:{}: '{phrase}' ({instead})",
                        source.path,
                        at + 1
                    ));
                }
            }
        }
    }
    none(
        "say it in the field's terms (CONTRIBUTING.md, Style)",
        offences,
    );
}
