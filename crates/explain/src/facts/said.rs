//! Which causes a stated fact speaks for, and how plainly.

use std::collections::HashMap;
use std::sync::LazyLock;

use whyslow_model::state::Change;

use super::text::{Word, same_words, sides, versions};
use super::{meanings, vocabulary};
use crate::cause::Cause;
use crate::causes::{self, CAUSES};

/// A name of a setting in a path, or of a program or patch in a value, says more than a general word.
const BY_PATH: f64 = 1.0;
pub(super) const BY_WORD: f64 = 2.0;

/// Letters from which on a word is as plain as it gets, and those that the shortest name counts as.
const PLAIN: usize = 8;
const SHORT: usize = 4;

/// What each letter more adds: enough to tell two plain words apart.
const LONGER: f64 = 0.002;

/// What is said in passing.
const IN_PASSING: f64 = 0.5;

/// What is said of one side alone, and of nothing else than the cause.
const OF_ONE_SIDE: f64 = 0.6;

/// What the sides are called is chosen to tell them apart.
const CALLED: f64 = 0.8;

/// What a fact is by its path says what it is about; words in it that speak for other causes count for less.
const OF_PATH: f64 = 1.5;
const BESIDE_PATH: f64 = 0.5;

/// What stands in front of the colon of a patch's title is what the patch is about.
const IN_FRONT: f64 = 2.0;

/// What both sides say alike is what the difference is beside, and not what it is.
const ALIKE: f64 = 0.2;

/// Each side has a word of the cause of its own: two states of one thing.
const BOTH_STATES: f64 = 1.25;

/// The path of what the sides are called.
pub(super) const NAME: &str = "name";

/// What stands for a fact that a source does not state.
const SILENT: &str = "not stated";

/// Names of architectures.
const ARCHITECTURES: [&str; 4] = ["x86_64", "amd64", "aarch64", "arm64"];

/// How a cause is spoken of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Said {
    /// How plainly.
    pub(super) strength: f64,
    /// Is it a difference between the sides, rather than what both say?
    pub(super) differs: bool,
    /// Does it stand in front of the colon of a patch's title alone, where the place of a change is named?
    pub(super) in_front: bool,
}

/// A phrase as texts are searched for it.
#[derive(Debug)]
struct Phrase {
    /// Its cause; nothing where it means something that no cause is.
    cause: Option<&'static Cause>,
    /// As declared.
    declared: &'static str,
    /// Its letters and digits.
    letters: String,
    /// Does it count only with a number beside it that differs: `16 threads`?
    counted: bool,
    /// Is it an option, behind a dash?
    option: bool,
    /// Is it a setting, before an equals sign?
    setting: bool,
    /// May it begin a longer word?
    stem: bool,
    /// May it be written in several words?
    apart: bool,
}

/// Letters of a word that begins longer ones, and of one that may be written as several.
const STEM: usize = 6;
const APART: usize = 6;

impl Phrase {
    fn new(cause: Option<&'static Cause>, declared: &'static str) -> Self {
        let (counted, text) = match declared.strip_prefix('#') {
            Some(rest) => (true, rest),
            None => (false, declared),
        };
        let (stem, text) = match text.strip_suffix('*') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        let inner = text.trim_matches(|c: char| !c.is_alphanumeric());
        Phrase {
            cause,
            declared,
            counted,
            option: text.starts_with('-'),
            setting: text.ends_with('='),
            stem: stem || letters.len() >= STEM,
            apart: letters.len() >= APART || inner.len() > letters.len(),
            letters,
        }
    }

    /// Where it ends if it begins at the first of `words`: how many words it takes.
    fn at(&self, words: &[Word]) -> Option<usize> {
        let first = words.first()?;
        if self.option && first.before != Some('-') {
            return None;
        }
        let mut left = self.letters.as_str();
        for (at, word) in words.iter().enumerate() {
            if at > 0 && !word.joined && !self.apart {
                return None;
            }
            if let Some(rest) = left.strip_prefix(word.text.as_str()) {
                if rest.is_empty() {
                    let fits = !self.setting || word.after == Some('=');
                    return fits.then_some(at + 1);
                }
                left = rest;
                continue;
            }
            let rest = word.text.strip_prefix(left)?;
            let fits = (self.stem || is_form(rest, self.letters.len())) && !self.setting;
            return fits.then_some(at + 1);
        }
        None
    }
}

