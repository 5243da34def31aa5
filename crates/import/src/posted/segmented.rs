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
    // Words that end a name of a change: `change`, `change vs AFP`.
    let found = known.then(|| parted(&words, &columns))??;
    Some(found.1)
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

/// The words of each column, and how many words the amounts have; none where two ways are as good.
fn parted(words: &[&str], columns: &[bool]) -> Option<(usize, Vec<String>)> {
    let Some((change, rest)) = columns.split_first() else {
        return words.is_empty().then(|| (0, Vec::new()));
    };
    let most = words.len().checked_sub(rest.len())?;
    let mut best: Option<(usize, Vec<String>)> = None;
    let mut ties = false;
    for count in 1..=most {
        let name = words[..count].join(" ");
        // A change is named by its first word, an amount has no such word in its name.
        let first = is_derived(words[0]);
        let any = words[..count].iter().any(|word| is_derived(word));
        if if *change { !first } else { any } {
            continue;
        }
        let Some((others, mut names)) = parted(&words[count..], rest) else {
            continue;
        };
        let own = others + if *change { 0 } else { count };
        names.insert(0, name);
        match &best {
            Some((least, _)) if own > *least => {}
            Some((least, _)) if own == *least => ties = true,
            _ => {
                best = Some((own, names));
                ties = false;
            }
        }
    }
    best.filter(|_| !ties)
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
        let (_, names) = parted(&words, &columns).unwrap();
        assert_eq!(
            names,
            ["AFP", "NFS", "change vs AFP", "SMB", "change vs AFP"]
        );
        // Which of the words is of which amount is not known.
        let words: Vec<&str> = "old new kernel change".split(' ').collect();
        assert!(parted(&words, &[false, false, true]).is_none());
    }
}
