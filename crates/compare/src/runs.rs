//! Systems that are runs of one side, as tables name them: one by one (`old-0, old-1`), from the first to the last
//! (`old-0 to old-4`), or by what their names have in common (`old`).

use whyslow_model::Record;
use whyslow_model::text::words;

use crate::names::system_of;

/// The runs that `part` means, as one record; nothing where it does not mean several systems.
pub(crate) fn runs(records: &[Record], part: &str) -> Option<Record> {
    let found = listed(records, part)
        .or_else(|| ranged(records, part))
        .or_else(|| numbered(records, part))?;
    let found: Vec<&Record> = found.into_iter().map(|at| &records[at]).collect();
    merged(&found, part)
}

/// The one system that is called exactly so.
fn exact(records: &[Record], name: &str) -> Option<usize> {
    let wanted = words(name);
    let mut found = (0..records.len()).filter(|at| words(system_of(&records[*at])) == wanted);
    found
        .next()
        .filter(|_| !wanted.is_empty() && found.next().is_none())
}

/// `old-0, old-1 and old-2`.
fn listed(records: &[Record], part: &str) -> Option<Vec<usize>> {
    let pieces = part
        .split([',', ';', '&'])
        .flat_map(|piece| piece.split(" and "));
    let pieces: Vec<&str> = pieces.map(str::trim).filter(|p| !p.is_empty()).collect();
    let found: Option<Vec<usize>> = pieces.iter().map(|name| exact(records, name)).collect();
    distinct(found?)
}

/// `old-0 to old-4`: the two and what stands between them, where all have one name but for their numbers.
fn ranged(records: &[Record], part: &str) -> Option<Vec<usize>> {
    const SIGNS: [&str; 6] = [" to ", " through ", " until ", "..", "…", " - "];
    let (first, last) = SIGNS.iter().find_map(|sign| part.split_once(sign))?;
    let (first, last) = (exact(records, first)?, exact(records, last)?);
    let name = stem(system_of(&records[first]));
    let found = (first..=last).filter(|at| stem(system_of(&records[*at])) == name);
    let found: Vec<usize> = found.collect();
    distinct(found).filter(|found| found.last() == Some(&last))
}

/// `old`, of which there are `old-0`, `old-1` and so on: numbers that count and are no setting.
fn numbered(records: &[Record], part: &str) -> Option<Vec<usize>> {
    // `old-` too.
    let part = part.trim().trim_end_matches(['-', '_', '#', '/']);
    if part.is_empty() || words(part).iter().any(|word| is_setting(word)) {
        return None;
    }
    // What all systems are called beside that, `new-1 Linux 2.4.10`, says nothing.
    let everyone = |word: &String| {
        let has = |record: &Record| words(system_of(record)).contains(word);
        word.parse::<u32>().is_err() && records.iter().all(has)
    };
    let number = |record: &Record| -> Option<Vec<u32>> {
        let name = system_of(record);
        let rest = name
            .get(..part.len())
            .filter(|front| front.eq_ignore_ascii_case(part));
        let rest = rest.map(|front| &name[front.len()..])?;
        let sign = rest.starts_with(['-', '_', ' ', '#', '(', '/']);
        let numbers = words(&rest.replace('_', " "));
        let numbers = numbers
            .iter()
            .filter(|word| *word != "run" && !everyone(word));
        let numbers: Option<Vec<u32>> = numbers.map(|word| word.parse().ok()).collect();
        numbers.filter(|numbers| sign && !numbers.is_empty())
    };
    let found: Vec<(usize, Vec<u32>)> = records
        .iter()
        .enumerate()
        .filter_map(|(at, record)| Some((at, number(record)?)))
        .collect();
    let (_, first) = found.first()?;
    // One of the numbers counts from 0 or 1, the others stay.
    let counts = (0..first.len()).any(|place| {
        let start = first[place];
        start <= 1
            && found.iter().zip(start..).all(|((_, own), count)| {
                let stays = |(at, number): (usize, &u32)| {
                    *number == if at == place { count } else { first[at] }
                };
                own.len() == first.len() && own.iter().enumerate().all(stays)
            })
    });
    distinct(found.into_iter().map(|(at, _)| at).collect()).filter(|_| counts)
}

