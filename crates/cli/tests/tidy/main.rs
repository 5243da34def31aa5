//! House rules that no other tool holds: what ARCHITECTURE.md promises about files and crates.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod circles;
mod kernel;
mod links;
mod map;
mod names;
mod pointers;
mod prose;
mod sources;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sources::{has_word, lines, none, read, rust};

/// The crates from the foundation up. Each may use those before it and none after.
const ROOMS: [&str; 22] = [
    "gather",
    "linux",
    "leftovers",
    "model",
    "stats",
    "kernels",
    "page_color",
    "preload",
    "routines",
    "host",
    "conditions",
    "probes",
    "runner",
    "import",
    "catalog",
    "compare",
    "sim",
    "explain",
    "tune",
    "fleet",
    "report",
    "cli",
];

/// Crates that may use fewer than all before them.
const NARROW: [(&str, &[&str]); 7] = [
    ("fleet", &["model", "stats", "compare", "explain"]),
    ("sim", &["model", "stats"]),
    ("report", &["model", "stats", "compare", "explain"]),
    ("kernels", &[]),
    ("page_color", &["linux", "kernels"]),
    ("preload", &["linux", "leftovers", "page_color"]),
    ("routines", &["leftovers", "preload"]),
];

/// Longer files are too long to hold in the head; from about 400 lines on a file is worth splitting.
const MOST_LINES: usize = 500;

/// Crates whose own code may be unsafe.
const UNSAFE: [&str; 7] = [
    "kernels",
    "page_color",
    "preload",
    "routines",
    "conditions",
    "probes",
    "sim",
];

/// Things that are serialised outside of `model`.
const SERIALIZED_ELSEWHERE: [&str; 1] = [
    // What hyperfine exports, which is only read.
    "crates/import/src/formats/hyperfine.rs",
];

#[test]
fn every_file_says_what_it_is() {
    let silent = rust().into_iter().filter(|s| !s.text.starts_with("//! "));
    none(
        "a file opens with `//! ` and what it is",
        silent.map(|s| s.path).collect(),
    );
}

#[test]
fn no_file_is_too_long() {
    let long = rust().into_iter().filter_map(|s| {
        let lines = s.text.lines().count();
        (lines > MOST_LINES).then(|| format!("{}: {lines}", s.path))
    });
    none(
        "a file has at most 500 lines; split it by what it tells",
        long.collect(),
    );
}

/// Names of the crates of this workspace that each one uses, by kind of dependency.
fn uses() -> BTreeMap<String, BTreeSet<(String, String)>> {
    let manifests = read(|path| {
        path.ends_with("Cargo.toml") && path.parent().unwrap().parent().unwrap().ends_with("crates")
    });
    let uses = manifests.iter().map(|manifest| {
        let mut section = "";
        let mut used = BTreeSet::new();
        for line in manifest.text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']');
            } else if let Some(rest) = line.strip_prefix("whyslow-")
                && section.ends_with("dependencies")
            {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                    .unwrap();
                let kind = section.rsplit('.').next().unwrap();
                // A package is written with hyphens, and its folder as code writes it.
                used.insert((kind.to_owned(), rest[..end].replace('-', "_")));
            }
        }
        (manifest.room().to_owned(), used)
    });
    uses.collect()
}

#[test]
fn a_crate_uses_only_the_crates_above_it() {
    let uses = uses();
    assert!(
        uses["cli"].len() > 3 && uses["probes"].len() > 2,
        "{uses:?}"
    );
    let place = |name: &str| ROOMS.iter().position(|room| *room == name);
    let mut offences = Vec::new();
    for (room, used) in &uses {
        let Some(own) = place(room) else {
            offences.push(format!("{room} has no place in the list of rooms"));
            continue;
        };
        // Its tests may ask for what a crate leaves out of a build.
        let tested = |kind: &str, name: &str| kind == "dev-dependencies" && name == room;
        for (kind, name) in used.iter().filter(|(kind, name)| !tested(kind, name)) {
            let above = place(name).is_some_and(|other| other < own);
            let narrow = NARROW.iter().find(|(narrow, _)| narrow == room);
            let allowed = narrow.is_none_or(|(_, allowed)| allowed.contains(&name.as_str()));
            if !above || (kind == "dependencies" && !allowed) {
                offences.push(format!("{room} uses {name} ({kind})"));
            }
        }
    }
    none("a crate uses only what ARCHITECTURE.md lets it", offences);
}

/// Does the documentation in `text` have code that a test would compile?
fn has_example(text: &str) -> bool {
    let mut within = false;
    let mut found = false;
    for line in text.lines() {
        let line = line.trim_start();
        let comment = line.strip_prefix("//!").or(line.strip_prefix("///"));
        let Some(fence) = comment.and_then(|c| c.trim_start().strip_prefix("```")) else {
            continue;
        };
        found |= !within && (fence.is_empty() || fence.starts_with("rust") || fence == "no_run");
        within = !within;
    }
    found
}

