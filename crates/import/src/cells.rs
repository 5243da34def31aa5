//! The cells of one line, whatever parts them.

use crate::grid;
use crate::pattern::wide_cells;

/// The cells of a line: at bars, tabs and gaps, `;`, or `,` between cells without gaps.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    let found: Vec<&str> = if line.contains('|') {
        grid::cells_at(line, grid::Separator::Bar)
    } else if is_padded(line) && is_csv(line) {
        grid::cells_at(line, grid::Separator::Sign(','))
    } else if line.contains('\t') || line.contains("  ") {
        wide_cells(line)
    } else if line.contains(';') {
        grid::cells_at(line, grid::Separator::Sign(';'))
    } else if is_csv(line) {
        grid::cells_at(line, grid::Separator::Sign(','))
    } else {
        vec![line]
    };
    let barred = line.contains(" | ");
    let mut cells: Vec<&str> = Vec::with_capacity(found.len());
    for (at, cell) in found.into_iter().enumerate() {
        // What closes a bracket belongs to the cell before: `863.35 (   0.00%)`. Names between bars may be cut short.
        let open = cells.last().is_some_and(|before| {
            !barred && before.matches('(').count() > before.matches(')').count()
        });
        match cells.last_mut() {
            Some(before) if open && at > 0 => *before = join(line, before, cell),
            _ => cells.push(cell),
        }
    }
    cells
}

/// The part of `line` from the one cell to the end of the other.
fn join<'a>(line: &'a str, first: &'a str, last: &'a str) -> &'a str {
    let place = |part: &str| (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
    let range = place(first)
        .zip(place(last))
        .and_then(|(a, b)| line.get(a..b + last.len()));
    range.unwrap_or(first)
}

/// Do the gaps of a line only fill up cells in front of its commas, or behind them?
fn is_padded(line: &str) -> bool {
    let mut gaps = line.match_indices("  ").map(|(at, _)| line.split_at(at));
    let comma = |(front, behind): (&str, &str)| {
        behind.trim_start().starts_with(',') || front.trim_end().ends_with(',')
    };
    line.contains("  ") && gaps.all(comma)
}

/// Are the commas between cells, and not between groups of digits or parts of a sentence?
fn is_csv(line: &str) -> bool {
    let parts: Vec<&str> = line.split(',').collect();
    let grouped = parts.iter().skip(1).filter(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3 && !part[digits..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
    });
    let sentence = line.contains(", ") && line.ends_with('.');
    // What stands before the only colon is the name of the figure behind it: `time per op, 2 domains: 34.4 ns`.
    let named = line.rfind(", ").zip(line.find(": "));
    let named = named.is_some_and(|(comma, colon)| {
        let figure = line[colon + 1..].trim_start();
        let begins = line.starts_with(char::is_alphabetic);
        begins && colon > comma && figure.starts_with(|c: char| c.is_ascii_digit())
    });
    // Words with a figure behind them are no cell: `lock test, write, 2 pinned threads 1547 ns`.
    let labelled = parts.last().is_some_and(|last| {
        let words: Vec<&str> = last.split_whitespace().collect();
        let unit = words
            .last()
            .is_some_and(|word| !word.contains(|c: char| c.is_ascii_digit()));
        let figure = words.len().checked_sub(2).filter(|_| unit);
        let number = |word: &str| word.parse::<f64>().is_ok();
        let figure = figure.filter(|at| *at > 0 && number(words[*at]));
        let label = figure.is_some_and(|at| words[..at].iter().any(|word| !number(word)));
        let words = |part: &&str| !part.contains(|c: char| c.is_ascii_digit());
        label && last.starts_with(' ') && parts[..parts.len() - 1].iter().all(words)
    });
    parts.len() >= 2 && !sentence && !named && !labelled && grouped.count() < parts.len() - 1
}
