//! pyperf: means of benchmarks, also of several files beside each other.

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::number::number_in_front;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "pyperf",
    what: "pyperf (Mean +- std dev: [before] 154 ms +- 3 ms -> [after] 156 ms +- 3 ms)",
    repeats: "means of pyperf",
    silent: "the machine, or how the interpreters were built",
    roles: &[("pyperf.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| means(line).is_some()),
    known: &[
        "Not significant!",
        "Geometric mean",
        "Benchmark hidden",
        "Number of logical CPUs",
        "Start date:",
        "End date:",
        "Report on",
    ],
    read,
};

const BEGIN: &str = "Mean +- std dev:";

fn looks(text: &Text) -> usize {
    marks(text, |line| means(line).is_some()) * 10
}

/// A mean with its unit and whose it is, empty where the line does not say.
type Mean<'a> = (&'a str, f64, &'a str);

/// The name in front, where there is one, and the means of a line: `json: Mean +- std dev: 154 ms +- 3 ms`.
fn means(line: &str) -> Option<(&str, Vec<Mean<'_>>)> {
    let at = line.find(BEGIN)?;
    let name = line[..at].trim().trim_end_matches(':');
    let parts = line[at + BEGIN.len()..].split(" -> ");
    let of = |part| -> Option<Mean> {
        let part: &str = str::trim(part);
        let (system, rest) = match part.strip_prefix('[').and_then(|r| r.split_once(']')) {
            Some((system, rest)) => (system, rest),
            None => ("", part),
        };
        let (value, rest) = number_in_front(rest)?;
        let unit = rest.split_whitespace().next()?;
        rest.contains("+-").then_some((system, value, unit))
    };
    let found: Option<Vec<Mean>> = parts.map(of).collect();
    Some((name, found?))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut heading = "";
    let mut above = "";
    for (number, line) in text.lines() {
        let bare = line.trim();
        // A name with a line below it is of the means that follow.
        if !bare.is_empty() && bare.chars().all(|c| c == '=') {
            heading = above;
        }
        above = bare;
        if let Some(name) = bare.strip_prefix("###") {
            sheet.aside(number);
            heading = name.trim_matches(['#', ' ']);
        }
        if after(bare, "Not significant").is_some() {
            sheet.aside(number);
        }
        let Some((name, means)) = means(line) else {
            continue;
        };
        let name = match (name, heading) {
            ("", "") => "mean",
            ("", heading) => heading,
            (name, _) => name,
        };
        let several = means.len() > 1;
        for (at, (system, value, unit)) in means.into_iter().enumerate() {
            let system = match (system, several, at) {
                ("", true, 0) => "first of each pair",
                ("", true, _) => "second of each pair",
                (system, ..) => system,
            };
            let row = Row::new("pyperf", name, unit, Lower);
            // The file that others are compared with stands in every line again.
            sheet.add_once(system, row, value, number, 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mean_or_two() {
        let line = "Mean +- std dev: [a] 154 ms +- 3 ms -> [b-2] 1.56 sec +- 3 ms: 1.01x slower";
        let both = vec![("a", 154.0, "ms"), ("b-2", 1.56, "sec")];
        assert_eq!(means(line), Some(("", both)));
        let line = "json_loads: Mean +- std dev: 21.5 us +- 0.4 us";
        assert_eq!(means(line), Some(("json_loads", vec![("", 21.5, "us")])));
        assert_eq!(means("Mean +- std dev: none"), None);
    }
}
