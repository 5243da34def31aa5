//! How a published case came out, held against what is known of it.

mod printed;

use whyslow_model::cases::{CaseFile, CaseKind, CaseScore, Expected, Says};
use whyslow_model::comparison::{Comparison, PointComparison, Size, Verdict};
use whyslow_model::explanation::{CauseVerdict, Explanation, Finding};
use whyslow_model::text::words;
use whyslow_model::{Better, Point, Record};

use crate::published;

/// Figures of a case are exact; ratios of them are given to three digits or four.
const RATIO: f64 = 0.01;

/// What the tool made of a case.
#[derive(Debug)]
pub struct Tried<'a> {
    /// Of each file, the records or why there are none.
    pub files: Vec<Result<Vec<Record>, String>>,
    /// The records of each side that were compared.
    pub sides: [&'a [Record]; 2],
    /// The text of each side's files.
    pub texts: [&'a str; 2],
    /// The comparison with its explanation, or why there is none.
    pub explained: Result<(&'a Comparison, &'a Explanation), String>,
}

/// Values that are in a record.
fn values(record: &Record) -> usize {
    let processes = record.processes.iter();
    processes.map(|p| p.outcome.numbers().count()).sum()
}

/// The score of the case `name` of one `half` of the corpus.
pub fn score(half: &str, name: &str, case: &CaseFile, tried: &Tried<'_>) -> CaseScore {
    let mut score = CaseScore {
        name: name.to_owned(),
        half: half.to_owned(),
        kind: case.kind,
        knowable: case.knowable,
        files_read: tried.files.iter().filter(|f| f.is_ok()).count() as u32,
        files: tried.files.len() as u32,
        values_read: 0,
        values: case.values,
        rows_right: 0,
        rows_undirected: 0,
        rows: case.expect.len() as u32,
        rank: None,
        named: Vec::new(),
        named_by_rate: Vec::new(),
        moved_most: None,
        wrong: Vec::new(),
        answer: String::new(),
        misses: Vec::new(),
    };
    for file in &tried.files {
        match file {
            Ok(records) => score.values_read += records.iter().map(values).sum::<usize>() as u32,
            Err(why) => score.misses.push(why.clone()),
        }
    }
    let sides = [&case.a, &case.b];
    let names: Vec<&str> = sides
        .iter()
        .flat_map(|s| [s.part.as_str(), s.label.as_str()])
        .collect();
    match &tried.explained {
        Ok((comparison, explanation)) => {
            for expected in &case.expect {
                match row(comparison, tried, expected, &names) {
                    Ok(better) => {
                        score.rows_right += 1;
                        score.rows_undirected += u32::from(better == Better::Unsaid);
                    }
                    Err(why) => score.misses.push(why),
                }
            }
            causes(case, explanation, &mut score);
        }
        Err(why) => {
            score.misses.push(why.clone());
            score.answer.clone_from(why);
        }
    }
    score
}

/// Words as they are compared: letters and digits alone, in lower case, and no zeros at the end of a fraction, which
/// versions of a tool print more or less of: `50.0000th`.
fn plain(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || *c == '.');
    let mut plain = String::new();
    let mut in_fraction = false;
    for c in kept.flat_map(char::to_lowercase) {
        if in_fraction && !c.is_ascii_digit() {
            without_zeros(&mut plain);
        }
        in_fraction = match c {
            '.' => plain.ends_with(|c: char| c.is_ascii_digit()),
            c => in_fraction && c.is_ascii_digit(),
        };
        plain.push(c);
    }
    if in_fraction {
        without_zeros(&mut plain);
    }
    plain
}

/// Takes the zeros away that end a fraction, and the point where nothing remains of it.
fn without_zeros(text: &mut String) {
    let kept = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(kept);
}

