//! Lines that are no rows of a table and hold named figures: several with a colon each, or a rate in words.

use super::names::is_derived;
use super::row::{PostedRow, plain_label};
use crate::amount::{Cell, cell, is_digits};
use crate::direction::{is_each, of_unit};
use crate::number::grouped;
use whyslow_model::Better;

/// Rows that stand in one line, each a name with a colon and a figure: `total: 0.18s memory: 45276k`.
pub(crate) fn listed_rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let line = line.trim();
    if line.contains('|') {
        return None;
    }
    let mut rows: Vec<PostedRow> = Vec::new();
    let mut name: Option<usize> = None;
    let mut ended = false;
    let mut figure: Option<(usize, usize)> = None;
    let mut label = "";
    for word in words(line) {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let end = start + word.len();
        match (name, ended) {
            // Behind the name: the figure.
            (Some(_), true) if figure.is_none() => {
                if !matches!(cell(word), Cell::Amount(..)) {
                    return None;
                }
                figure = Some((start, end));
            }
            // How often the first was done is no part of its name: `1000 times a -> 5 cycles`.
            (None, _) if rows.is_empty() && figure.is_none() && is_digits(word) => {}
            // The name ends before an arrow.
            (Some(begin), false) if word == "->" => {
                label = line[begin..start].trim_end();
                ended = true;
            }
            _ => {
                let unit = is_measure(word) && figure.is_some() && !word.ends_with(':');
                if unit {
                    figure = figure.map(|(from, _)| (from, end));
                    continue;
                }
                if let Some((from, to)) = figure.take() {
                    rows.push(named_figure(label, &line[from..to]));
                    (name, ended) = (None, false);
                }
                let begin = *name.get_or_insert(start);
                if !line[begin..].starts_with(char::is_alphabetic) {
                    return None;
                }
                if word.ends_with(':') {
                    label = &line[begin..end];
                    ended = true;
                }
            }
        }
    }
    let (from, to) = figure?;
    rows.push(named_figure(label, &line[from..to]));
    (rows.len() > 1).then_some(rows)
}

/// Rows of a line in which several figures have their name and a colon in front, behind what no name is said of:
/// `summary + 7692 in 00:21 = 3650.8/s Avg:   506 Min:     1 Max:  6071`.
pub(crate) fn colon_rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    /// Fewer may be anything.
    const FEWEST: usize = 3;
    let bare = line.trim();
    let words: Vec<&str> = bare.split_whitespace().collect();
    let figure = |word: &str| matches!(cell(word.trim_end_matches([',', ';'])), Cell::Amount(..));
    let key = |at: &usize| {
        let name = words[*at].strip_suffix(':');
        let named = name.is_some_and(|name| name.starts_with(char::is_alphabetic));
        named && words.get(at + 1).is_some_and(|next| figure(next))
    };
    let keys: Vec<usize> = (0..words.len()).filter(key).collect();
    let first = *keys.first().filter(|at| **at > 0)?;
    let unit = |at: &usize| words.get(at + 2).filter(|next| of_unit(next).is_some());
    // Two with a unit each are results.
    let measured = keys.len() + 1 == FEWEST && keys.iter().all(|at| unit(at).is_some());
    if keys.len() < FEWEST && !measured || bare.contains('|') {
        return None;
    }
    let said = words[..first].iter().filter(|word| {
        let digits = word.contains(|c: char| c.is_ascii_digit());
        !digits && word.chars().any(char::is_alphabetic)
    });
    let label: Vec<&str> = said.copied().collect();
    let rows = keys.into_iter().map(|at| {
        let name = words[at].trim_end_matches(':');
        let row = named_figure(words[at], words[at + 1].trim_end_matches([',', ';']));
        PostedRow {
            label: format!("{} {name}", label.join(" ")).trim().to_owned(),
            unit: unit(&at).copied(),
            ..row
        }
    });
    Some(rows.collect())
}