/// Is the number behind the word a setting, which runs have in common?
fn is_setting(word: &str) -> bool {
    const SETTINGS: [&str; 14] = [
        "thread", "process", "client", "task", "cpu", "core", "node", "copy", "copies", "job",
        "group", "size", "load", "worker",
    ];
    SETTINGS.iter().any(|setting| word.starts_with(setting))
}

/// A name without its numbers.
fn stem(name: &str) -> String {
    let bare: String = name.chars().filter(|c| !c.is_ascii_digit()).collect();
    words(&bare).join(" ")
}

/// Several systems, each once.
fn distinct(found: Vec<usize>) -> Option<Vec<usize>> {
    let mut sorted = found.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (found.len() > 1 && sorted.len() == found.len()).then_some(found)
}

/// The records as one, each behind the rounds of those before.
fn merged(records: &[&Record], name: &str) -> Option<Record> {
    let (first, rest) = records.split_first()?;
    let mut made = (*first).clone();
    if let Some(origin) = &mut made.origin {
        name.trim().clone_into(&mut origin.system);
    }
    for record in rest {
        let before = made.plan.rounds;
        for planned in &record.plan.points {
            if !made.plan.points.iter().any(|p| p.point == planned.point) {
                made.plan.points.push(planned.clone());
            }
        }
        made.processes
            .extend(record.processes.iter().cloned().map(|mut process| {
                process.round += before;
                process
            }));
        made.plan.rounds += record.plan.rounds;
        made.header.rounds += record.header.rounds;
    }
    Some(made)
}

#[cfg(test)]
mod tests {
    use whyslow_import::import;

    use super::*;

    fn systems(names: &[&str]) -> Vec<Record> {
        let of = |(name, at): (&&str, i32)| {
            let page = format!("Pipe: {at}.5 us\n");
            let mut record = import(page.as_bytes(), "x", None)
                .unwrap()
                .systems
                .remove(0);
            record.origin.as_mut().unwrap().system = (*name).to_owned();
            record
        };
        names.iter().zip(1..).map(of).collect()
    }

    fn values(record: &Record) -> Vec<f64> {
        use whyslow_model::record::Outcome;
        let first = |outcome: &Outcome| match outcome {
            Outcome::Draws(draws) => draws[0].series[0].ns[0],
            Outcome::Failed(_) => f64::NAN,
        };
        record.processes.iter().map(|p| first(&p.outcome)).collect()
    }

    #[test]
    fn runs_are_named_one_by_one_or_together() {
        let of = systems(&["old-0", "old-1", "old-2", "new-0", "new-1", "new-2"]);
        for part in [
            "old-0, old-1, old-2",
            "old-0 to old-2",
            "old",
            "old-",
            "old-0..old-2",
        ] {
            let found = runs(&of, part).unwrap();
            assert_eq!(values(&found), [1.5, 2.5, 3.5], "{part}");
        }
        for part in ["old-0", "old-0, fast-1", "old-0 to new-2", "", "ol"] {
            assert!(runs(&of, part).is_none(), "{part}");
        }
        let of = systems(&["Base run 1", "Base run 2", "Patch run 1", "Patch run 2"]);
        assert_eq!(values(&runs(&of, "patch").unwrap()), [3.5, 4.5]);
        let of = systems(&["6.1 (0)", "6.1 (1)", "6.1.2 (0)"]);
        assert_eq!(values(&runs(&of, "6.1").unwrap()), [1.5, 2.5]);
        let of = systems(&["old-1 X 2.4.1", "old-2 X 2.4.1", "new-1 X 2.4.1"]);
        assert_eq!(values(&runs(&of, "old-").unwrap()), [1.5, 2.5]);
        // What counts threads, or does not count, is no run.
        let of = systems(&["threads-1", "threads-2", "rev-7", "rev-9"]);
        assert!(runs(&of, "threads").is_none() && runs(&of, "rev").is_none());
    }
}
