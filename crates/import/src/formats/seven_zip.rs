//! 7-Zip's benchmark, `7z b`: speed, use of the CPUs and rating by the size of the dictionary.

use whyslow_model::Better::{self, Higher, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "7-zip",
    what: "7-Zip's benchmark, 7z b (Dict, Compressing, Decompressing, Avr, Tot)",
    repeats: "7-Zip runs",
    silent: "memory, compiler, or where its threads ran",
    roles: &[
        // How much of the CPUs was used, and what follows from that and the rating.
        ("seven_zip.usage", "", Roles::All(Role::Count)),
        ("seven_zip.r_u", "", Roles::All(Role::Count)),
        ("seven_zip.e", "", Roles::All(Role::Count)),
        ("seven_zip.", "", Roles::All(Role::Application)),
    ],
    looks,
    part: Some(|line| is_header(line) || labelled(line).is_some() || is_banner(line)),
    known: &[
        "CPU Freq",
        "RAM size",
        "RAM usage",
        "Copyright",
        "p7zip Version",
        "locale=",
        "Compiler:",
        "Linux :",
        "PageSize",
        "hwcap",
        "Threads:",
        "Processor",
        "(R)",
        "CPU @",
        "Windows",
        "Benchmark threads",
        "Darwin",
        "Executing benchmark",
        // sbc-bench repeats the last lines of its runs.
        "Compression: ",
        "Decompression: ",
        "Total: ",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let headers = marks(text, is_header);
    let rows = marks(text, |line| labelled(line).is_some());
    match headers {
        0 if rows < 3 => 0,
        _ => (headers * 2 + rows) * 2,
    }
}

/// `Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating`, and `Method` in its place.
fn is_header(line: &str) -> bool {
    holds(line, "Usage") && holds(line, "R/U") && holds(line, "Rating")
}

fn is_banner(line: &str) -> bool {
    line.trim_start().starts_with("7-Zip ") && line.contains("Igor Pavlov")
}

/// What a row is of: a dictionary, `22:`, the mean, or all of it.
fn labelled(line: &str) -> Option<(&str, &str)> {
    /// Powers of two that a dictionary may be of.
    const DICTIONARIES: std::ops::RangeInclusive<u32> = 15..=36;
    let (label, rest) = line.trim().split_once(':')?;
    let figures = |c: char| c.is_ascii_digit() || " |.-\t".contains(c);
    let count = rest.split_whitespace().filter(|w| *w != "|").count();
    let is = match label {
        "Avr" | "Avg" | "Tot" => count >= 3,
        // Without a bar between the halves it may be a row of anything.
        _ => {
            let dictionary = label
                .parse()
                .is_ok_and(|power| DICTIONARIES.contains(&power));
            dictionary && (count >= 8 || count >= 3 && rest.contains('|'))
        }
    };
    (is && rest.chars().all(figures)).then_some((label, rest))
}

/// The columns of a half, and of the last line: the name, the unit, and which direction is good.
const COLUMNS: [(&str, &str, Better); 6] = [
    ("speed", "KiB/s", Higher),
    ("usage", "%", Unsaid),
    ("R/U", "MIPS", Unsaid),
    ("rating", "MIPS", Higher),
    ("E/U", "%", Unsaid),
    ("effec", "%", Unsaid),
];

/// Both halves of the table.
const HALVES: [&str; 2] = ["compressing", "decompressing"];

/// The use of the CPUs, in percent, up to which one CPU did all of it.
const ONE_CPU: f64 = 110.0;

/// What the columns of a header's half are: all or the first four.
fn width(line: &str) -> usize {
    match holds(line, "E/U") {
        true => COLUMNS.len(),
        false => 4,
    }
}

/// Is the run that begins below `from` one on a single CPU? It says so by how much of the CPUs it used.
fn is_on_one_cpu(lines: &[(usize, &str)], from: usize) -> bool {
    let run = lines[from..]
        .iter()
        .take_while(|(_, line)| !is_header(line));
    let rows = run.filter_map(|(_, line)| labelled(line));
    let mut used: Vec<f64> = Vec::new();
    for (label, rest) in rows {
        let half = rest.split('|').next().unwrap_or(rest);
        let words: Vec<f64> = half.split_whitespace().filter_map(plain).collect();
        let at = usize::from(!matches!(label, "Avr" | "Avg" | "Tot"));
        used.extend(words.get(at).filter(|_| at == 1));
    }
    !used.is_empty() && used.iter().all(|share| *share <= ONE_CPU)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let lines: Vec<(usize, &str)> = text.lines().collect();
    let mut columns = 4;
    let mut one = is_on_one_cpu(&lines, 0);
    // Methods are rows only below their header.
    let mut methods = false;
    for (at, (number, line)) in lines.iter().enumerate() {
        let number = *number;
        if is_header(line) {
            sheet.aside(number);
            columns = width(line);
            one = is_on_one_cpu(&lines, at + 1);
            methods = line.trim_start().starts_with("Method");
        } else if holds(line, "MIPS")
            && holds(line, "%")
            && !line.contains(|c: char| c.is_ascii_digit())
        {
            sheet.aside(number);
        } else if is_banner(line) {
            sheet.aside(number);
            methods = false;
        } else if let Some((label, rest)) =
            labelled(line).or_else(|| method(line).filter(|_| methods))
        {
            let of = Of {
                label,
                columns,
                one,
            };
            let read = row(&of, rest, number, sheet);
            sheet.judge(read)?;
        } else if line.trim_start().starts_with("Linux : ") {
            let kernel = line.split(" : ").nth(1).unwrap_or_default();
            sheet.state("", "kernel", kernel);
        }
    }
    Ok(())
}

/// A row of `-mm=*`: `LZMA:x5  12345  99  1234  1230 | ...`.
fn method(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let end = line.find(char::is_whitespace)?;
    let (label, rest) = line.split_at(end);
    let named = label.starts_with(|c: char| c.is_ascii_alphabetic());
    let figures = |c: char| c.is_ascii_digit() || " |.-\t".contains(c);
    (named && rest.chars().all(figures)).then_some((label, rest))
}

/// What a row is of.
struct Of<'a> {
    label: &'a str,
    /// How many columns a half has.
    columns: usize,
    /// Did a single CPU do it?
    one: bool,
}

