//! The language of comments, documents and texts that users see: standard terms, impersonal.

use crate::prose::pieces;
use crate::sources::{Source, has_word, none, read};

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
    ("rises from", "rises beyond"),
    ("believes in", "assumes"),
    ("left to the kernel", "unpinned"),
    ("kept waiting", "run-queue delay"),
    ("beside a neighbor", "SMT sibling busy"),
    (
        "hand-over",
        "core-to-core latency, context switch, transfer",
    ),
    ("hand-overs", "context switches, transfers"),
    ("hands over", "switches to, wakes"),
    ("hand over", "switch to, wake"),
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
    "docs/seeds/",
    "schema/",
    "/tests/data/",
    "/tests/trees/",
    "/snapshots/",
];

/// Texts that are names and no prose: a user account, and a series of records on disk.
const NAMES: &[&str] = &["nobody", "sent to nobody"];

/// What `text` says otherwise than the lists above want it. Names of code stand between backquotes.
fn slips(text: &str) -> Vec<String> {
    let plain: String = text.split('`').step_by(2).collect();
    let lower = plain.to_lowercase();
    let mut found = Vec::new();
    for (words, instead) in NOT_SAID {
        let said = words.iter().filter(|word| has_word(&lower, word));
        found.extend(said.map(|word| format!("'{word}' ({instead})")));
    }
    for (phrase, instead) in NOT_SAID_EITHER {
        if has_word(&lower, phrase) {
            found.push(format!("'{phrase}' ({instead})"));
        }
    }
    found
}

/// The prose of code, by line: comments without their examples, and the texts of a product, which users see.
fn prose_of_code(source: &Source) -> Vec<(usize, String)> {
    let tests = source
        .text
        .lines()
        .position(|l| l.starts_with("mod tests {"));
    let is_product = source.path.ends_with(".rs") && source.is_product();
    let shown = if is_product {
        tests.unwrap_or(usize::MAX)
    } else {
        0
    };
    let mut example = false;
    let mut found = Vec::new();
    for piece in pieces(&source.text) {
        let fence = piece
            .text
            .trim_start_matches(['/', '!', ' '])
            .starts_with("```");
        example ^= piece.is_comment && fence;
        let is_prose = match piece.is_comment {
            true => !example,
            false => piece.line <= shown && !NAMES.contains(&piece.text.as_str()),
        };
        if is_prose {
            found.push((piece.line, piece.text));
        }
    }
    found
}

/// Offences of a source, each with its place. Documents are read with the screens in them, as these are the tool's own.
fn offences(source: &Source) -> Vec<String> {
    let prose = match source.path.ends_with(".md") {
        false => prose_of_code(source),
        // A command that takes the account is no prose either.
        true => (1..)
            .zip(source.text.lines().map(str::to_owned))
            .filter(|(_, line)| !line.contains("setpriv"))
            .collect(),
    };
    let slips = prose.into_iter().flat_map(|(line, text)| {
        let slips = slips(&text).into_iter();
        slips.map(move |slip| format!("{}:{line}: {slip}", source.path))
    });
    slips.collect()
}

#[test]
fn prose_uses_standard_terms() {
    let texts = read(|path| {
        let kind = path.extension().and_then(|e| e.to_str());
        matches!(kind, Some("rs" | "md" | "c"))
    });
    let own = texts
        .iter()
        .filter(|source| !ALLOWED.iter().any(|part| source.path.contains(part)));
    none(
        "say it in the field's terms (CONTRIBUTING.md, Style)",
        own.flat_map(offences).collect(),
    );
}

/// What is found in `text`, were it the file `path`.
fn found(path: &str, text: &str) -> Vec<String> {
    offences(&Source {
        path: path.to_owned(),
        text: text.to_owned(),
    })
}

#[test]
fn offences_are_found_in_comments_and_texts() {
    let product = "crates/report/src/a.rs";
    let comment = found(
        product,
        "fn f() {}\n// Nobody\u{27}s `his`, and as he likes.\n",
    );
    assert_eq!(comment.len(), 2, "{comment:?}");
    assert!(
        comment[1].starts_with("crates/report/src/a.rs:2: 'he'"),
        "{comment:?}"
    );
    let text = "const A: &str = \"It acts \\\n    as 4 MiB\";\n";
    let shown = found(product, text);
    assert_eq!(
        shown,
        ["crates/report/src/a.rs:1: 'acts as' (effective size)"]
    );
    let page = found("docs/a.md", "```\nL2 acts as 1 MiB\n```\n");
    assert_eq!(page.len(), 1, "{page:?}");
}

#[test]
fn tests_names_and_code_are_no_offences() {
    let text = "const A: &str = \"It acts as 4 MiB\";\n";
    let product = "crates/report/src/a.rs";
    for (path, text) in [
        ("crates/report/tests/a.rs", text.to_owned()),
        (product, format!("mod tests {{\n{text}}}\n")),
        (product, "const A: &str = \"nobody\";\n".to_owned()),
        (
            product,
            "/// ```\n/// let neighbours = 1;\n/// ```\n".to_owned(),
        ),
        (product, "let neighbours = 1; // `neighbours`\n".to_owned()),
        (product, "//! Facts as words.\n".to_owned()),
    ] {
        assert_eq!(found(path, &text), Vec::<String>::new());
    }
}