/// Looking for examples where there are none takes a crate's whole compilation.
#[test]
fn examples_in_documentation_are_tested_where_there_are_any() {
    assert!(has_example("//! ```no_run") && !has_example("/// ```text\n/// ```"));
    let sources = read(|path| path.extension().is_some_and(|e| e == "rs"));
    let manifests = read(|path| {
        let folder = path.parent().unwrap();
        path.ends_with("Cargo.toml") && folder.join("src/lib.rs").is_file()
    });
    let wrong = manifests.iter().filter(|manifest| {
        let own = sources
            .iter()
            .filter(|s| s.path.starts_with("crates/") && s.room() == manifest.room());
        let has = own.filter(|s| s.is_product()).any(|s| has_example(&s.text));
        has == manifest.text.contains("doctest = false")
    });
    none(
        "a library says `doctest = false` unless its documentation has an example",
        wrong.map(|m| m.path.clone()).collect(),
    );
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let sources = rust();
    let open = lines(&sources, |s, line| {
        !UNSAFE.contains(&s.room()) && (line.contains("unsafe_code") || has_word(line, "unsafe"))
    });
    none(
        "`unsafe` lives in kernels, page_color, preload, routines, conditions, probes and sim",
        open,
    );
}

#[test]
fn only_one_file_prints() {
    const MACROS: [&str; 5] = ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!("];
    let printing = lines(&rust(), |s, line| {
        let handles = ["stdout()", "stderr()"];
        let writes = s.room() != "cli" && handles.iter().any(|handle| line.contains(handle));
        MACROS.iter().any(|print| line.contains(print)) || writes
    });
    none("cli/src/output.rs prints, and nothing else", printing);
}

#[test]
fn stats_touches_nothing_but_its_arguments() {
    const OUTSIDE: [&str; 7] = [
        "std::time",
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "Instant",
    ];
    let reads = lines(&rust(), |s, line| {
        s.room() == "stats" && OUTSIDE.iter().any(|path| line.contains(path))
    });
    none(
        "stats never reads a clock, a file or the environment",
        reads,
    );
}

#[test]
fn only_model_is_serialised() {
    let derived = lines(&rust(), |s, line| {
        let derives = has_word(line, "Serialize") || has_word(line, "Deserialize");
        derives && s.room() != "model" && !SERIALIZED_ELSEWHERE.contains(&s.path.as_str())
    });
    none("types that are serialised live in model", derived);
}

#[test]
fn report_never_looks_at_the_host() {
    let looks = lines(&rust(), |s, line| {
        let outside = [
            "std::fs",
            "std::env",
            "std::process",
            "rustix",
            "whyslow_host",
        ];
        s.room() == "report" && outside.iter().any(|path| line.contains(path))
    });
    none(
        "report reads records, comparisons and explanations only",
        looks,
    );
}

#[test]
fn nothing_is_left_to_do() {
    // In pieces, so that this file does not break its own rule.
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
    ];
    // What other tools printed is theirs to word.
    let theirs = |path: &Path| {
        let text = path.to_string_lossy();
        text.contains("tests/data/") || text.contains("/cases/")
    };
    let ours = |path: &Path| is_text(path) && !theirs(path);
    let texts = read(ours);
    let found = texts.iter().flat_map(|source| {
        let lines = source.text.lines().enumerate();
        lines
            .filter(|(_, line)| marks.iter().any(|mark| has_word(line, mark)))
            .map(|(at, _)| format!("{}:{}", source.path, at + 1))
    });
    none(
        "what is left to do is an issue, not a comment",
        found.collect(),
    );
}

/// Files that people write.
fn is_text(path: &Path) -> bool {
    let kinds = ["rs", "toml", "md", "json", "sh", "txt"];
    let kind = path.extension().and_then(|e| e.to_str());
    kind.is_some_and(|kind| kinds.contains(&kind)) || path.ends_with(".ci/run")
}

#[test]
fn no_path_of_one_machine() {
    // In pieces, as above. These are where people's checkouts lie; a bare folder for
    // examples, such as that of `me`, is none.
    let roots = [
        concat!("/wo", "rk/"),
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("/ro", "ot/"),
    ];
    let published = |path: &Path| {
        let mut parts = path.components();
        parts.any(|c| c.as_os_str() == "data" || c.as_os_str() == "cases")
    };
    let sources = read(|path| is_text(path) && !published(path));
    let found = sources.iter().flat_map(|source| {
        let lines = source.text.lines().enumerate();
        lines
            .filter(|(_, line)| roots.iter().any(|root| mentions(line, root)))
            .map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim()))
    });
    none(
        "the repository can be checked out anywhere",
        found.collect(),
    );
}

/// Does `line` name a path that begins with `root`?
fn mentions(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let example = line[at + root.len()..].starts_with("me\"");
        !example && !before.is_some_and(|c| c.is_alphanumeric() || "._-*}".contains(c))
    })
}