/// Is `rest` how a word of so many `letters` ends in its other forms?
fn is_form(rest: &str, letters: usize) -> bool {
    match letters {
        ..=3 => rest == "s",
        _ => ["s", "es", "d", "ed", "ing"].contains(&rest),
    }
}

/// All phrases, of causes and of what means something else, by their first letter: each word of a text is held against
/// thousands of them.
static PHRASES: LazyLock<HashMap<char, Vec<Phrase>>> = LazyLock::new(|| {
    let of_causes = CAUSES.iter().flat_map(|cause| {
        let said = vocabulary::words(cause).iter();
        // What ends in a dot begins paths alone.
        let said = said.filter(|word| !word.ends_with('.'));
        said.map(move |word| Phrase::new(Some(cause), word))
    });
    let others = meanings::OTHERS.iter();
    let others = others.map(|word| Phrase::new(None, word));
    let mut all: HashMap<char, Vec<Phrase>> = HashMap::new();
    for phrase in of_causes.chain(others) {
        if let Some(letter) = phrase.letters.chars().next() {
            all.entry(letter).or_default().push(phrase);
        }
    }
    all
});

/// A phrase in the words of a side.
#[derive(Debug, Clone, Copy)]
struct Hit {
    phrase: &'static Phrase,
    side: usize,
    from: usize,
    to: usize,
}

impl Hit {
    /// Is it a part of a longer phrase, which says what it means?
    fn is_part(&self, of: &Hit) -> bool {
        self.side == of.side
            && of.from <= self.from
            && of.to >= self.to
            && of.phrase.letters.len() > self.phrase.letters.len()
    }
}

/// Every phrase in the words of both sides that is no part of a longer one.
fn hits(sides: &[Vec<Word>; 2]) -> Vec<Hit> {
    let mut found: Vec<Hit> = Vec::new();
    for (side, words) in sides.iter().enumerate() {
        for (from, word) in words.iter().enumerate() {
            let begun = word.text.chars().next();
            let phrases = begun.and_then(|letter| PHRASES.get(&letter));
            for phrase in phrases.into_iter().flatten() {
                let taken = phrase.at(&words[from..]);
                let Some(to) = taken.map(|taken| from + taken) else {
                    continue;
                };
                if !phrase.counted || is_counted(phrase, words, from, to) {
                    found.push(Hit {
                        phrase,
                        side,
                        from,
                        to,
                    });
                }
            }
        }
    }
    let whole = found
        .iter()
        .filter(|hit| !found.iter().any(|of| hit.is_part(of)));
    whole.copied().collect()
}

/// What is numbered, as it is called where one of them is meant.
const WHICH: [&str; 3] = ["cpu", "core", "vcpu"];

/// Does a number that differs stand beside the words from `from` to `to`: `16 threads`, `2 MPI ranks`, `threads=8`?
fn is_counted(phrase: &Phrase, words: &[Word], from: usize, to: usize) -> bool {
    let number = |at: usize| words.get(at).filter(|word| word.is_number());
    // The 86 of `x86` counts nothing, and the number of `mtu=1500` nothing that stands behind it.
    let counts = |at: usize| {
        number(at).is_some_and(|word| word.own && !word.joined && word.before != Some('='))
    };
    let before = from.checked_sub(1);
    let further = from
        .checked_sub(2)
        .filter(|_| before.and_then(number).is_none());
    let mut in_front = before.into_iter().chain(further);
    // Of a version any figure: `6.1.0` and `6.5.0`.
    // `CPU 0` and `core #128` say which one, `cpus=4` and `4 cores` how many.
    let which = WHICH.contains(&phrase.letters.as_str())
        && to == from + 1
        && words[from].text == phrase.letters
        && words
            .get(to)
            .is_some_and(|word| !matches!(word.before, Some('=' | ':')));
    let behind_from = if which { words.len() } else { to };
    let mut behind = (behind_from..words.len()).map_while(number);
    let version = (0..from).rev().map_while(number);
    let mut version = version.scan(true, |goes_on, word| {
        let own = goes_on.then_some(word);
        *goes_on = word.before == Some('.');
        own.filter(|word| !word.joined)
    });
    behind.any(|word| word.own)
        || (!phrase.option && version.any(|word| word.own))
        || (!phrase.option && in_front.any(counts))
}

