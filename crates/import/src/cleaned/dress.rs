//! Takes off what logs, wikis and web pages put around rows: time stamps, levels of a log, links, tags, the bars of wikis,
//! arrows in front of a figure. Numbers of lines stay, and no figure is changed.

use std::borrow::Cow;

use super::line_end;
use crate::amount::{Cell, cell};
use crate::direction::of_unit;
use crate::pattern::wide_cells;

/// Tags that only say how words look.
const LOOKS: [&str; 10] = [
    "b", "i", "em", "strong", "code", "sub", "small", "u", "tt", "span",
];

/// What stands between a label and its figure.
const ARROWS: [&str; 6] = [" --> ", " ==> ", " -> ", " => ", " → ", " ⇒ "];

/// `whole` without all of it.
pub(crate) fn undressed(whole: Cow<'_, str>) -> Cow<'_, str> {
    let end = line_end(&whole);
    let joined = one_line_rows(whole.split(end).collect());
    let lines: Vec<&str> = joined.iter().map(AsRef::as_ref).collect();
    let wiki = lines.iter().any(|line| line.trim_start().starts_with("{|"));
    let level = level_of_most(&lines);
    let mut changed = joined.iter().any(|line| matches!(line, Cow::Owned(_)));
    let plain: Vec<Cow<str>> = lines
        .iter()
        .map(|line| {
            let plain = undressed_line(line, wiki, level);
            changed |= plain != *line;
            plain
        })
        .collect();
    match changed {
        true => Cow::Owned(plain.join(end)),
        false => whole,
    }
}

fn undressed_line<'a>(line: &'a str, wiki: bool, level: Option<&str>) -> Cow<'a, str> {
    let bare = without_stamp(line);
    let bare = level.map_or(bare, |level| {
        bare.strip_prefix(level).map_or(bare, str::trim_start)
    });
    if let Some(row) = directive(bare)
        .or_else(|| folded(bare))
        .or_else(|| html(bare))
    {
        return Cow::Owned(row);
    }
    let mut plain = Cow::Borrowed(bare);
    if plain.contains("](") {
        plain = Cow::Owned(unlinked(&plain));
    }
    if plain.contains('|') {
        if let Some(row) = wiki_row(&plain, wiki) {
            plain = Cow::Owned(row);
        }
        if plain.contains(['<', '\\']) {
            plain = Cow::Owned(without_tags(&plain));
        }
    } else if let Some(row) = wiki.then(|| wiki_header(&plain)).flatten() {
        plain = Cow::Owned(row);
    } else if let Some(row) = with_gap(&plain).or_else(|| shared_name(&plain)) {
        plain = Cow::Owned(row);
    }
    plain
}

/// The line behind the date and the time that a log puts in front of it. Where figures follow at once, the stamp is the
/// label of its row.
fn without_stamp(line: &str) -> &str {
    let rest = super::framed::without_stamp(line).map(str::trim_start);
    let named = |rest: &&str| rest.starts_with(|c: char| c.is_alphabetic() || "[<(/_".contains(c));
    rest.filter(named).unwrap_or(line)
}

/// The level of a log that at least half of the lines begin with: `[info] `.
fn level_of_most(lines: &[&str]) -> Option<&'static str> {
    const LEVELS: [&str; 8] = [
        "[info]", "[INFO]", "[debug]", "[DEBUG]", "[LOG]", "[log]", "INFO:", "LOG:",
    ];
    let full = lines.iter().filter(|line| !line.trim().is_empty());
    let count = full.clone().count();
    let most = |level: &&&str| {
        let own = full
            .clone()
            .filter(|line| without_stamp(line).starts_with(**level));
        let own = own.count();
        own > 1 && own * 2 >= count
    };
    LEVELS.iter().find(most).copied()
}

/// A directive of a table in reStructuredText: the names of its columns; its other options say nothing.
fn directive(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(names) = line.strip_prefix(":header:") {
        return Some(names.trim().to_owned());
    }
    let options = [":widths:", ":header-rows:", ":stub-columns:", ":align:"];
    options
        .iter()
        .any(|option| line.starts_with(option))
        .then(String::new)
}

