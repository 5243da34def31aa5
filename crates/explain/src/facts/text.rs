//! What two sides are said to be, word by word: what both say is no difference.

/// A word of a side: letters or digits alone, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word.
    pub(super) text: String,
    /// Does it stand right behind the word before it, with nothing in between: `avx` and `2`?
    pub(super) joined: bool,
    /// The character in front of it.
    pub(super) before: Option<char>,
    /// The character behind it.
    pub(super) after: Option<char>,
    /// Does it stand in front of the first colon with a space behind it?
    pub(super) in_front: bool,
    /// Does the other side not say it, or less often?
    pub(super) own: bool,
    /// Is it such a word, or near one?
    pub(super) differs: bool,
}

impl Word {
    /// Is it a number, in digits or in letters?
    pub(super) fn is_number(&self) -> bool {
        const IN_LETTERS: [&str; 13] = [
            "one", "two", "three", "four", "eight", "single", "multi", "multiple", "many",
            "several", "both", "half", "x",
        ];
        self.text.bytes().all(|byte| byte.is_ascii_digit())
            || IN_LETTERS.contains(&self.text.as_str())
    }

    /// Does something else begin behind it?
    fn ends_a_part(&self) -> bool {
        self.after.is_some_and(|after| ",;|".contains(after))
    }

    /// The word as one of several is: `threads` is `thread`.
    fn singular(&self) -> &str {
        match self.text.strip_suffix('s') {
            Some(one) if one.len() >= MANY => one,
            _ => &self.text,
        }
    }
}

/// Letters from which on a word may end in an `s` of many.
const MANY: usize = 3;

/// The words of both sides, with what differs between them.
pub(super) fn sides(a: &str, b: &str) -> [Vec<Word>; 2] {
    let mut sides = [words(a), words(b)];
    let own = [0, 1].map(|at: usize| own(&sides[at], &sides[1 - at]));
    for (words, own) in sides.iter_mut().zip(&own) {
        // A word beside one that differs is what that is about: `boost on`, `fsync=off`.
        let apart = |at: usize| words.get(at).is_some_and(|word| word.ends_a_part());
        let near: Vec<bool> = (0..words.len())
            .map(|at| {
                let is = |at: usize| own.get(at).is_some_and(|own| *own);
                let before = at.checked_sub(1).is_some_and(|one| is(one) && !apart(one));
                is(at) || before || (is(at + 1) && !apart(at))
            })
            .collect();
        for ((word, own), near) in words.iter_mut().zip(own).zip(near) {
            word.own = *own;
            word.differs = near;
        }
    }
    // The same words in another order.
    if own.iter().flatten().all(|own| !own) {
        for word in sides.iter_mut().flatten() {
            word.differs = true;
        }
    }
    sides
}

/// Which words the other side does not have, each of them as often.
fn own(words: &[Word], other: &[Word]) -> Vec<bool> {
    let mut left: Vec<&str> = other.iter().map(Word::singular).collect();
    let has = |word: &Word| {
        let at = left.iter().position(|known| *known == word.singular());
        at.map(|at| left.swap_remove(at)).is_none()
    };
    words.iter().map(has).collect()
}

/// The words of a text: runs of letters and runs of digits, and parts of names such as `noTurbo`.
fn words(text: &str) -> Vec<Word> {
    let front = text.find(": ").unwrap_or(0);
    let mut words: Vec<Word> = Vec::new();
    let mut last: Option<char> = None;
    for (at, c) in text.char_indices() {
        let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
        let goes_on = last.is_some_and(|before| {
            kind(before) == kind(c) && !(before.is_lowercase() && c.is_uppercase())
        });
        if c.is_alphanumeric() {
            let word = words.last_mut().filter(|_| goes_on);
            let lower = c.to_lowercase();
            match word {
                Some(word) => word.text.extend(lower),
                None => words.push(Word {
                    text: lower.collect(),
                    joined: last.is_some_and(char::is_alphanumeric),
                    before: last,
                    after: None,
                    in_front: at < front,
                    own: false,
                    differs: false,
                }),
            }
        }
        if let Some(word) = words.last_mut().filter(|word| word.after.is_none())
            && !(c.is_alphanumeric() && (goes_on || word.text.chars().count() == 1))
        {
            word.after = Some(c);
        }
        last = Some(c);
    }
    words
}

/// Do the texts differ in numbers alone?
pub(super) fn same_words(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphabetic()).collect() };
    letters(a) == letters(b)
}

/// The numbers with a point in them, `3.1.1`.
pub(super) fn versions(text: &str) -> Vec<&str> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    parts
        .filter(|p| p.trim_matches('.').contains('.'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differing(a: &str, b: &str) -> [Vec<String>; 2] {
        sides(a, b).map(|words| {
            let own = words.into_iter().filter(|word| word.differs);
            own.map(|word| word.text).collect()
        })
    }

    #[test]
    fn names_fall_into_words() {
        let texts =
            |text: &str| -> Vec<String> { words(text).into_iter().map(|word| word.text).collect() };
        assert_eq!(texts("GCC12 -O2"), ["gcc", "12", "o", "2"]);
        assert_eq!(texts("noTurbo_800MHz"), ["no", "turbo", "800", "mhz"]);
        let words = words("x86/bugs: fsync=on");
        assert!(words[1].joined && words[2].in_front && !words[3].in_front);
        assert_eq!(words[3].after, Some('='));
    }

    #[test]
    fn what_both_sides_say_is_no_difference() {
        let [a, b] = differing("1 thread, 2 MiB", "16 threads, 2 MiB");
        assert_eq!(a, ["1", "thread"]);
        assert_eq!(b, ["16", "threads"]);
        let [_, b] = differing(
            "busy-polling non-blocking sockets",
            "prefer busy-polling non-blocking sockets",
        );
        assert_eq!(b, ["prefer", "busy"]);
    }
}
