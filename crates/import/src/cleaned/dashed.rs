//! Columns that dashes part, `  1 -  57 cycles(tsc) 14.500 ns - 64 cycles(tsc) 16.121 ns`, below `bulk- before - after`.

use std::borrow::Cow;

use super::line_end;

/// Fewer rows in a row may be ranges.
const FEWEST: usize = 3;

/// Columns of a row: the size, and two sides.
const COLUMNS: usize = 3;

/// `whole` with bars in place of such dashes.
pub(crate) fn barred(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains(" - ") {
        return whole;
    }
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let mut made: Vec<Cow<str>> = lines.iter().map(|line| Cow::Borrowed(*line)).collect();
    let mut changed = false;
    let mut at = 0;
    while at < lines.len() {
        let rows: Vec<Vec<&str>> = lines[at..].iter().map_while(|line| row(line)).collect();
        if rows.len() >= FEWEST {
            changed = true;
            for (line, row) in rows.iter().enumerate() {
                made[at + line] = Cow::Owned(drawn(row));
            }
            let width = rows.iter().map(Vec::len).max().unwrap_or(0);
            if let Some(above) = at.checked_sub(1)
                && let Some(names) = header(lines[above], width)
            {
                made[above] = Cow::Owned(drawn(&names));
            }
        }
        at += rows.len().max(1);
    }
    match changed {
        true => Cow::Owned(made.join(end)),
        false => whole,
    }
}

fn drawn(cells: &[&str]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// The cells of a row: a whole number, then figures.
fn row(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.split(" - ").map(str::trim).collect();
    let (size, rest) = cells.split_first()?;
    let whole = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
    let figure = |cell: &&str| {
        let first = cell.split_whitespace().next().unwrap_or_default();
        first.parse::<f64>().is_ok() && cell.contains(char::is_alphabetic)
    };
    let sides = rest.iter().filter(|cell| figure(cell)).count();
    (whole && sides + 1 >= COLUMNS).then_some(cells)
}

/// The names above them.
fn header(line: &str, width: usize) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split("- ").map(str::trim).collect();
    let begins = line.trim_start().starts_with(char::is_alphabetic);
    (begins && (COLUMNS..=width).contains(&names.len())).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::barred;

    #[test]
    fn dashes_between_figures_are_bars() {
        let of = |text: &str| barred(text.into()).into_owned();
        assert_eq!(
            of(
                "bulk- before-this  - after\n  1 -  5 ns - 6 ns - better 2%\n 2 - 7 ns - 8 ns\n 4 - 9 ns - 9 ns\nend"
            ),
            "| bulk | before-this | after |\n| 1 | 5 ns | 6 ns | better 2% |\n| 2 | 7 ns | 8 ns |\n| 4 | 9 ns | 9 ns |\nend"
        );
        for kept in [
            "1 - 5 ns - 6 ns\n2 - 7 ns - 8 ns\n",
            "1 - 5\n2 - 6\n3 - 7\n",
            "a - 5 ns - 6 ns\nb - 5 ns - 6 ns\nc - 5 ns - 6 ns\n",
        ] {
            assert_eq!(of(kept), kept);
        }
    }
}