/// The lines with each row of a web page on its first one alone; the others of it are empty.
fn one_line_rows(lines: Vec<&str>) -> Vec<Cow<'_, str>> {
    /// A row that goes on longer is none.
    const LONGEST: usize = 200;
    let has = |line: &str, tag: &str| line.contains('<') && line.to_ascii_lowercase().contains(tag);
    let mut made: Vec<Cow<str>> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let rows = &lines[at..lines.len().min(at + LONGEST)];
        let begins = has(rows[0], "<tr") && !has(rows[0], "</tr");
        let closed = rows.iter().position(|line| has(line, "</tr"));
        // Pages leave the closing tag out.
        let next = |line: &&str| {
            ["<tr", "</tbody", "</table"]
                .iter()
                .any(|tag| has(line, tag))
        };
        let open = rows.iter().skip(1).position(next);
        let end = match (closed, open) {
            (Some(closed), Some(open)) => Some(closed.min(open)),
            (closed, open) => closed.or(open),
        };
        let end = end.filter(|_| begins);
        match end {
            Some(end) => {
                made.push(Cow::Owned(rows[..=end].join(" ")));
                made.extend((0..end).map(|_| Cow::Borrowed("")));
                at += end + 1;
            }
            None => {
                made.push(Cow::Borrowed(lines[at]));
                at += 1;
            }
        }
    }
    made
}

/// A line of a part that a page folds away: the words that it is opened by are its heading, and its tags say nothing.
fn folded(line: &str) -> Option<String> {
    let mut rest = line.trim();
    if !rest.starts_with('<') {
        return None;
    }
    let mut heading = None;
    while let Some((tag, behind)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let name = tag_name(tag);
        rest = behind.trim_start();
        if heading.is_none() && (name == "summary" || name.len() == 2 && name.starts_with('h')) {
            let end = format!("</{name}>");
            let (words, behind) = rest.split_once(&end).unwrap_or((rest, ""));
            heading = Some(format!("### {}", untagged(words).trim()));
            rest = behind.trim_start();
        } else if !["details", "p", "br", "pre", "code", "div"].contains(&name.as_str()) {
            return None;
        }
    }
    match heading {
        Some(heading) => rest.is_empty().then_some(heading),
        None => Some(rest.to_owned()),
    }
}

/// A row of a web page that stands in one line, with bars between its cells.
fn html(line: &str) -> Option<String> {
    let lower = line.to_ascii_lowercase();
    let cells = lower.matches("<td").count() + lower.matches("<th").count()
        - lower.matches("<thead").count();
    if cells < 2 {
        return None;
    }
    let mut row = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('<') {
        let (tag, after) = behind.split_once('>')?;
        row += before.trim();
        let tag = tag.to_ascii_lowercase();
        if tag_name(&tag) == "br" {
            row += match begins_figure(after) && row.ends_with(|c: char| c.is_ascii_digit()) {
                true => "<br>",
                false => " ",
            };
        }
        if tag.starts_with("td") || (tag.starts_with("th") && !tag.starts_with("thead")) {
            row += if row.is_empty() { "| " } else { " | " };
        }
        rest = after;
    }
    row += rest.trim();
    Some(row + " |")
}

/// Does a figure alone stand in front of the next tag?
fn begins_figure(html: &str) -> bool {
    let text = html.split('<').next().unwrap_or(html);
    matches!(cell(text), Cell::Amount(..))
}

/// `[words](address)` as its words.
fn unlinked(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        let (front, behind) = rest.split_at(at);
        let open = front.rfind('[');
        // The bracket that closes is looked for behind an address alone, so that a long line is gone through once.
        let address = ["http", "/", "#", "./", "../"]
            .iter()
            .any(|begin| behind[2..].starts_with(begin));
        let close = address.then(|| behind.find(')')).flatten();
        match (open, close) {
            (Some(open), Some(close)) => {
                out += front[..open].strip_suffix('!').unwrap_or(&front[..open]);
                out += &front[open + 1..];
                rest = &behind[close + 1..];
            }
            _ => {
                out += front;
                out += "](";
                rest = &behind[2..];
            }
        }
    }
    out + rest
}

/// A row of a wiki with one bar between its cells: `||a||b||`, in which an empty piece makes the next cell stand over
/// two columns; in MediaWiki `| a || b`.
fn wiki_row(line: &str, wiki: bool) -> Option<String> {
    let bare = line.trim();
    if wiki
        && ["{|", "|-", "|}", "|+"]
            .iter()
            .any(|sign| bare.starts_with(sign))
    {
        return Some(String::new());
    }
    let inner = match bare.strip_prefix("||") {
        Some(inner) => inner.strip_suffix("||")?,
        None if wiki && bare.contains("||") => bare.strip_prefix('|')?,
        None => return None,
    };
    let mut row = String::from("|");
    let mut over = 1;
    for piece in inner.split("||") {
        if piece.is_empty() {
            over += 1;
            continue;
        }
        for _ in 0..over {
            row += " ";
            row += piece.replace("'''", "").replace("''", "").trim();
            row += " |";
        }
        over = 1;
    }
    Some(row)
}

