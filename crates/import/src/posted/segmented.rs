//! Names of columns in a line of words that single spaces part, where columns of changes tell which words belong together:
//! `AFP NFS change vs AFP SMB change vs AFP` over `57.37 25.02 -90.57% 36.71 -24.00%`.

use super::Group;
use super::names::is_derived;
use crate::amount::{Cell, cell};

/// More words than these are a sentence.
const MOST: usize = 24;

/// The names over the rows of a group, all of which have amounts and changes in the same places; none where the words can be
/// parted in no way, or in none that has fewer words for the amounts than all others.
pub(super) fn names(line: &str, group: &Group) -> Option<Vec<String>> {
    let line = line.trim();
    if line.contains(['|', '\t', ',', ';', '(', '±', '+']) || line.contains("  ") {
        return None;
    }
    let words: Vec<&str> = line.split(' ').collect();
    let columns = columns(group)?;
    let known = columns.contains(&true) && words.len() > columns.len() && words.len() <= MOST;
    known.then(|| parted(&words, &columns))?
}

/// Of each column, whether it has changes alone.
fn columns(group: &Group) -> Option<Vec<bool>> {
    let of = |cells: &[&str]| -> Option<Vec<bool>> {
        let kinds = cells.iter().map(|text| match cell(text) {
            Cell::Amount(..) => Some(false),
            Cell::Change => Some(true),
            _ => None,
        });
        kinds.collect()
    };
    let mut rows = group.rows.iter().map(|(_, row)| of(&row.cells));
    let first = rows.next()??;
    rows.all(|row| row.as_ref() == Some(&first))
        .then_some(first)
}

/// The best way to part what follows: how many words the amounts have, how many the next column has, and whether another
/// way is as good.
type Best = Option<(usize, usize, bool)>;

/// The words of each column, with as few for the amounts as may be; none where two ways are as good.
fn parted(words: &[&str], columns: &[bool]) -> Option<Vec<String>> {
    // Of the words from a place on, for the columns from one on; none of both is parted.
    let mut best: Vec<Vec<Best>> = vec![vec![None; columns.len() + 1]; words.len() + 1];
    best[words.len()][columns.len()] = Some((0, 0, false));
    for (column, change) in columns.iter().enumerate().rev() {
        for from in 0..words.len() {
            for count in 1..=words.len() - from {
                // A change is named by its first word, an amount has no such word in its name.
                let fits = match change {
                    true => is_derived(words[from]),
                    false => !is_derived(words[from + count - 1]),
                };
                if !fits {
                    break;
                }
                let Some((others, _, tied)) = best[from + count][column + 1] else {
                    continue;
                };
                let own = others + if *change { 0 } else { count };
                best[from][column] = match best[from][column] {
                    Some((least, next, _)) if own == least => Some((least, next, true)),
                    Some(known) if own > known.0 => Some(known),
                    _ => Some((own, count, tied)),
                };
            }
        }
    }
    let mut names = Vec::with_capacity(columns.len());
    let mut from = 0;
    for (column, _) in columns.iter().enumerate() {
        let (_, count, tied) = best[from][column]?;
        if tied {
            return None;
        }
        names.push(words[from..from + count].join(" "));
        from += count;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tell_which_words_are_one_name() {
        let columns = [false, false, true, false, true];
        let words: Vec<&str> = "AFP NFS change vs AFP SMB change vs AFP"
            .split(' ')
            .collect();
        let names = parted(&words, &columns).unwrap();
        assert_eq!(
            names,
            ["AFP", "NFS", "change vs AFP", "SMB", "change vs AFP"]
        );
        // Which of the words is of which amount is not known.
        let words: Vec<&str> = "old new kernel change".split(' ').collect();
        assert!(parted(&words, &[false, false, true]).is_none());
    }
}