/// Rows of a line of several clauses, each a name and a figure with its unit: `throughput 12.1 Gbps, cpu 45.1%, p99 latency 123 us`,
/// without the spreads among them; one that is left may stand behind what it is of, `copy: avg 3185 uS, stddev 19 uS`.
pub(crate) fn clauses(line: &str) -> Option<Vec<PostedRow<'_>>> {
    /// Words of a name: more are a sentence.
    const WORDS: usize = 3;
    let bare = line.trim();
    let (label, rest) = bare.split_once(": ").unwrap_or(("", bare));
    // `avg 53.8µs;  min 51.9µs;`
    let sign = if rest.contains(", ") { ',' } else { ';' };
    let rest = rest.trim_end_matches(sign);
    let named = label.is_empty() || label.starts_with(char::is_alphabetic);
    let sentence = label.split_whitespace().count() > WORDS || bare.ends_with('.');
    if rest.contains(['|', ':', '=', '$', '#']) || !named || sentence {
        return None;
    }
    let mut rows = Vec::new();
    let mut count = 0;
    for clause in rest.split(&format!("{sign} ")).map(str::trim) {
        let digit =
            |(at, _): &(usize, &str)| clause[*at..].starts_with(|c: char| c.is_ascii_digit());
        let words = clause.split_whitespace();
        let places = words.map(|word| (word.as_ptr() as usize - clause.as_ptr() as usize, word));
        let mut starts = places.skip(1).filter(digit);
        let (at, _) = starts.next()?;
        let (name, figure) = (clause[..at].trim(), &clause[at..]);
        let named =
            name.chars().any(char::is_alphabetic) && name.split_whitespace().count() <= WORDS;
        match cell(figure) {
            Cell::Amount(_, unit) if named && of_unit(unit).is_some() => {
                let title = format!("{label} {name}").trim().to_owned();
                let row = named_figure(name, figure);
                if !is_derived(name) {
                    rows.push(PostedRow {
                        label: title,
                        ..row
                    });
                }
            }
            Cell::Change if named => {}
            _ => return None,
        }
        count += 1;
    }
    // Several results behind a name are those of a side: `before: throughput 11.5 Gbps, 99th latency 121 us`.
    let of_side = !label.is_empty() && rows.len() > 1;
    (count > 1 && !rows.is_empty() && !of_side).then_some(rows)
}

/// Rows of a line with strokes between its figures, each with its name in front, and what all are of in front of the first:
/// `create real 0m19.9s / user 0m13.4s / sys 0m5.3s`.
pub(crate) fn strokes(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let parts: Vec<&str> = line.trim().split(" / ").collect();
    if parts.len() < 3 || line.contains('|') {
        return None;
    }
    let mut label = "";
    let mut rows = Vec::new();
    for (at, part) in parts.into_iter().enumerate() {
        let (words, figure) = part.rsplit_once(' ')?;
        let measured = matches!(cell(figure), Cell::Amount(_, unit) if of_unit(unit).is_some());
        let name = match at {
            0 => {
                let (front, name) = words.rsplit_once(' ')?;
                label = front;
                name
            }
            _ => words,
        };
        if !measured || name.is_empty() || !name.chars().all(char::is_alphabetic) {
            return None;
        }
        rows.push(PostedRow {
            label: format!("{label} {name}"),
            ..named_figure(name, figure)
        });
    }
    Some(rows)
}

/// The words of a line, parted by spaces, `;` and commas but for those within a number: `664,533,915, Rate: 5`.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let all = line.split(|c: char| c.is_whitespace() || c == ';');
    all.flat_map(|word| {
        let bare = word.trim_matches(',');
        let number = grouped(bare).is_some();
        let parts: Vec<&str> = match number {
            true => vec![bare],
            false => word.split(',').collect(),
        };
        parts.into_iter().filter(|part| !part.is_empty())
    })
}

/// A row of one figure.
pub(super) fn named_figure<'a>(label: &'a str, figure: &'a str) -> PostedRow<'a> {
    PostedRow::of_one(plain_label(label), label, figure)
}

/// Is it a unit that a figure may have behind it, of time, rate or size?
fn is_measure(word: &str) -> bool {
    const SIZES: [&str; 10] = [
        "B", "KB", "kB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "kbytes",
    ];
    of_unit(word).is_some() || SIZES.contains(&word)
}

