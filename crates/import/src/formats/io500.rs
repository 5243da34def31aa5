//! IO500: the rate and the time of each phase, and the scores.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::number_in_front;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "io500",
    what: "IO500 ([RESULT]  ior-easy-write  1.23 GiB/s : time 301.2 seconds, [SCORE ])",
    repeats: "runs of IO500",
    silent: "the file system, its servers, or how many processes there were",
    roles: &[
        ("io500.find", "", Roles::All(Role::FileMetadata)),
        ("io500.mdtest", "_stat", Roles::All(Role::FileMetadata)),
        ("io500.mdtest", "_read", Roles::All(Role::FileMetadata)),
        ("io500.md", "", Roles::All(Role::FileCreate)),
        ("io500.score_iops", "", Roles::All(Role::FileCreate)),
        ("io500.", "", Roles::All(Role::FileDevice)),
    ],
    looks,
    part: Some(|line| result(line).is_some() || score(line).is_some()),
    known: &[
        "IO500 version",
        "ERROR INVALID",
        "WARNING",
        "[Starting]",
        "[Exec]",
        "[      ]",
        "result files are stored",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| result(line).is_some() || score(line).is_some()) * 5
}

/// What stands behind the mark of a line, `[RESULT]`, `[RESULT-invalid]`, `[SCORE ]`, `[SCOREX]`, and whether the tool
/// calls it invalid.
fn marked<'a>(line: &'a str, kind: &str) -> Option<(&'a str, bool)> {
    let (mark, rest) = line.trim().strip_prefix('[')?.split_once(']')?;
    mark.starts_with(kind)
        .then_some((rest, holds(line, "invalid")))
}

/// The line of a phase.
#[derive(Debug, PartialEq)]
struct Phase<'a> {
    name: &'a str,
    rate: (f64, &'a str),
    /// How long it took, in s.
    time: f64,
    invalid: bool,
}

/// `[RESULT]  ior-easy-write   1.250125 GiB/s : time 310.250 seconds`, and the older
/// `[RESULT] BW   phase 1   ior_easy_write   3.751 GB/s : time 342.25 seconds`. A phase without a score has an empty mark.
fn result(line: &str) -> Option<Phase<'_>> {
    let scored = marked(line, "RESULT");
    let (rest, invalid) = scored.or_else(|| marked(line, "      "))?;
    let (front, time) = rest.split_once(" : time ")?;
    let words: Vec<&str> = front.split_whitespace().collect();
    let [.., name, rate, unit] = words[..] else {
        return None;
    };
    let (rate, "") = number_in_front(rate)? else {
        return None;
    };
    let (time, behind) = number_in_front(time)?;
    // Phases such as `timestamp` do nothing.
    let works = scored.is_some() || rate > 0.0;
    (works && behind.starts_with("seconds")).then_some(Phase {
        name,
        rate: (rate, unit),
        time,
        invalid,
    })
}

/// A name, its figure and the unit.
type Score<'a> = (&'a str, f64, &'a str);

/// `[SCORE ] Bandwidth 1.5 GiB/s : IOPS 3.25 kiops : TOTAL 2.2`, and whether the tool calls it invalid.
fn score(line: &str) -> Option<(Vec<Score<'_>>, bool)> {
    let (rest, invalid) = marked(line, "SCORE")?;
    let parts = rest.split(" : ").map(|part| {
        let mut words = part.split_whitespace();
        let (name, figure) = (words.next()?, words.next()?);
        let (value, "") = number_in_front(figure)? else {
            return None;
        };
        let unit = words.next().filter(|word| !word.starts_with('['));
        Some((name, value, unit.unwrap_or_default()))
    });
    let parts: Option<Vec<Score>> = parts.collect();
    parts
        .filter(|parts| parts.iter().any(|(name, ..)| *name == "TOTAL"))
        .map(|parts| (parts, invalid))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    let invalid = |sheet: &mut Sheet, name: &str| {
        sheet.note("io500", format!("the tool calls {name} invalid"));
    };
    for (number, line) in text.lines() {
        if commands.at(line) {
            sheet.aside(number);
        } else if let Some(phase) = result(line) {
            if phase.invalid {
                invalid(sheet, phase.name);
            }
            let (rate, unit) = phase.rate;
            let row = Row::new("io500", phase.name, unit, Higher);
            sheet.add("", commands.on(row), rate, number)?;
            let row = Row::new("io500", &format!("{} time", phase.name), "s", Lower);
            sheet.add("", commands.on(row), phase.time, number)?;
        } else if let Some((parts, is_invalid)) = score(line) {
            if is_invalid {
                invalid(sheet, "the score");
            }
            // The score of an extended run is of more phases.
            let title = match line.trim().starts_with("[SCOREX") {
                true => "SCOREX",
                false => "SCORE",
            };
            for (name, value, unit) in parts {
                let row = Row::new("io500", &format!("{title} {name}"), unit, Higher);
                sheet.add("", commands.on(row), value, number)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_generations() {
        let named = |line| result(line).map(|phase| (phase.name, phase.rate, phase.invalid));
        assert_eq!(
            named("[RESULT]       ior-hard-write        3.25 GiB/s : time 301.5 seconds"),
            Some(("ior-hard-write", (3.25, "GiB/s"), false))
        );
        assert_eq!(
            named("[RESULT] IOPS phase 1   mdtest_easy_write   31.5 kiops : time  342.12 seconds"),
            Some(("mdtest_easy_write", (31.5, "kiops"), false))
        );
        assert_eq!(
            named("[RESULT-invalid]  find  0.5 kIOPS : time 0.25 seconds"),
            Some(("find", (0.5, "kIOPS"), true))
        );
        assert_eq!(named("[RESULT] is here : time 3"), None);
        let line = "[SCORE ] Bandwidth 1.5 GiB/s : IOPS 3.25 kiops : TOTAL 2.25 [INVALID]";
        let parts = vec![
            ("Bandwidth", 1.5, "GiB/s"),
            ("IOPS", 3.25, "kiops"),
            ("TOTAL", 2.25, ""),
        ];
        assert_eq!(score(line), Some((parts, true)));
        assert_eq!(score("[SCORE]"), None);
    }
}
