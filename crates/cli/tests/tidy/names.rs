//! A word that the records' own types have means one thing in every crate.

use crate::sources::{none, rust};

/// Types that a reader of several crates meets: each word is declared once.
const ONCE: [&str; 10] = [
    "Draw", "End", "Look", "Page", "Point", "Process", "Row", "Session", "Shared", "Work",
];

/// Does `line` declare a type `name`?
fn declares(line: &str, name: &str) -> bool {
    let kinds = ["struct", "enum", "trait", "type", "union"];
    kinds.iter().any(|kind| {
        let declared = format!("{kind} {name}");
        line.find(&declared).is_some_and(|at| {
            let before = line[..at].trim();
            let next = line[at + declared.len()..].chars().next();
            let ends = !next.is_some_and(|c| c.is_alphanumeric() || c == '_');
            ends && (before.is_empty() || before.starts_with("pub"))
        })
    })
}

#[test]
fn a_common_word_names_one_type() {
    let sources = rust();
    let mut twice = Vec::new();
    for name in ONCE {
        let product = sources.iter().filter(|s| s.is_product());
        let places: Vec<String> = product
            .flat_map(|source| {
                source
                    .code()
                    .filter(|(_, line)| declares(line.trim_start(), name))
                    .map(|(at, _)| format!("{}:{at}", source.path))
            })
            .collect();
        if places.len() > 1 {
            twice.push(format!("{name}: {}", places.join(", ")));
        }
    }
    none(
        "a word that several crates use names one type: say in the other's name of what it is",
        twice,
    );
}

#[test]
fn a_declaration_is_seen() {
    assert!(declares("pub struct Row {", "Row"));
    assert!(declares("type Row = [f64; 3];", "Row"));
    assert!(declares("pub(crate) enum End {", "End"));
    assert!(!declares("struct RowRole {", "Row"));
    assert!(!declares("struct Rows(Vec<Row>);", "Row"));
    assert!(!declares("let end: End = end;", "End"));
}