/// Is `point` the row?
fn is_row(point: &PointComparison, row: &str) -> bool {
    let title = point.title.as_deref().unwrap_or_default();
    // A line of a tool may have no name but its unit, `5.9 GB/sec`.
    let unit = point.symbol.as_deref().unwrap_or_default();
    let whole = format!("{title} {unit} {}", point.point);
    if plain(&whole).contains(&plain(row)) {
        return true;
    }
    // A row may be named by a figure of its own.
    if let Ok(figure) = row.trim().parse::<f64>() {
        let same = |value: f64| (value / figure - 1.0).abs() < 1e-9;
        return same(point.a.value.value) || same(point.b.value.value);
    }
    // As printed, also behind its label: `282.22s`, `41.4k`, `90.0th: 3772`.
    let parts = row.trim().rsplit_once(char::is_whitespace);
    let (label, last) = parts.unwrap_or(("", row.trim()));
    let said = words(label);
    let own = words(&whole);
    let figures = printed::figures(last);
    let is = |value: f64| {
        figures
            .iter()
            .any(|figure| (value / figure - 1.0).abs() < 1e-9)
    };
    if said.iter().all(|word| own.contains(word))
        && (is(point.a.value.value) || is(point.b.value.value))
    {
        return true;
    }
    // A line of figures is called by the first, which says what it was measured at; a line with several figures by words of
    // which each has some.
    let row_words = words(row);
    let numbers = row_words.len() > 1 && row_words.iter().all(|w| w.parse::<f64>().is_ok());
    let titled = words(title);
    let part = titled.len() > 1 && titled.iter().all(|word| row_words.contains(word));
    if (numbers && own.contains(&row_words[0])) || part {
        return true;
    }
    // The same words in another order, without the figures that stand behind them.
    // `real 0m` begins a time as `time` prints it.
    let figure = |word: &String| word == "0m" || word.contains('.') && word.parse::<f64>().is_ok();
    let wanted: Vec<String> = words(row).into_iter().filter(|w| !figure(w)).collect();
    !wanted.is_empty() && wanted.iter().all(|word| own.contains(word))
}

/// The words of a row without those of the sides' names, where it has both.
fn without_sides(row: &str, sides: &[&str]) -> Option<String> {
    let of_sides: Vec<String> = sides.iter().flat_map(|side| words(side)).collect();
    let all = words(row);
    let own: Vec<&str> = all
        .iter()
        .filter(|word| !of_sides.contains(word))
        .map(String::as_str)
        .collect();
    (!own.is_empty() && own.len() < all.len()).then(|| own.join(" "))
}