/// A rate that a harness prints behind a cross, `parse x 1,351 ops/sec ±2.66% (257 runs sampled)`.
pub(super) fn rated(line: &str) -> Option<PostedRow<'_>> {
    let (label, figure) = line.split_once(" x ")?;
    let figure = figure.split(" (").next()?;
    let is = matches!(cell(figure), Cell::Amount(_, unit) if of_unit(unit) == Some(Better::Higher));
    (is && figure.contains('±')).then(|| named_figure(label, figure))
}

/// A figure behind a dash and a name that has numbers of its own, `Debian 7.3 (kernel 3.2)  - 190 MB/s`.
pub(super) fn dashed(line: &str) -> Option<PostedRow<'_>> {
    let (name, figure) = line.rsplit_once(" - ")?;
    let name = name.trim().trim_start_matches(['*', '•', ' ']);
    let numbered =
        name.starts_with(char::is_alphabetic) && name.contains(|c: char| c.is_ascii_digit());
    let is = matches!(cell(figure), Cell::Amount(_, unit) if of_unit(unit).is_some());
    let other = name.contains(['|', ':', '=', '\t']) || name.contains(" - ");
    (is && numbered && !other).then(|| named_figure(name, figure.trim()))
}

/// The rate in brackets behind how much was done in what time, `Encrypted 3920203 packets in 5s (4390 Mb/s)`.
pub(super) fn in_time(line: &str) -> Option<PostedRow<'_>> {
    let (front, rate) = line.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let (done, time) = front.rsplit_once(" in ")?;
    let label = done
        .find(|c: char| c.is_ascii_digit())
        .map(|at| &done[..at])?;
    let is = matches!(cell(rate), Cell::Amount(_, unit) if unit.contains('/') && of_unit(unit) == Some(Better::Higher))
        && matches!(cell(time), Cell::Amount(_, unit) if of_unit(unit) == Some(Better::Lower));
    let plain = label.ends_with(' ')
        && label.starts_with(char::is_alphabetic)
        && !label.contains(['|', '=', ':']);
    (is && plain).then(|| named_figure(label.trim_end(), rate))
}

/// The average of a test in words, `create total runs 20 avg 30.25 MB/s (user 0.74s sys 2.40s)`.
pub(super) fn averaged(line: &str) -> Option<PostedRow<'_>> {
    let (front, rest) = line.trim().split_once(" avg ")?;
    let (label, runs) = front.rsplit_once(" runs ")?;
    let figure = rest.split(" (").next()?;
    let is = matches!(cell(figure), Cell::Amount(_, unit) if of_unit(unit).is_some());
    (is && is_digits(runs) && label.starts_with(char::is_alphabetic))
        .then(|| named_figure(&front[..label.len() + " runs".len()], figure))
}

