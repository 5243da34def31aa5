//! `openssl speed`: the table by block size, the lines it prints while it runs, and the tables of public keys.

use std::collections::BTreeMap;

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "openssl-speed",
    what: "openssl speed (type 16 bytes 64 bytes, sign verify, Doing ... for 3s)",
    repeats: "rows of openssl speed",
    silent: "the processor, its clock, or what else ran",
    roles: &[("openssl.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| {
        sizes(line).is_some()
            || is_block_row(line)
            || public_header(line).is_some()
            || public_row(line).is_some()
            || doing(line).is_some()
            || doing_key(line).is_some()
    }),
    known: &[
        "built on",
        "options:",
        "compiler:",
        "CPUINFO",
        "OPENSSL_ia32cap",
        "version:",
        "OpenSSL ",
        "openssl speed",
        "elapsed time instead",
        "in 1000s of bytes",
        "timing function used",
        "timing options",
        "C flags",
        "seed-src",
        "Executing benchmark",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let table = marks(text, |line| {
        sizes(line).is_some() || is_block_row(line) || public_header(line).is_some()
    });
    let running = marks(text, |line| {
        doing(line).is_some() || doing_key(line).is_some()
    });
    table * 3 + running * 2
}

/// Marks of Markdown and of comments around a line.
fn bare(line: &str) -> String {
    let line = line.trim().trim_start_matches(['#', '*']);
    line.replace(['|', '`'], " ")
}

/// `type  16 bytes  64 bytes ...`: the sizes as printed.
fn sizes(line: &str) -> Option<Vec<String>> {
    let line = bare(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, rest) = words.split_first()?;
    if !first.eq_ignore_ascii_case("type") || rest.is_empty() {
        return None;
    }
    let mut sizes = Vec::new();
    for pair in rest.chunks(2) {
        match pair {
            [size, unit] if is_size(size) && unit.starts_with("byte") => {
                sizes.push((*size).to_owned());
            }
            // What was pasted may be cut.
            _ => return None,
        }
    }
    Some(sizes)
}

