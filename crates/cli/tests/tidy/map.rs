//! ARCHITECTURE.md and CONTRIBUTING.md name what there is.

use crate::sources::{Source, none, read, rust};

/// The file that CONTRIBUTING.md has a newcomer create.
const TUTORIAL: &str = "os_yield.rs";

/// Folders that hold no Rust.
const NOT_RUST: [&str; 2] = ["cases/", "FORMAT/"];

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The name of a file or folder: `run.rs`, `cli/src/signals.rs`, `families/`.
fn is_file(name: &str) -> bool {
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
    plain && (name.ends_with(".rs") || (name.ends_with('/') && name.len() > 1))
}

/// Is there a tracked file that is so named, or lies in a folder so named?
fn has_file(sources: &[Source], name: &str) -> bool {
    let whole = format!("/{name}");
    sources.iter().any(|source| {
        let path = format!("/{}", source.path);
        if name.ends_with('/') {
            path.contains(&whole)
        } else {
            path.ends_with(&whole)
        }
    })
}

/// A path such as `runner::run::fill` or `stats::record::Alone`, if `name` is one of a crate here.
fn item<'n>(sources: &[Source], name: &'n str) -> Option<(&'n str, Vec<&'n str>)> {
    let mut parts = name.split("::");
    let room = parts.next()?;
    let parts: Vec<&str> = parts.collect();
    let is_room = sources
        .iter()
        .any(|s| s.path.starts_with(&format!("crates/{room}/src/")));
    (is_room && !parts.is_empty()).then_some((room, parts))
}

/// Is there a module, type or function `name` in the crate `room`?
fn has_item(sources: &[Source], room: &str, name: &str) -> bool {
    let own = sources
        .iter()
        .filter(|s| s.path.starts_with(&format!("crates/{room}/src/")));
    let kinds = ["fn", "struct", "enum", "trait", "mod", "static", "const"];
    let declared = |text: &str| {
        kinds.iter().any(|kind| {
            let wanted = format!("{kind} {name}");
            text.match_indices(&wanted).any(|(at, _)| {
                let next = text[at + wanted.len()..].chars().next();
                !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
            })
        })
    };
    own.into_iter().any(|source| declared(&source.text))
}

#[test]
fn every_file_and_item_that_the_map_names_exists() {
    let sources = rust();
    let map = read(|path| path.ends_with("ARCHITECTURE.md") || path.ends_with("CONTRIBUTING.md"));
    let mut missing = Vec::new();
    let mut seen = 0;
    for name in map.iter().flat_map(|map| quoted(&map.text)) {
        if is_file(name) {
            seen += 1;
            let of_data = NOT_RUST.iter().any(|folder| name.ends_with(folder));
            if !has_file(&sources, name) && !name.ends_with(TUTORIAL) && !of_data {
                missing.push(name.to_owned());
            }
        } else if let Some((room, parts)) = item(&sources, name) {
            seen += 1;
            for part in parts {
                if !has_item(&sources, room, part) {
                    missing.push(format!("{name}: no {part} in {room}"));
                }
            }
        }
    }
    assert!(seen > 30, "the map names {seen} files and items");
    none(
        "ARCHITECTURE.md or CONTRIBUTING.md names what is not there",
        missing,
    );
}

#[test]
fn what_is_not_there_is_seen() {
    let sources = rust();
    assert!(has_file(&sources, "run.rs") && has_file(&sources, "families/"));
    assert!(!has_file(&sources, "nowhere.rs") && !has_file(&sources, "nowhere/"));
    assert!(has_item(&sources, "stats", "Alone") && !has_item(&sources, "stats", "Alon"));
    assert!(is_file("cli/src/signals.rs") && !is_file("a file.rs") && !is_file("/"));
    assert!(item(&sources, "Probe::points").is_none());
}
