//! What tells rows of one side apart that the line of names calls alike: keys, words, tables, turns.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, are_near};
use crate::posted::is_run;

/// Lines of the two sides in turns, A, B, A, B, whose figures are far apart from turn to turn: each turn is of something else,
/// which no word of it says.
pub(super) fn by_turn(found: &mut [Found<'_>]) {
    let titles: BTreeSet<String> = found.iter().map(|figure| figure.title.clone()).collect();
    for title in titles {
        let mut own: Vec<&mut Found> = found.iter_mut().filter(|f| f.title == title).collect();
        let turns = own.len() > 2
            && own.len().is_multiple_of(2)
            && own
                .windows(2)
                .all(|pair| pair[0].side != pair[1].side && pair[0].line < pair[1].line);
        let of_first: Vec<f64> = own.iter().step_by(2).map(|figure| figure.value).collect();
        if !turns || are_near(&of_first) {
            continue;
        }
        for (at, figure) in own.iter_mut().enumerate() {
            figure.title = format!("{title} {}", at / 2 + 1).trim().to_owned();
        }
    }
}

/// Takes the numbers of trials away, `iteration 1`, `iteration 2`: they name nothing that is measured, and tell no rows apart.
pub(super) fn without_trials(found: &mut Vec<Found<'_>>) {
    let number = |figure: &Found| is_run(&format!("{} {}", figure.title, figure.value));
    let others = found.iter().filter(|figure| !number(figure));
    let others: BTreeSet<usize> = others.map(|figure| figure.line).collect();
    found.retain(|figure| !number(figure) || !others.contains(&figure.line));
}

/// Rows of a side that appears again, told apart by columns of whole numbers that both sides have alike, `Tasks`, `Thr`: they
/// say what the others of their row were measured at. One column does where its numbers differ from row to row; else all
/// such columns together.
pub(super) fn by_key(found: &mut Vec<Found<'_>>) {
    let mut columns: BTreeMap<&str, [Vec<(usize, u64)>; 2]> = BTreeMap::new();
    for figure in found.iter() {
        let own = columns.entry(figure.title.as_str()).or_default();
        own[figure.side].push((figure.line, figure.value.to_bits()));
    }
    let may_be = |own: &[Vec<(usize, u64)>; 2]| {
        let [a, b] = own.each_ref().map(|side| {
            let mut values: Vec<u64> = side.iter().map(|(_, value)| *value).collect();
            values.sort_unstable();
            values
        });
        let lines: BTreeSet<usize> = own.iter().flatten().map(|(line, _)| *line).collect();
        let whole = |bits: &u64| f64::from_bits(*bits).fract() == 0.0;
        let varies = a.first() != a.last();
        a == b && varies && lines.len() == 2 * a.len() && a.iter().all(whole)
    };
    let may_be: Vec<&str> = columns
        .iter()
        .filter(|(_, own)| may_be(own))
        .map(|(title, _)| *title)
        .collect();
    let apart = |keys: &[&str]| {
        let mut rows: BTreeMap<(usize, usize), Vec<u64>> = BTreeMap::new();
        for key in keys {
            for (side, own) in columns[key].iter().enumerate() {
                for (line, value) in own {
                    rows.entry((side, *line)).or_default().push(*value);
                }
            }
        }
        let of = |side: usize| -> BTreeSet<&Vec<u64>> {
            let own = rows.iter().filter(|((of, _), _)| *of == side);
            own.map(|(_, values)| values).collect()
        };
        let (a, b) = (of(0), of(1));
        a == b && a.len() + b.len() == rows.len()
    };
    let one = may_be.iter().find(|key| apart(&[**key]));
    let keys: Vec<String> = match one {
        Some(key) => vec![(*key).to_owned()],
        None if apart(&may_be) => may_be.iter().map(|key| (*key).to_owned()).collect(),
        None => return,
    };
    if keys.is_empty() || columns.len() <= keys.len() {
        return;
    }
    let mut at: BTreeMap<usize, String> = BTreeMap::new();
    for figure in found.iter().filter(|figure| keys.contains(&figure.title)) {
        let own = at.entry(figure.line).or_default();
        *own += &format!(", {} {}{}", figure.title, figure.value, figure.unit);
    }
    found.retain(|figure| !keys.contains(&figure.title));
    for figure in found {
        if let Some(key) = at.get(&figure.line) {
            figure.title += key;
        }
    }
}

/// Figures that nothing above names are called by the words that end all their labels, `case1 (near) vm throughput: 1057`.
pub(super) fn by_label(found: &mut [Found<'_>], rests: &[String]) {
    let unnamed = found.iter().zip(rests);
    let unnamed = unnamed.filter(|(figure, _)| figure.title.is_empty());
    let mut words = unnamed.map(|(_, rest)| -> Vec<&str> { rest.split_whitespace().collect() });
    let Some(mut common) = words.next() else {
        return;
    };
    for other in words {
        let same = common.iter().rev().zip(other.iter().rev());
        let same = same.take_while(|(a, b)| a == b).count();
        common.drain(..common.len() - same);
    }
    let common = common.join(" ");
    let title = common.trim_matches([':', '=', ' ']);
    for figure in found.iter_mut().filter(|figure| figure.title.is_empty()) {
        title.clone_into(&mut figure.title);
    }
}

/// Rows of a side that differ in what may stand in front of their title have it there: the rest of their label,
/// `iperf TCP. Remote`, or the words above their table.
pub(super) fn by_front<S: AsRef<str>>(found: &mut [Found<'_>], fronts: &[S]) {
    let mut seen: BTreeMap<(usize, &str), BTreeSet<&str>> = BTreeMap::new();
    for (figure, front) in found.iter().zip(fronts) {
        let key = (figure.side, figure.title.as_str());
        seen.entry(key).or_default().insert(front.as_ref());
    }
    let several = seen.values().any(|fronts| fronts.len() > 1);
    if several {
        for (figure, front) in found.iter_mut().zip(fronts) {
            figure.title = format!("{} {}", front.as_ref(), figure.title)
                .trim()
                .to_owned();
        }
    }
}

/// Rows of a side that differ in such words are of several things, where both sides have the same words: `rand`, `seq`.
pub(super) fn by_words(found: &mut [Found<'_>], kinds: &[String]) {
    let mut seen: BTreeMap<&str, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for (figure, kind) in found.iter().zip(kinds) {
        let own = seen.entry(figure.title.as_str()).or_default();
        own[figure.side].insert(kind);
    }
    let apart: BTreeSet<String> = seen
        .into_iter()
        .filter(|(_, [a, b])| a.len() > 1 && a == b)
        .map(|(title, _)| title.to_owned())
        .collect();
    for (figure, kind) in found.iter_mut().zip(kinds) {
        if apart.contains(&figure.title) {
            figure.title = format!("{kind} {}", figure.title).trim().to_owned();
        }
    }
}