fn is_size(word: &str) -> bool {
    word.len() < 12 && !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// A figure of the table: thousands of bytes with a `k`, or bytes where they are few; none where it was not measured.
fn rate(word: &str) -> Option<Option<(f64, &'static str)>> {
    let word = word.trim_end_matches(',');
    if matches!(word, "0.00" | "-" | "--" | "n/a") {
        return Some(None);
    }
    match word.strip_suffix('k') {
        Some(digits) => Some(Some((plain(digits)?, "kB/s"))),
        None if word.contains('.') => Some(Some((plain(word)?, "B/s"))),
        None => None,
    }
}

/// A row that no other table has, whatever stands above it: figures for all sizes, with two decimals each.
fn is_block_row(line: &str) -> bool {
    /// The oldest versions measure so many sizes.
    const FEWEST: usize = 5;
    let exact = |figure: &String| {
        let digits = figure.trim_end_matches(['k', ',']);
        digits
            .rsplit_once('.')
            .is_some_and(|(_, fraction)| fraction.len() == 2)
    };
    block_row(line).is_some_and(|(_, figures)| figures.len() >= FEWEST && figures.iter().all(exact))
}

/// `aes-128-cbc  96875.07k  306178.18k ...`: the algorithm, and its figures. What stands in brackets behind is a
/// remark.
fn block_row(line: &str) -> Option<(String, Vec<String>)> {
    let line = bare(line);
    let line = line.split(" (").next().unwrap_or_default();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let first = words
        .iter()
        .position(|w| matches!(rate(w), Some(Some((_, "kB/s")))) || *w == "0.00")?;
    let figures = words.split_off(first);
    let thousands = figures
        .iter()
        .filter(|w| matches!(rate(w), Some(Some((_, "kB/s")))));
    let named = words.len() <= 3
        && words
            .first()
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    // A remark may stand behind, `--> Insecure`.
    let taken: Vec<String> = figures
        .iter()
        .take_while(|w| rate(w).is_some())
        .map(|w| (*w).to_owned())
        .collect();
    (named && thousands.count() > 0 && taken.len() <= 12)
        .then(|| (words.join(" ").trim_end_matches(':').to_owned(), taken))
}

/// The columns of a table of public keys: the name, the unit, and which direction is good.
type Column = (String, &'static str, Better);

/// `sign  verify  sign/s verify/s`, `op  op/s`, and the columns of key encapsulation: `keygen  encaps  decaps
/// keygens/s ...`.
fn public_header(line: &str) -> Option<Vec<Column>> {
    let line = bare(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let known = |word: &str| {
        let name = word.strip_suffix("/s").unwrap_or(word);
        let name = name.strip_suffix('s').unwrap_or(name);
        [
            "sign", "verify", "op", "keygen", "encap", "decap", "encrypt", "decrypt", "encr",
            "decr", "encr.", "decr.", "verif",
        ]
        .contains(&name)
    };
    let rates = words.iter().filter(|word| word.ends_with("/s")).count();
    let is = words.len() >= 2 && words.len() <= 8 && rates > 0 && words.iter().all(|w| known(w));
    is.then(|| words.iter().map(|word| column(word)).collect())
}

fn column(name: &str) -> Column {
    match name.ends_with("/s") {
        true => (name.to_owned(), "/s", Higher),
        false => (name.to_owned(), "s", Lower),
    }
}

/// `rsa 2048 bits 0.000697s 0.000032s  1435.1  31037.8`, ` 256 bits ecdsa (nistp256)  0.0000s ...`: the key, and the
/// figures.
fn public_row(line: &str) -> Option<(String, Vec<String>)> {
    let line = bare(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let time = |word: &&str| {
        word.strip_suffix('s')
            .is_some_and(|digits| digits.contains('.') && plain(digits).is_some())
    };
    let first = words.iter().position(&time)?;
    let (name, figures) = words.split_at(first);
    // `rsa 2048 bits`, or a name alone as those of newer algorithms: `ML-KEM-512`.
    let keyed = name.contains(&"bits") || (name.len() == 1 && holds(name[0], "-"));
    let plain_rest = figures
        .iter()
        .all(|word| time(word) || plain(word).is_some());
    let count = figures.len();
    (keyed && plain_rest && (2..=8).contains(&count)).then(|| {
        let figures = figures.iter().map(|word| (*word).to_owned()).collect();
        (name.join(" "), figures)
    })
}

/// What it says while it runs, `Doing aes-128-cbc for 3s on 16 size blocks: 31284015 aes-128-cbc's in 2.92s`.
struct Doing<'a> {
    name: String,
    size: String,
    asked: &'a str,
    count: f64,
    took: f64,
}

/// The count and the time of the end of such a line.
fn counted(rest: &str) -> Option<(f64, f64)> {
    let count = plain(rest.split_whitespace().next()?)?;
    let took = rest.rsplit(" in ").next()?.trim().strip_suffix('s')?;
    Some((count, plain(took)?))
}

fn doing(line: &str) -> Option<Doing<'_>> {
    let rest = after(line, "Doing ")?;
    let (what, rest) = rest.split_once(": ")?;
    let (name, what) = what.rsplit_once(" for ")?;
    let (asked, what) = what.split_once(" on ")?;
    let size = what
        .trim_start_matches(['[', '('])
        .split_whitespace()
        .next()?;
    let (count, took) = counted(rest)?;
    // `-multi` and `-evp` print their name in front: `AES-128-GCM ops`.
    let name = name.strip_suffix(" ops").unwrap_or(name);
    is_size(size).then(|| Doing {
        name: name.to_owned(),
        size: size.to_owned(),
        asked,
        count,
        took,
    })
}

/// `Doing 2048 bits private rsa's for 10s: 14351 2048 bits private RSA's in 10.00s`.
fn doing_key(line: &str) -> Option<Doing<'_>> {
    let rest = after(line, "Doing ")?;
    let (what, rest) = rest.split_once(": ")?;
    let (name, asked) = what.rsplit_once(" for ")?;
    let (count, took) = counted(rest)?;
    (!asked.contains(' ')).then(|| Doing {
        name: name.replace("'s", ""),
        size: String::new(),
        asked,
        count,
        took,
    })
}

/// The row of an algorithm at a size of blocks.
fn row(name: &str, size: &str, unit: &str) -> Row {
    let row = Row::new("openssl", &format!("{name} {size} bytes"), unit, Higher);
    let row = row.id("openssl", "speed").with("algorithm", name);
    row.with("block", size)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let tabled = |line: &str| block_row(line).is_some() || public_row(line).is_some();
    let has_table = text.lines().any(|(_, line)| tabled(line));
    let mut block_sizes: Vec<String> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let clusters = clusters(text);
    for (number, line) in text.lines() {
        if let Some(found) = sizes(line) {
            sheet.aside(number);
            block_sizes = found;
        } else if let Some(found) = public_header(line) {
            sheet.aside(number);
            columns = found;
        } else if let Some((name, figures)) =
            block_row(line).filter(|_| !block_sizes.is_empty() || is_block_row(line))
        {
            let of = Of {
                name: &name,
                cluster: clusters.get(&number).copied(),
            };
            let read = blocks(&of, &figures, &block_sizes, number, sheet);
            sheet.judge(read)?;
        } else if let Some((name, figures)) = public_row(line) {
            let read = keys(&name, &figures, &columns, number, sheet);
            sheet.judge(read)?;
        } else if let Some(found) = doing(line).or_else(|| doing_key(line)) {
            // The table says the same, and more exactly.
            match has_table {
                true => sheet.aside(number),
                false => {
                    let read = running(&found, number, sheet);
                    sheet.judge(read)?;
                }
            }
        } else if let Some(version) = version(line) {
            sheet.state("", "other", version);
        }
    }
    Ok(())
}

/// `OpenSSL 1.1.1d  10 Sep 2019`, `version: 3.0.2`.
fn version(line: &str) -> Option<&str> {
    let rest = after(line, "OpenSSL ")?;
    let first = rest
        .trim_start_matches("(version ")
        .split([' ', ','])
        .next()?;
    let is = first.starts_with(|c: char| c.is_ascii_digit()) && first.contains('.');
    is.then(|| line.trim())
}

/// Sizes of the blocks by how many columns a table has: those of the versions before 1.1, of 1.1, and of some builds.
fn usual_sizes(columns: usize) -> Option<&'static [&'static str]> {
    match columns {
        5 => Some(&["16", "64", "256", "1024", "8192"]),
        6 => Some(&["16", "64", "256", "1024", "8192", "16384"]),
        _ => None,
    }
}

