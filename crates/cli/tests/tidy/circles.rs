//! Modules of a crate use each other in one direction.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{Source, none, rust};

/// The module that a file is, by its path below `src`: `causes/numa.rs` is `causes::numa`.
fn module(source: &Source) -> Option<(String, String)> {
    let rest = source.path.strip_prefix("crates/")?;
    let (room, file) = rest.split_once("/src/")?;
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let module = match module {
        "lib" | "main" => String::new(),
        other => other.replace('/', "::"),
    };
    Some((room.to_owned(), module))
}

/// Paths that a file imports from its own crate, without what they name last.
fn imports(source: &Source, own: &str) -> Vec<String> {
    let code: String = source.code().map(|(_, line)| format!("{line}\n")).collect();
    let mut found = Vec::new();
    for start in ["use crate::", "use super::", "pub use self::"] {
        for (at, _) in code.match_indices(start) {
            let end = code[at..].find(';').map_or(code.len(), |e| at + e);
            let path = &code[at + start.len()..end];
            let base = match start {
                "use super::" => own.rsplit_once("::").map_or("", |(up, _)| up).to_owned(),
                _ => String::new(),
            };
            for item in expand(path) {
                let full = if base.is_empty() {
                    item
                } else {
                    format!("{base}::{item}")
                };
                found.push(full);
            }
        }
    }
    found
}

/// `a::{b, c::d}` to `a::b` and `a::c::d`.
fn expand(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else {
        let plain = path.split(" as ").next().unwrap_or(path);
        return vec![plain.trim().to_owned()];
    };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut items, mut depth, mut item) = (Vec::new(), 0, String::new());
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(c);
    }
    items.push(item);
    let items = items.iter().map(|i| i.trim()).filter(|i| !i.is_empty());
    items
        .flat_map(|item| {
            expand(item)
                .into_iter()
                .map(|i| format!("{}{i}", before.trim()))
        })
        .collect()
}

/// Who uses whom among the modules directly below the root of a crate, or below one module.
fn uses(sources: &[Source], room: &str) -> BTreeMap<String, BTreeSet<String>> {
    let of_room = sources.iter().filter(|s| s.is_product());
    let modules: BTreeMap<String, &Source> = of_room
        .filter_map(|s| module(s).filter(|(r, _)| r == room).map(|(_, m)| (m, s)))
        .collect();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (own, source) in &modules {
        for path in imports(source, own) {
            // The longest module that the path begins with; the root lends names and is no module.
            let mut target = path.as_str();
            let found = loop {
                if modules.contains_key(target) && !target.is_empty() {
                    break Some(target);
                }
                match target.rsplit_once("::") {
                    Some((shorter, _)) => target = shorter,
                    None => break None,
                }
            };
            let Some(target) = found else { continue };
            // A module and what is below it are one: the parent hands out what its parts do.
            let kin = own == target
                || own.starts_with(&format!("{target}::"))
                || target.starts_with(&format!("{own}::"));
            if !kin && !own.is_empty() {
                graph
                    .entry(own.clone())
                    .or_default()
                    .insert(target.to_owned());
            }
        }
    }
    graph
}

/// Circles: for each module that reaches itself, the shortest way back.
fn circles(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for start in graph.keys() {
        let mut ways = vec![vec![start.clone()]];
        let mut seen = BTreeSet::new();
        'search: while let Some(way) = (!ways.is_empty()).then(|| ways.remove(0)) {
            let last = way.last().cloned().unwrap_or_default();
            for next in graph.get(&last).into_iter().flatten() {
                if next == start {
                    let mut circle = way.clone();
                    let least = (0..circle.len()).min_by_key(|&i| circle[i].clone());
                    circle.rotate_left(least.unwrap_or(0));
                    found.insert(circle);
                    break 'search;
                }
                if seen.insert(next.clone()) {
                    let mut longer = way.clone();
                    longer.push(next.clone());
                    ways.push(longer);
                }
            }
        }
    }
    found
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let sources = rust();
    let rooms: BTreeSet<String> = sources
        .iter()
        .filter_map(|s| module(s).map(|(room, _)| room))
        .collect();
    let mut offences = Vec::new();
    for room in rooms {
        for circle in circles(&uses(&sources, &room)) {
            offences.push(format!("{room}: {} -> {}", circle.join(" -> "), circle[0]));
        }
    }
    none(
        "two modules that need each other share what both need in a third, or are one",
        offences,
    );
}

#[test]
fn circles_are_found() {
    let graph = |pairs: &[(&str, &str)]| {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (a, b) in pairs {
            graph.entry((*a).into()).or_default().insert((*b).into());
        }
        graph
    };
    assert!(circles(&graph(&[("a", "b"), ("b", "c")])).is_empty());
    assert_eq!(
        circles(&graph(&[("a", "b"), ("b", "c"), ("c", "a")])).len(),
        1
    );
    assert_eq!(expand("a::{b, c::{d, e}}"), ["a::b", "a::c::d", "a::c::e"]);
}
