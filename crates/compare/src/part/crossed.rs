//! Parts of a table that crosses sides with quantities: `dev` of `ratio dev`, `ratio exp`, `speed dev` and `speed exp`.

use std::collections::BTreeSet;

use whyslow_model::Record;
use whyslow_model::text::words;

use crate::names::{family, system_of};

/// The systems whose names begin or end with `part`, as one record whose rows are called after the rest of these names;
/// none where it is fewer than two, or all.
pub(super) fn crossed(records: &[Record], part: &str) -> Option<Record> {
    let wanted = words(part);
    if wanted.is_empty() || !part.chars().any(char::is_alphabetic) {
        return None;
    }
    let rest = |record: &Record| -> Option<String> {
        // What stands in brackets at the end says more of the side: `X86 before (linux 3.6-rc4)`.
        let name = system_of(record);
        let bare = name.strip_suffix(')').and_then(|n| n.rsplit_once(" ("));
        let own = words(bare.map_or(name, |(bare, _)| bare));
        let rest = own
            .strip_suffix(&wanted[..])
            .or_else(|| own.strip_prefix(&wanted[..]))?;
        (!rest.is_empty()).then(|| rest.join(" "))
    };
    let found: Vec<(String, &Record)> = records
        .iter()
        .filter_map(|record| Some((rest(record)?, record)))
        .collect();
    let names: BTreeSet<&str> = found.iter().map(|(rest, _)| rest.as_str()).collect();
    let tell = names.len() == found.len() && found.len() > 1 && found.len() < records.len();
    tell.then(|| together(found, part))?
}

/// Several records as one whose points are called after the name of each in front of their own.
pub(super) fn together<'a>(
    parts: impl IntoIterator<Item = (String, &'a Record)>,
    name: &str,
) -> Option<Record> {
    let mut made: Option<Record> = None;
    for (part, record) in parts {
        let target = made.get_or_insert_with(|| super::without_points(record, name.trim()));
        for planned in &record.plan.points {
            let own = planned.title.as_deref();
            let title = match own.filter(|title| *title != "result") {
                Some(title) => format!("{part} {title}"),
                None => part.clone(),
            };
            let mut renamed = planned.clone();
            renamed.point.probe = format!("{}.{}", family(&planned.point), words(&title).join("_"));
            renamed.title = Some(title);
            let own = record.processes.iter().filter(|p| p.point == planned.point);
            target.processes.extend(own.cloned().map(|mut process| {
                process.point = renamed.point.clone();
                process
            }));
            target.plan.points.push(renamed);
        }
        target.plan.rounds = target.plan.rounds.max(record.plan.rounds);
    }
    made
}