/// What a row of the table is of.
struct Of<'a> {
    name: &'a str,
    /// The cluster of CPUs it ran on, from 1, where rows tell several apart by their place alone.
    cluster: Option<usize>,
}

/// The clusters of CPUs that rows of one name are of: sbc-bench measures these three ciphers on each kind of core and
/// prints the rows of one cipher below each other, unless it says that it measured twice on one. Rows of anything else
/// that appear again are repetitions.
fn clusters(text: &Text) -> BTreeMap<usize, usize> {
    if text
        .lines()
        .any(|(_, line)| holds(line, "benchmark twice on"))
    {
        return BTreeMap::new();
    }
    const CIPHERS: [&str; 3] = ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"];
    let mut tables: Vec<Vec<(usize, String)>> = vec![Vec::new()];
    for (number, line) in text.lines() {
        if sizes(line).is_some() {
            tables.push(Vec::new());
        } else if let (Some((name, _)), Some(table)) = (block_row(line), tables.last_mut()) {
            table.push((number, name));
        }
    }
    let mut found = BTreeMap::new();
    for table in tables {
        let each = table.len() / CIPHERS.len();
        let expected = CIPHERS
            .iter()
            .flat_map(|cipher| std::iter::repeat_n(cipher, each));
        let names = table.iter().map(|(_, name)| name);
        if each > 1 && each * CIPHERS.len() == table.len() && names.eq(expected) {
            let places = table.iter().enumerate();
            found.extend(places.map(|(at, (line, _))| (*line, at % each + 1)));
        }
    }
    found
}

