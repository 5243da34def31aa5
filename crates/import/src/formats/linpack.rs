//! Intel's LINPACK for shared memory: time and rate of each size.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "linpack",
    what: "Intel's LINPACK (Size LDA Align. Time(s) GFlops Residual, Average Maximal)",
    repeats: "runs of LINPACK",
    silent: "the machine, its clock, or the memory",
    roles: &[("linpack.", "", Roles::All(Role::ScalingCompute))],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &[
        "Number of",
        "Parameters are",
        "Maximum memory",
        "Current date",
        "CPU frequency",
        "Data alignment",
        "Leading dimension",
        "Sample data file",
        "Performance Summary",
        "Intel(R)",
        "Residual checks",
        "End of tests",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 10
}

/// Which of its tables a header begins: the one of single runs, or that of means.
fn header(line: &str) -> Option<bool> {
    let own = holds(line, "Size") && holds(line, "LDA") && holds(line, "Align");
    let means = holds(line, "Average") && holds(line, "Maximal");
    let runs = holds(line, "GFlops") && holds(line, "Time");
    (own && (means || runs)).then_some(means)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let has_runs = text.lines().any(|(_, line)| header(line) == Some(false));
    let mut means: Option<bool> = None;
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            means = Some(found);
            continue;
        }
        let Some(means) = means else { continue };
        let words: Vec<&str> = line.split_whitespace().collect();
        let [size, lda, align, first, second, ..] = words[..] else {
            continue;
        };
        let whole = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        let figures = plain(first).zip(plain(second));
        let Some((first, second)) = figures.filter(|_| [size, lda, align].iter().all(|w| whole(w)))
        else {
            continue;
        };
        let row = |what: &str, unit: &str, better| {
            let row = Row::new("linpack", what, unit, better);
            row.titled(&format!("{size} {what}")).with("size", size)
        };
        match (means, has_runs) {
            // The means are of the runs that are there.
            (true, true) => sheet.aside(number),
            (true, false) => {
                sheet.add("", row("Average", "GFlops", Higher), first, number)?;
                sheet.add("", row("Maximal", "GFlops", Higher), second, number)?;
            }
            (false, _) => {
                sheet.add("", row("GFlops", "GFlops", Higher), second, number)?;
                sheet.add("", row("Time", "s", Lower), first, number)?;
            }
        }
    }
    Ok(())
}