/// The values of a point, in order of size.
fn values_of(records: &[Record], point: &Point) -> Vec<f64> {
    let processes = records.iter().flat_map(|record| &record.processes);
    let own = processes.filter(|process| process.point == *point);
    let mut values: Vec<f64> = own.flat_map(|p| p.outcome.numbers()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Do the figures of a point stand below the words of a row on both sides?
fn is_below(tried: &Tried<'_>, point: &Point, row: &str) -> bool {
    let mut sides = tried.sides.iter().zip(tried.texts);
    sides.all(|(records, text)| printed::stands_below(text, row, &values_of(records, point)))
}

/// B over A of a point by the arithmetic means and by the medians of its repeated values: a publication may mean either.
fn other_ratios(sides: [&[Record]; 2], point: &Point) -> Vec<f64> {
    let [a, b] = sides.map(|records| values_of(records, point));
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let median = |values: &[f64]| {
        let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
        f64::midpoint(values[low], values[high])
    };
    vec![mean(&b) / mean(&a), median(&b) / median(&a)]
}

/// Holds a row against what is expected of it. Where each side has a row of its own, a row may be named by its side.
fn row(
    comparison: &Comparison,
    tried: &Tried<'_>,
    expected: &Expected,
    sides: &[&str],
) -> Result<Better, String> {
    let points = || comparison.points.iter();
    let mut found: Vec<&PointComparison> = points().filter(|p| is_row(p, &expected.row)).collect();
    if found.is_empty() && sides.iter().any(|side| plain(side) == plain(&expected.row)) {
        found.extend(points());
    }
    // A page of one row may call it by its column, its unit or a command.
    if let ([only], true) = (&comparison.points[..], found.is_empty()) {
        found.push(only);
    }
    // The name of a side may stand within that of a row, `crc32/armv8/16`, which is no part of it once sides are told apart.
    if found.is_empty() {
        let row = without_sides(&expected.row, sides);
        found.extend(points().filter(|p| row.as_ref().is_some_and(|row| is_row(p, row))));
    }
    // Its words may stand above its figures: a command, a heading.
    if found.is_empty() {
        found.extend(points().filter(|p| is_below(tried, &p.point, &expected.row)));
    }
    if found.is_empty() {
        return Err(format!("row '{}': not found", expected.row));
    }
    // Where the direction is not known, either may be meant; nothing is said to be slower or faster.
    let directed = |point: &PointComparison, ratio: f64| {
        let turned = ratio.ln() * expected.times.ln() < 0.0;
        match point.better {
            Better::Lower => ratio,
            Better::Higher => 1.0 / ratio,
            Better::Unsaid if turned => 1.0 / ratio,
            Better::Unsaid => ratio,
        }
    };
    let times = |point: &PointComparison| Some(directed(point, point.ratio?));
    let off = |point: &PointComparison| {
        let others = other_ratios(tried.sides, &point.point).into_iter();
        let others = others.map(|ratio| directed(point, ratio));
        let all = times(point).into_iter().chain(others);
        all.map(|t| (t.ln() - expected.times.ln()).abs())
            .fold(f64::MAX, f64::min)
    };
    // Several rows may be named alike; the figure tells which is meant.
    let nearest = found.into_iter().min_by(|x, y| off(x).total_cmp(&off(y)));
    let Some(point) = nearest.filter(|p| off(p) <= RATIO) else {
        let there = nearest.and_then(times).unwrap_or(f64::NAN);
        return Err(format!(
            "row '{}': {there:.3} times, expected {:.3}",
            expected.row, expected.times
        ));
    };
    let untested = matches!(point.verdict, Verdict::Untested { .. });
    let real = |slower: bool| match &point.verdict {
        Verdict::Slower { size } => slower && *size != Size::Negligible,
        Verdict::Faster { size } => !slower && *size != Size::Negligible,
        Verdict::Differs { size } => *size != Size::Negligible,
        _ => false,
    };
    let right = match expected.says {
        // What nothing was repeated of cannot be called real; the ratio says which way.
        Says::Slower => real(true) || untested,
        Says::Faster => real(false) || untested,
        Says::Same | Says::Open => !real(true) && !real(false),
    };
    if right {
        return Ok(point.better);
    }
    Err(format!(
        "row '{}': {:?}, expected {:?}",
        expected.row, point.verdict, expected.says
    ))
}

/// Holds the causes that are named against those that are known.
fn causes(case: &CaseFile, explanation: &Explanation, score: &mut CaseScore) {
    let named: Vec<&Finding> = explanation
        .causes
        .iter()
        .filter(|c| c.verdict < CauseVerdict::Contradicted && c.weight > 0.0)
        .collect();
    let known = &case.explain;
    let nothing = |cause: &str| cause == "nothing";
    let right = |cause: &str| match case.kind {
        CaseKind::Null => nothing(cause),
        _ => known.right.iter().any(|r| r == cause),
    };
    let fair = |cause: &str| {
        let second = known.second.iter().any(|s| s == cause);
        right(cause) || second || nothing(cause) || cause == "measurement"
    };
    score.rank = named
        .iter()
        .position(|c| right(&c.cause))
        .and_then(|at| u32::try_from(at + 1).ok());
    score.named = named.iter().map(|c| c.cause.clone()).collect();
    let by_rate = named.iter().filter(|c| c.is_by_rate());
    score.named_by_rate = by_rate.map(|c| c.cause.clone()).collect();
    score.moved_most = published::moved_most(&explanation.moved).map(str::to_owned);
    let likely = named
        .iter()
        .filter(|c| c.verdict <= CauseVerdict::Consistent);
    score.wrong = likely
        .enumerate()
        .filter(|(at, c)| {
            let forbidden = known.never.contains(&c.cause);
            // The first that is said to be likely is the answer; later ones only must not be absurd.
            forbidden || (*at == 0 && !fair(&c.cause))
        })
        .map(|(_, c)| c.cause.clone())
        .collect();
    score.answer.clone_from(&explanation.answer);
}