fn row(of: &Of<'_>, rest: &str, number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let words: Vec<&str> = rest.split_whitespace().filter(|w| *w != "|").collect();
    let total = of.label == "Tot";
    // The last line is both halves together.
    let halves: Vec<(&str, Vec<&str>)> = match (total, rest.split_once('|')) {
        (true, _) => vec![("", words)],
        (false, Some((left, right))) => [left, right]
            .into_iter()
            .zip(HALVES)
            .map(|(half, name)| (name, half.split_whitespace().collect()))
            .collect(),
        // Older versions draw no bar in the line of means.
        (false, None) if words.len().is_multiple_of(2) && words.len() > of.columns => {
            let (left, right) = words.split_at(words.len() / 2);
            vec![(HALVES[0], left.to_vec()), (HALVES[1], right.to_vec())]
        }
        (false, None) => vec![(HALVES[0], words)],
    };
    let mut figures = Vec::new();
    for (half, words) in halves {
        // The speed is missing where several are put together.
        let skipped = match of.columns.checked_sub(words.len()) {
            Some(missing) if missing <= 1 => missing,
            // One CPU's line has no efficiency.
            Some(2 | 3) if of.columns > 4 => usize::from(words.len() == 3),
            _ if words.is_empty() && half == HALVES[1] => continue,
            _ => {
                let why = format!("{} figures under {} columns", words.len(), of.columns);
                return Err(Fault::at(
                    number,
                    format!("{why}; the row is cut short or broken"),
                ));
            }
        };
        for ((name, unit, better), word) in COLUMNS[skipped..of.columns].iter().zip(words) {
            let value = plain(word).ok_or_else(|| {
                let word = crate::error::quote(word);
                Fault::at(number, format!("'{word}' is no number; is the row broken?"))
            })?;
            let label = format!("{}: {half}", of.label);
            let title = format!("{} {name}", label.trim_end());
            let row = Row::new("seven_zip", &title, unit, *better);
            let mut row = row.id("seven_zip", &slug(name)).with("of", of.label);
            if !half.is_empty() {
                row = row.with("half", half);
            }
            if of.one {
                row = row.with("cpus", "1");
            }
            figures.push((row, value));
        }
    }
    for (row, value) in figures {
        sheet.add("", row, value, number)?;
    }
    Ok(())
}
