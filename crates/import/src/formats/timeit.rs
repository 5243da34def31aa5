//! timeit of Python, PyPy and IPython: the time of a loop.

use std::collections::BTreeSet;

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::direction::of_unit;
use crate::number::number_in_front;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "timeit",
    what: "timeit of Python and IPython (5 loops, best of 5: 46.2 msec per loop)",
    repeats: "runs of timeit",
    silent: "machine, or which build of the interpreter",
    roles: &[("timeit.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| result(line).is_some()),
    known: &[
        "raw times",
        "The slowest run took",
        "mean ±",
        "WARNING: timeit",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| result(line).is_some()) * 5
}

/// `5 loops, best of 5: 46.2 msec per loop`, PyPy's `5 loops, average of 7: 46 +- 1.56 msec (using standard deviation)`,
/// IPython's `46.2 ms ± 1.56 ms per loop (mean ± std. dev. of 7 runs, 10 loops each)`: the time and its unit.
fn result(line: &str) -> Option<(f64, &str)> {
    let line = line.trim();
    let told = match line.split_once(": ") {
        Some((loops, told)) => {
            let mut words = loops.split([' ', ',']).filter(|word| !word.is_empty());
            let counted = words.next()?.parse::<u64>().is_ok();
            let named = matches!(words.next()?, "loop" | "loops");
            let kind = matches!(words.next()?, "best" | "average");
            (counted && named && kind).then_some(told)?
        }
        None => line.contains(" per loop (mean ").then_some(line)?,
    };
    let (value, rest) = number_in_front(told)?;
    // The spread may stand in front of the unit.
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix("+- ").or_else(|| rest.strip_prefix("± ")) {
        Some(spread) => number_in_front(spread)?.1.trim_start(),
        None => rest,
    };
    let unit = rest.split_whitespace().next()?;
    (value > 0.0 && of_unit(unit) == Some(Lower)).then_some((value, unit))
}

/// The interpreter and what it timed, of `$ python3 -m timeit -s 'a' 'b'` or `In [3]: %timeit f(x)`.
fn timed(line: &str) -> Option<(&str, &str)> {
    let (front, statement) = line.trim().split_once("timeit ")?;
    let module = front.trim_end().ends_with("-m");
    (module || front.ends_with('%')).then_some(())?;
    let front = front.trim_end_matches(['%', ' ']);
    let (interpreter, _) = front.split_once(" -m").unwrap_or((front, ""));
    let name = interpreter.rsplit(['$', '#', '/', ' ']).next();
    // Which of its inputs it was says nothing: `In [3]:`.
    let name = name.filter(|_| !interpreter.ends_with(':'));
    Some((name.unwrap_or_default(), statement.trim()))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let all = || text.lines().filter_map(|(_, line)| timed(line));
    let statements: BTreeSet<&str> = all().map(|(_, statement)| statement).collect();
    let interpreters: BTreeSet<&str> = all().map(|(interpreter, _)| interpreter).collect();
    let mut now = String::new();
    for (number, line) in text.lines() {
        if let Some((value, unit)) = result(line) {
            let row = Row::new("timeit", "per loop", unit, Lower);
            let row = match now.as_str() {
                "" => row,
                command => row.with("command", command).titled(command),
            };
            sheet.add("", row, value, number)?;
        } else if let Some((interpreter, statement)) = timed(line) {
            sheet.aside(number);
            // What all lines say tells none apart.
            let own = [
                (interpreter, interpreters.len()),
                (statement, statements.len()),
            ];
            let own = own.iter().filter(|(_, several)| *several > 1);
            now = own.map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind() {
        for (line, found) in [
            (
                "5 loops, best of 5: 46.2 msec per loop",
                Some((46.2, "msec")),
            ),
            (
                "1000000 loops, best of 3: 0.281 usec per loop",
                Some((0.281, "usec")),
            ),
            (
                "5 loops, average of 7: 46 +- 1.56 msec (using standard deviation)",
                Some((46.0, "msec")),
            ),
            (
                "46.2 ms ± 1.56 ms per loop (mean ± std. dev. of 7 runs, 10 loops each)",
                Some((46.2, "ms")),
            ),
            ("3 runs, best of 5: 1.5 sec", None),
            ("for loops: 1.5 sec", None),
        ] {
            assert_eq!(result(line), found, "{line}");
        }
        assert_eq!(
            timed("me@box:~$ python3.12 -m timeit -n 5 'x'"),
            Some(("python3.12", "-n 5 'x'"))
        );
        assert_eq!(timed("In [3]: %timeit f(x)"), Some(("", "f(x)")));
        assert_eq!(timed("WARNING: timeit is very unreliable"), None);
    }
}