/// Paths that say what a fact is about; others, such as `patch` and `kernel.release`, are about anything.
const SPECIFIC: [&str; 11] = [
    "load.copies",
    "frequency.",
    "memory.thp",
    "topology.nodes",
    "mitigations",
    "machine.hypervisor",
    "mounts",
    "libc.",
    "cpu.model",
    "scheduler",
    "clocksource",
];

/// Does the fact's path say what it is about?
pub(super) fn is_specific(change: &Change) -> bool {
    SPECIFIC.iter().any(|path| change.what.starts_with(path))
}

/// How each cause that `change` speaks of is spoken of.
/// `of_program` says that a patch is one of a program: the word alone speaks for no kernel then.
pub(super) fn said(change: &Change, of_program: bool) -> Vec<(&'static Cause, Said)> {
    // A hypervisor that gives more CPUs is no other one.
    let [before, after] = [&change.before, &change.after].map(|text| text.as_str());
    let same = same_words(before, after) && versions(before) == versions(after);
    if change.what == "machine.hypervisor" && same {
        return Vec::new();
    }
    let stated = |text: &str| match text {
        SILENT => String::new(),
        text => text.to_owned(),
    };
    let sides = sides(&stated(&change.before), &stated(&change.after));
    let hits = hits(&sides);
    let both_architectures = sides.iter().all(|words| {
        let names = ARCHITECTURES.map(|name| Phrase::new(None, name));
        (0..words.len()).any(|at| names.iter().any(|name| name.at(&words[at..]).is_some()))
    });
    let passing = in_passing(change);
    // A patch names the machines that it is for.
    let of_work = ["patch", "other", "compiler.flags"].contains(&change.what.as_str());
    let specific = is_specific(change);
    // Options of what was run are of no compiler, though they stand where flags do.
    let of_run = change.what == "compiler.flags"
        && are_of_run(&stated(&change.before), &stated(&change.after));
    // What was written says more than the kind of place that it was written in.
    let spoken = hits.iter().any(|hit| {
        // The number behind it is what was written of it, `mtu 1400`.
        let number = sides[hit.side].get(hit.to).filter(|word| word.is_number());
        let mut words = sides[hit.side][hit.from..hit.to].iter().chain(number);
        hit.phrase.cause.is_some() && words.any(|word| word.differs)
    });
    let mut found = Vec::new();
    for &cause in CAUSES {
        let counts = |declared: &str| match declared {
            // `with_patch` tells of no kernel.
            "patch" => change.what != NAME && !of_program,
            "kernel" => change.what != NAME,
            // One architecture alone is the machine's; of two, one is emulated.
            _ if ARCHITECTURES.contains(&declared) => both_architectures,
            _ => !(of_work && cause.id == causes::hardware::CAUSE.id),
        };
        let own = || {
            let own = hits.iter();
            own.filter(|hit| hit.phrase.cause.is_some_and(|of| of.id == cause.id))
                .filter(|hit| counts(hit.phrase.declared))
        };
        let mut best = Said {
            strength: 0.0,
            differs: false,
            in_front: false,
        };
        let mut behind = false;
        let mut states = [false, false];
        for hit in own() {
            let words = &sides[hit.side][hit.from..hit.to];
            let differs = words.iter().any(|word| word.differs);
            let number = sides[hit.side].get(hit.to);
            let number = number.filter(|word| word.is_number() && word.own);
            states[hit.side] |= number.is_some() || words.iter().any(|word| word.own);
            let mut strength = BY_WORD * plain(hit.phrase.letters.len());
            if words.iter().any(|word| word.in_front) {
                strength *= IN_FRONT;
                best.in_front = true;
            } else {
                behind = true;
            }
            if !differs {
                strength *= ALIKE;
            }
            best.strength = best.strength.max(strength);
            best.differs |= differs;
        }
        best.in_front &= !behind;
        if states == [true, true] {
            best.strength *= BOTH_STATES;
        } else if cause.id == causes::hardware::CAUSE.id {
            // A processor or machine that one side alone is said to be is where both were.
            best.strength = 0.0;
        }
        if specific {
            best.strength *= BESIDE_PATH;
        }
        let paths = vocabulary::words(cause)
            .iter()
            .filter(|word| counts(word) && !of_run);
        for path in paths
            .map(|word| path(word))
            .filter(|path| change.what.starts_with(path))
        {
            let by_path = match specific {
                true => OF_PATH,
                false => BY_PATH * plain(path.len()) * if spoken { BESIDE_PATH } else { 1.0 },
            };
            best.strength = best.strength.max(by_path);
            best.differs = true;
        }
        if best.strength > 0.0 {
            best.strength *= passing;
            found.push((cause, best));
        }
    }
    found
}

