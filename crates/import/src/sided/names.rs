//! What the two sides are called, and what on a page is one of these names.

use whyslow_model::text::words;

use super::words_of;
use crate::Text;
use crate::cells::cells;
use crate::headed::is_within;

/// What the two sides are called.
pub(super) struct Names(pub(super) [String; 2]);

impl Names {
    /// Is there no other side?
    pub(super) fn is_one(&self) -> bool {
        self.0[1] == "\u{0}"
    }

    /// How well `text` names the side: 5 for the same text, 4 for the same words, 3 where it begins with them, 2 where it
    /// has them in a run, 1 where it has them all.
    pub(super) fn fit(&self, side: usize, text: &str) -> u8 {
        let (own, wanted) = (words(text), words(&self.0[side]));
        if !wanted.is_empty() && is_same(text, &self.0[side]) {
            return 5;
        }
        if wanted.is_empty() {
            // `+` and `-` are names too.
            return u8::from(text.trim() == self.0[side].trim()) * 4;
        }
        match own.windows(wanted.len()).position(|run| *run == wanted[..]) {
            Some(0) if own.len() == wanted.len() => 4,
            Some(0) => 3,
            Some(_) => 2,
            // In another order, or with other words between.
            None => {
                let all = wanted.iter().all(|word| own.contains(word));
                u8::from(all || is_within(text, &self.0[side]))
            }
        }
    }

    /// The side that `text` names: where one name is part of the other, the longer.
    pub(super) fn side(&self, text: &str) -> Option<usize> {
        let [a, b] = [0, 1].map(|side| self.fit(side, text));
        match (a, b) {
            (0, 0) => None,
            (_, 0) => Some(0),
            (0, _) => Some(1),
            _ if a != b => Some(usize::from(b > a)),
            _ => {
                // Of names with the same words, the signs between them tell: `a + b`, `a - b`.
                let whole = [0, 1].map(|side| text.contains(self.0[side].trim()));
                if whole[0] != whole[1] {
                    return Some(usize::from(whole[1]));
                }
                let [a, b] = [0, 1].map(|side| words(&self.0[side]).len());
                (a != b).then_some(usize::from(b > a))
            }
        }
    }

    /// Does the name stand in `text` as a whole, with no letter or dash that goes on with it?
    pub(super) fn is_part(&self, side: usize, text: &str) -> bool {
        let name = self.0[side].trim();
        let ends = |c: char| c.is_alphanumeric() || "-+_.".contains(c);
        text.match_indices(name).any(|(at, _)| {
            let behind = text[at + name.len()..].chars().next();
            let before = text[..at].chars().next_back();
            !behind.is_some_and(ends) && !before.is_some_and(ends)
        })
    }

    /// May `text` be meant by the side's name? Where a cell of the page is that name to the letter, a longer name is another
    /// one: `:Native_osx` beside `Native`. `exact` is that of the page.
    pub(super) fn may_mean(&self, side: usize, text: &str, exact: [bool; 2]) -> bool {
        !exact[side] || self.fit(side, text) >= 4 || self.is_part(side, text)
    }

    /// Which sides' names a cell of the page is, to the letter: then a cell that has more than the name is not meant.
    pub(super) fn exact(&self, text: &Text) -> [bool; 2] {
        [0, 1].map(|side| {
            text.lines().any(|(_, line)| {
                let own = cells(line.trim());
                own.len() > 1 && own.iter().any(|cell| is_same(cell, &self.0[side]))
            })
        })
    }
}

/// Are the two the same but for spaces, case and what marks up a cell?
pub(super) fn is_same(text: &str, name: &str) -> bool {
    let plain = |text: &str| {
        let bare = text.trim().trim_matches(['*', '`', '"', ':']);
        words_of(bare).to_lowercase()
    };
    let name = plain(name);
    !name.is_empty() && plain(text) == name
}

impl Names {
    /// The side whose name stands in `line` to the letter, with where it begins and ends: only names that hold what
    /// stands between cells are meant so, as parts of a row are. Of two that stand there the longer counts.
    pub(super) fn literal(&self, line: &str) -> Option<(usize, (usize, usize))> {
        let names = self.0.each_ref().map(|name| name.trim());
        if !names
            .iter()
            .all(|name| name.contains([',', '|', ';', '\t']))
        {
            return None;
        }
        let places = names.iter().enumerate().filter_map(|(side, name)| {
            let at = line.find(name)?;
            Some((side, (at, at + name.len())))
        });
        places.max_by_key(|(_, (start, end))| end - start)
    }

    /// What of a label that names a side both sides have: the label without the words that this side alone has, and
    /// without the number of its row.
    pub(super) fn rest(&self, side: usize, label: &str) -> String {
        let name = self.0[side].trim();
        // What sticks to the name is the rest: `Some.baseline:reader`.
        let sticks = label
            .split_once(name)
            .is_some_and(|(_, behind)| behind.starts_with([':', '/', '(', '[']));
        let bare = match sticks && !name.is_empty() && self.is_part(side, label) {
            true => label.replacen(name, " ", 1),
            false => label.to_owned(),
        };
        let label = bare.as_str();
        let (own, other) = (words(&self.0[side]), words(&self.0[1 - side]));
        let alone = |word: &str| {
            let parts = words(word);
            !parts.is_empty()
                && parts
                    .iter()
                    .all(|part| own.contains(part) && !other.contains(part))
        };
        let number = |word: &str| {
            word.trim_end_matches(['.', ')', ':'])
                .parse::<u32>()
                .is_ok()
        };
        let kept = label.split_whitespace().enumerate();
        let kept = kept.filter(|(at, word)| !(alone(word) || *at == 0 && number(word)));
        kept.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    }
}
