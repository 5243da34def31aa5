//! Lines of keys and their figures, `wait...: avg=8.5ms max=9.5ms`.

use super::listed::named_figure;
use super::row::{PostedRow, plain_label};
use crate::amount::{Cell, cell};
use crate::direction::{of_unit, unit_in};

/// Rows that stand in one line, each a key and a figure with `=` between them, behind their label: `wait...: avg=8.5ms max=9.5ms`.
pub(crate) fn keyed_rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let bare = line.trim();
    let at = |word: &str| word.as_ptr() as usize - bare.as_ptr() as usize;
    let words = keyed_words(bare);
    let first = words.iter().position(|word| pair(word).is_some())?;
    // What it was measured at stands in front of the results: `mem=2400MHz bw=61.2 GB/s lat=88.1 ns`.
    let settings = words[first..].iter().take_while(|word| is_setting(word));
    let first = first + settings.count();
    let label = &bare[..words.get(first).map_or(bare.len(), |word| at(word))];
    if bare.starts_with(['$', '.', '#', '/']) || label.contains(" -") {
        return None;
    }
    // `Latency (us) p50=12 p99=55`
    let of_all = unit_in(label).filter(|unit| of_unit(unit).is_some());
    // Keys with their figures to the end, each with its unit: what has none is a setting.
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    let mut rest = words[first..].iter().peekable();
    while let Some(word) = rest.next() {
        // What follows from figures has no key: `base=1448ms patch=572ms 2.53x`.
        if !pairs.is_empty() && cell(word) == Cell::Change {
            continue;
        }
        let (key, figure) = pair(word)?;
        let Cell::Amount(_, own) = cell(figure) else {
            return None;
        };
        let unit =
            rest.next_if(|next| own.is_empty() && !next.contains('=') && of_unit(next).is_some());
        let end = unit.map_or(at(figure) + figure.len(), |unit| at(unit) + unit.len());
        // `IOPS=10.1k` is named by its unit.
        let stated = of_unit(own).or_else(|| of_unit(key));
        if unit.is_none() && stated.is_none() && of_all.is_none() {
            return None;
        }
        pairs.push((key, &bare[at(figure)..end]));
    }
    // One alone is a result where it is all of the line, `bandwidth=3121MiB/s`, and no setting of the run.
    const SETTINGS: [&str; 6] = [
        "runtime", "ramp", "duration", "interval", "timeout", "period",
    ];
    let setting = |key: &str| {
        SETTINGS
            .iter()
            .any(|word| key.to_lowercase().contains(word))
    };
    let alone = pairs.len() == 1 && label.is_empty() && !setting(pairs[0].0);
    if pairs.len() < 2 && !alone {
        return None;
    }
    let name = plain_label(label);
    let rows = pairs.into_iter().map(|(key, figure)| PostedRow {
        label: format!("{name} {key}").trim().to_owned(),
        unit: of_all,
        ..named_figure(label, figure)
    });
    Some(rows.collect())
}

/// Is it a key and a figure that is neither good nor bad, `bs=4k`, or the clock that something ran at?
fn is_setting(word: &str) -> bool {
    let pair = pair(word).filter(|(key, _)| of_unit(key).is_none());
    pair.is_some_and(|(_, figure)| match cell(figure) {
        Cell::Amount(_, unit) => {
            let clock = ["mhz", "ghz"].contains(&unit.to_lowercase().as_str());
            // `4k` is a number with its prefix.
            let sized = unit.is_empty() && figure.ends_with(char::is_alphabetic);
            sized || (!unit.is_empty() && (clock || of_unit(unit).is_none()))
        }
        _ => false,
    })
}

/// The words of a line without the signs that part them, those of a key with the figure that a space parts from it together:
/// `base= 1448.2ms`.
fn keyed_words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
        match words.last_mut() {
            Some(key) if key.len() > 1 && key.ends_with('=') => {
                let start = key.as_ptr() as usize - line.as_ptr() as usize;
                *key = &line[start..end];
            }
            _ => words.push(word),
        }
    }
    let bare = words.into_iter();
    bare.map(|word| word.trim_end_matches([',', ';'])).collect()
}

/// A key and its figure, `avg=8.5ms`.
fn pair(word: &str) -> Option<(&str, &str)> {
    let (key, figure) = word.split_once('=')?;
    let figure = figure.trim_start();
    let name = key.starts_with(char::is_alphabetic) && !key.contains(['"', '\'', '/', '-']);
    (name && matches!(cell(figure), Cell::Amount(..))).then_some((key, figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_behind_their_keys() {
        let shown = |line: &'static str| -> Vec<String> {
            let rows = keyed_rows(line).unwrap().into_iter();
            rows.map(|row| format!("{} {}", row.label, row.cells[0]))
                .collect()
        };
        assert_eq!(
            shown("  wait.....: avg=8.5µs min=1.5µs p(90)=9.5µs"),
            ["wait avg 8.5µs", "wait min 1.5µs", "wait p(90) 9.5µs"]
        );
        assert_eq!(
            shown("mem=2400MHz bs=4k bw=61.5 GB/s lat=88.5 ns"),
            [
                "mem=2400MHz bs=4k bw 61.5 GB/s",
                "mem=2400MHz bs=4k lat 88.5 ns"
            ]
        );
        assert_eq!(
            shown("IOPS=10.5k, BW=39.5MiB/s"),
            ["IOPS 10.5k", "BW 39.5MiB/s"]
        );
        let rows = keyed_rows("result(dst aligned): fast=50ms plain=39 ms").unwrap();
        let shown: Vec<&str> = rows.iter().map(|row| row.cells[0]).collect();
        assert_eq!(shown, ["50ms", "39 ms"]);
        for other in [
            "size=4 threads=8",
            "./run --a=5s avg=5s",
            "avg=5s and more",
            "ttl=64 time=5 ms",
        ] {
            assert!(keyed_rows(other).is_none(), "{other}");
        }
    }
}