/// The names of columns in MediaWiki, `! a !! b`.
fn wiki_header(line: &str) -> Option<String> {
    let names = line.trim().strip_prefix('!')?;
    Some(format!("| {} |", names.replace("!!", "|").trim()))
}

/// The name of a tag, `br` of `br /`, `td` of `/td class="x"`.
fn tag_name(tag: &str) -> String {
    let tag = tag.trim_start_matches('/');
    let end = tag.find([' ', '/']).unwrap_or(tag.len());
    tag[..end].to_ascii_lowercase()
}

/// The name of a side without its tags, as the cell of a web page that has this name is read: `RPi 2<br />Ubuntu`.
pub(crate) fn untagged(name: &str) -> String {
    retagged(name, |tag, behind| match tag {
        "br" => Some((" ", behind)),
        tag => (tag == "a" || LOOKS.contains(&tag)).then_some(("", behind)),
    })
}

/// A row between bars without tags that only say how it looks, and without the notes that they point at. Breaks stay:
/// they part figures.
fn without_tags(line: &str) -> String {
    let plain = retagged(line, |tag, behind| match tag {
        "br" => Some(("<br>", behind)),
        "sup" => Some((
            "",
            behind.split_once("</sup>").map_or(behind, |parts| parts.1),
        )),
        tag => LOOKS.contains(&tag).then_some(("", behind)),
    });
    unescaped(&plain)
}

/// A row between bars without the marks that Markdown puts before signs, `298540\.59`, but for those before bars.
fn unescaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let sign = rest
            .peek()
            .is_some_and(|next| next.is_ascii_punctuation() && !"|\\".contains(*next));
        if !(c == '\\' && sign) {
            out.push(c);
        }
    }
    out
}

/// `text` with its tags as `of` makes them, which is given the name of each and what follows: what stands in its place,
/// and what is left. What `of` does not know is a sign, or part of a name of C++, and stays.
fn retagged<'a>(text: &'a str, of: impl Fn(&str, &'a str) -> Option<(&'a str, &'a str)>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        out += before;
        let tag = behind.split_once('>');
        let (place, left) = tag
            .and_then(|(tag, after)| of(&tag_name(tag), after))
            .unwrap_or(("<", behind));
        out += place;
        rest = left;
    }
    out + rest
}

/// `label -> 3.5 GB/s` with a gap for the arrow. A figure in front of it is the first of two.
fn with_gap(line: &str) -> Option<String> {
    let bare = line.trim_start();
    if bare.starts_with(['#', '$', '%']) {
        return None;
    }
    let sign = ARROWS.iter().find(|sign| line.contains(**sign))?;
    let (front, behind) = line.split_once(sign)?;
    let arrows = ["->", "=>", "→", "⇒"];
    if arrows
        .iter()
        .any(|arrow| behind.contains(arrow) || front.contains(arrow))
    {
        return None;
    }
    let mut words = front.split_whitespace().rev();
    let last = words.next()?;
    let option = words.next().is_some_and(|word| word.starts_with('-'));
    let figure = last.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // `120 ns -> 130 ns`
    let two = front.trim_end().rsplit(' ').nth(1).is_some_and(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && of_unit(last).is_some()
    });
    let named = front.contains(char::is_alphabetic) && !two;
    let one = matches!(cell(behind), Cell::Amount(..));
    let gap = " ".repeat(sign.chars().count());
    (one && named && (option || !figure)).then(|| format!("{front}{gap}{behind}"))
}