fn blocks(
    of: &Of<'_>,
    figures: &[String],
    sizes: &[String],
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let usual: Vec<String> = match sizes {
        [] => usual_sizes(figures.len())
            .map(|sizes| sizes.iter().map(|size| (*size).to_owned()).collect())
            .ok_or_else(|| {
                Fault::at(
                    number,
                    format!(
                        "{} figures without the line of the block sizes (type 16 bytes ...); \
                         add that line",
                        figures.len()
                    ),
                )
            })?,
        _ => sizes.to_vec(),
    };
    if figures.len() != usual.len() {
        let why = format!("{} figures for {} block sizes", figures.len(), usual.len());
        return Err(Fault::at(
            number,
            format!("{why}; the row is cut short or broken"),
        ));
    }
    for (size, figure) in usual.iter().zip(figures) {
        if let Some(Some((value, unit))) = rate(figure) {
            let mut row = row(of.name, size, unit);
            if let Some(cluster) = of.cluster.filter(|cluster| *cluster > 1) {
                let title = format!("{}, cluster {cluster}", row.title);
                row = row.with("cluster", &cluster.to_string()).titled(&title);
            }
            sheet.add("", row, value, number)?;
        } else {
            sheet.aside(number);
        }
    }
    Ok(())
}

fn keys(
    name: &str,
    figures: &[String],
    columns: &[Column],
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let usual: Vec<Column> = match (columns.len() == figures.len(), figures.len()) {
        (true, _) => columns.to_vec(),
        (false, 4) => ["sign", "verify", "sign/s", "verify/s"].map(column).into(),
        (false, 2) => ["op", "op/s"].map(column).into(),
        (false, count) => {
            let why = format!("{count} figures for {} columns", columns.len());
            return Err(Fault::at(
                number,
                format!("{why}; add the line of their names"),
            ));
        }
    };
    for ((column, unit, better), figure) in usual.iter().zip(figures) {
        let digits = figure.strip_suffix('s').unwrap_or(figure);
        let value = plain(digits).ok_or_else(|| {
            let figure = crate::error::quote(figure);
            Fault::at(
                number,
                format!("'{figure}' is no number; is the row broken?"),
            )
        })?;
        // `0.0000s` is less than what it prints, and the rate beside it says how long it took.
        if value == 0.0 {
            continue;
        }
        let unit = match *unit {
            "s" => "s",
            _ => "operations/s",
        };
        let row = Row::new("openssl", &format!("{name} {column}"), unit, *better);
        let row = row.id("openssl", &crate::slug::slug(column));
        sheet.add("", row.with("algorithm", name), value, number)?;
    }
    Ok(())
}

/// A count of a fixed time is a rate; of another time it is none.
fn running(found: &Doing<'_>, number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    /// Further off from the time that was asked for, the count says more of the time than of the speed.
    const NEAR: f64 = 0.02;
    let asked = found
        .asked
        .strip_suffix('s')
        .and_then(plain)
        .filter(|v| *v > 0.0);
    let near = asked.is_some_and(|asked| (found.took / asked - 1.0).abs() <= NEAR);
    if !near {
        let why = format!("counted within {} s and not {}", found.took, found.asked);
        return Err(Fault::at(
            number,
            format!("{why}: take the table that is printed at the end"),
        ));
    }
    let unit = format!("operations in {}", found.asked);
    let row = match found.size.as_str() {
        "" => Row::new("openssl", &found.name, &unit, Higher)
            .id("openssl", "count")
            .with("algorithm", &found.name),
        size => row(&found.name, size, &unit).id("openssl", "count"),
    };
    sheet.add("", row, found.count, number)
}