/// A declared word as the paths of facts begin with it.
pub(super) fn path(word: &str) -> &str {
    word.strip_suffix('*').unwrap_or(word)
}

fn plain(letters: usize) -> f64 {
    letters.clamp(SHORT, PLAIN) as f64 / PLAIN as f64
        + LONGER * letters.saturating_sub(PLAIN) as f64
}

/// What counts of it, as it may be said in passing. What one publication leaves out may be the same there all the same, unless it is what was done.
fn in_passing(change: &Change) -> f64 {
    if change.what == NAME {
        return CALLED;
    }
    let done = [
        "patch",
        "compiler.flags",
        "machine.hypervisor",
        "mitigations",
        "libc",
    ];
    let silent = change.before == SILENT || change.after == SILENT;
    let passing = ["other", "system"].contains(&change.what.as_str());
    let undone = silent && !done.iter().any(|path| change.what.starts_with(path));
    match (passing, undone) {
        (true, _) => IN_PASSING,
        (false, true) if is_specific(change) => OF_ONE_SIDE,
        (false, true) => IN_PASSING,
        (false, false) => 1.0,
    }
}

/// Are the sides two states of one program, by what they are called: two versions, or before and after some work on it?
pub(super) fn is_program(a: &str, b: &str) -> bool {
    const WORKED_ON: [&str; 22] = [
        "after",
        "base",
        "baseline",
        "before",
        "branch",
        "change",
        "current",
        "head",
        "improved",
        "main",
        "master",
        "new",
        "old",
        "optimized",
        "original",
        "patch",
        "patched",
        "pr",
        "previous",
        "refactor",
        "target",
        "upstream",
    ];
    let version = |text: &str| {
        let figures = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        figures
            .into_iter()
            .any(|figure| figure.trim_matches('.').contains('.'))
    };
    let named = a.chars().any(char::is_alphabetic) && same_words(a, b);
    if named && version(a) && version(b) {
        return true;
    }
    let sides = sides(a, b);
    let worked_on = |words: &Vec<Word>| {
        let mut own = words.iter().filter(|word| word.own);
        own.any(|word| WORKED_ON.contains(&word.text.as_str()))
    };
    sides.iter().all(worked_on)
}

/// Do the texts hold nothing but options that a benchmark takes: `-a`, `-c 100`, `--size=1024`? Those of a compiler have no
/// number behind `=`, or are of a letter that it knows.
fn are_of_run(a: &str, b: &str) -> bool {
    /// What compilers take alone: for debugging, for profiles, for warnings, and without a link.
    const OF_COMPILERS: [char; 4] = ['g', 'p', 'w', 's'];
    let number = |text: &str| {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        text.len() <= digits.len() + 2 && digits.parse::<f64>().is_ok()
    };
    let option = |text: &str| {
        if let Some((name, value)) = text.split_once('=') {
            return name.starts_with("--") && number(value);
        }
        let mut letters = text.strip_prefix('-').unwrap_or_default().chars();
        let letter = letters.next().filter(char::is_ascii_lowercase);
        letters.next().is_none() && letter.is_some_and(|letter| !OF_COMPILERS.contains(&letter))
    };
    let words = [a, b].map(|text| text.trim_matches('"').split_whitespace());
    let mut words = words.into_iter().flatten().peekable();
    words.peek().is_some() && words.all(|word| option(word) || number(word))
}

/// Does `word` stand in `text` at the beginning of a word?
pub(super) fn begins_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests;