/// `label  Average=3  Average=4` with the name that all its figures have behind the label; columns stay where they are.
fn shared_name(line: &str) -> Option<String> {
    let own = wide_cells(line);
    let (name, _) = own.get(1)?.split_once('=')?;
    let sign = format!("{name}=");
    // Of `13/14` the second would be taken for a unit.
    let figure = |cell: &&str| {
        let figure = cell.strip_prefix(&sign).map(self::cell);
        matches!(figure, Some(Cell::Amount(_, unit)) if !unit.starts_with('/'))
    };
    let letters = !name.is_empty() && name.chars().all(char::is_alphabetic);
    if !letters || own.len() < 3 || own[0].contains('=') || !own[1..].iter().all(figure) {
        return None;
    }
    let end = line.find(own[0])? + own[0].len();
    let (label, rest) = line.split_at(end);
    let rest = rest.replace(&sign, &" ".repeat(sign.chars().count()));
    let rest = rest.get(name.len() + 1..)?;
    Some(format!("{label} {name}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        undressed(Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn rows_are_undressed() {
        for (dressed, wanted) in [
            (
                "[2018-07-29 13:40:21] CPU #0: 0.5 kH/s\n2022-08-05T00:18:05.8285320Z Loops: 66\n",
                "CPU #0: 0.5 kH/s\nLoops: 66\n",
            ),
            (
                "[info] copy  1.5\n[info] scan  2.5\n",
                "copy  1.5\nscan  2.5\n",
            ),
            (
                "| [one](https://a/b) | 1 |\n| **[two](https://a/c)** | 2 |\n",
                "| one | 1 |\n| **two** | 2 |\n",
            ),
            (
                "|| |||| '''A''' |||| '''B''' ||\n|| ''host'' || 1 || 2 || 3 ||4 ||\n",
                "|  | A | A | B | B |\n| host | 1 | 2 | 3 | 4 |\n",
            ),
            (
                "{| class=x\n! Test !! old !! new\n|-\n| Pipe || 1.5 || 2.5\n|}\n",
                "\n| Test | old | new |\n\n| Pipe | 1.5 | 2.5 |\n\n",
            ),
            (
                "- one MB sm,sock -> 3.5GB/s\ny -t 18 -q 8  => 450 tps\n",
                "- one MB sm,sock    3.5GB/s\ny -t 18 -q 8     450 tps\n",
            ),
            (
                "| a | <b>1.5</b> ms<sup>1</sup> | x: 1<br/>y: 2 |\n",
                "| a | 1.5 ms | x: 1<br>y: 2 |\n",
            ),
            (
                "<tr><th>Test</th><th>old</th></tr>\n<tr><td>Pipe</td><td> 1.5 </td></tr>\n",
                "| Test | old |\n| Pipe | 1.5 |\n",
            ),
            (
                "<tr>\n<th>\nTest\n\n</th>\n<th>old</th>\n</tr>\n<tr><td>Pipe</td><td>1.5</td></tr>\n",
                "| Test | old |\n\n\n\n\n\n\n| Pipe | 1.5 |\n",
            ),
            (
                "<tr><th>Test</th><th>Box 7<br />old</th></tr>\n<tr><td>Pipe</td><td>1.5<br>2.5</td></tr>\n",
                "| Test | Box 7 old |\n| Pipe | 1.5<br>2.5 |\n",
            ),
            (
                "N*(alloc)(8)   Average=3   Average=14\nx=1  n=2  n=3\n",
                "N*(alloc)(8) Average   3           14\nx=1  n=2  n=3\n",
            ),
            (
                "<details>\n<summary><b>new</b></summary>\n\na 1\n</details>\n<h3>old</h3>\n",
                "\n### new\n\na 1\n\n### old\n",
            ),
            (
                "   :header: \"a\", \"b\"\n   :widths: 30, 30\n",
                "\"a\", \"b\"\n\n",
            ),
        ] {
            assert_eq!(plain(dressed), wanted);
        }
    }

    #[test]
    fn names_without_tags() {
        for (name, wanted) in [
            ("Box 7<br />old", "Box 7 old"),
            ("<b>new</b><BR>one", "new one"),
            ("vector<int>", "vector<int>"),
            ("<i>new", "new"),
            ("a < b", "a < b"),
            ("", ""),
        ] {
            assert_eq!(untagged(name), wanted);
        }
    }

    #[test]
    fn what_is_no_dress_stays() {
        for text in [
            "2022-08-05 10:11:12  1.5  2.5\n",
            "Simple read: 1.25 -> 0.75 us\n",
            "getpid: 120 ns -> 130 ns (+8.3%)\n",
            "dump: 183 ms +- 4 ms -> 1.25 sec +- 0.1 sec: 6.83x slower\n",
            "a -> b -> 5 ns\n",
            "threads 4 -> 8\n",
            "| a || 3 |\n",
            "x[i](1) 5\n",
            "12:00:01 all 5.5\n",
            "[info] one line alone\nother\nlines\n",
        ] {
            assert_eq!(plain(text), text);
        }
    }
}