/// A rate in words, `264270.62 requests per second`: they are its name.
pub(super) fn spoken(line: &str) -> Option<PostedRow<'_>> {
    let (figure, name) = line.split_once(' ')?;
    let words = name.split_whitespace().count();
    let is = matches!(cell(figure), Cell::Amount(_, "")) && is_each(name) && words == 3;
    is.then(|| named_figure(name, figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_hold_several_named_figures() {
        for (line, wanted) in [
            (
                "total: 0.18s memory: 45276k",
                vec!["total 0.18s", "memory 45276k"],
            ),
            (
                "real memory: 16185 MB, user cpu: 751.623, sys cpu: 145.979",
                vec![
                    "real memory 16185 MB",
                    "user cpu 751.623",
                    "sys cpu 145.979",
                ],
            ),
            (
                "Loops: 664,533,915, Loops/Second: 5,193,733, Time (s): 121",
                vec![
                    "Loops 664,533,915",
                    "Loops/Second 5,193,733",
                    "Time (s) 121",
                ],
            ),
            ("total: 0.18s", vec![]),
            ("gettimeofday:    vdso: 907 nsec/call", vec![]),
            ("12:30:05 up: 3 days: 4", vec![]),
            ("| a: 1 | b: 2 |", vec![]),
        ] {
            let rows = listed_rows(line).unwrap_or_default();
            let shown = rows
                .iter()
                .map(|row| format!("{} {}", row.label, row.cells[0]));
            assert_eq!(shown.collect::<Vec<_>>(), wanted, "{line}");
        }
    }

    #[test]
    fn clauses_with_a_name_and_a_figure() {
        let rows = clauses("throughput 12.1 Gbps, cpu 45.1%, p99 latency 123 us").unwrap();
        let shown: Vec<String> = rows
            .iter()
            .map(|row| format!("{}|{}", row.label, row.cells[0]))
            .collect();
        assert_eq!(shown, ["throughput|12.1 Gbps", "p99 latency|123 us"]);
        let rows = clauses(" bench_vec: avg 3185 uS, stddev 19 uS").unwrap();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!(
            (row.label.as_str(), row.cells[0]),
            ("bench_vec avg", "3185 uS")
        );
        let rows = clauses("avg 53.8µs;  min 51.9µs;  p50 52.7µs;").unwrap();
        let shown: Vec<&str> = rows.iter().map(|row| row.cells[0]).collect();
        assert_eq!(shown, ["53.8µs", "51.9µs", "52.7µs"]);
        for other in [
            "took 5 s",
            "it took 5 s, which is long",
            "Intel Xeon, 3 GHz",
        ] {
            assert!(clauses(other).is_none(), "{other}");
        }
    }

    #[test]
    fn figures_behind_names_with_colons() {
        let rows =
            colon_rows("all + 7692 in 00:21 = 3650.5/s Avg:   506 Min:     1 Max:  6071").unwrap();
        let shown: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row.label, row.cells[0]))
            .collect();
        assert_eq!(shown, ["all in Avg 506", "all in Min 1", "all in Max 6071"]);
        let rows = colon_rows("lib: 3.0.1 algo: gcm encrypt: 52,395,237 b/s decrypt: 5,558 b/s");
        let rows = rows.unwrap();
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.label.as_str(), row.unit))
            .collect();
        assert_eq!(
            shown,
            [
                ("lib: algo: gcm encrypt", Some("b/s")),
                ("lib: algo: gcm decrypt", Some("b/s"))
            ]
        );
        assert!(colon_rows("a: 1 b: 2").is_none());
    }

    #[test]
    fn a_rate_behind_a_cross() {
        let row = rated("http - one x 1,351 ops/sec ±2.66% (257 runs sampled)").unwrap();
        assert_eq!(
            (row.label.as_str(), row.cells[0]),
            ("http - one", "1,351 ops/sec ±2.66%")
        );
        assert!(rated("3 x 5 apples").is_none());
    }

    #[test]
    fn one_figure_among_other_numbers() {
        let shown =
            |row: Option<PostedRow<'_>>| row.map(|row| format!("{}|{}", row.label, row.cells[0]));
        assert_eq!(
            shown(dashed("Debian 7.3 (kernel 3.2)  - 190 MB/s")).as_deref(),
            Some("Debian 7.3 (kernel 3.2)|190 MB/s")
        );
        assert_eq!(
            shown(in_time("Encrypted 3920203 packets in 5s (4390 Mb/s)")).as_deref(),
            Some("Encrypted|4390 Mb/s")
        );
        assert_eq!(
            shown(averaged("create total runs 20 avg 30.25 MB/s (user 0.7s)")).as_deref(),
            Some("create total runs|30.25 MB/s")
        );
        for other in ["a - 5 - 6 ms", "sizes 4 - 16", "Linux 6.1 - 6.6"] {
            assert!(dashed(other).is_none(), "{other}");
        }
        assert!(in_time("Done 5 of 6 in 7 (8 MB/s)").is_none());
        assert!(averaged("5 runs 6 avg 7 ms").is_none());
    }

    #[test]
    fn a_rate_in_words_is_its_own_name() {
        let row = spoken("264270.5 requests per second").unwrap();
        assert_eq!(
            (row.label.as_str(), row.cells[0]),
            ("requests per second", "264270.5")
        );
        assert!(spoken("5 of them per second and more").is_none());
        assert!(spoken("5 apples").is_none());
    }
}
