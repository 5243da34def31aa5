//! What the words above a table call it.

/// Longest name of a section that is part of its rows' titles, bytes.
const SHORT: usize = 24;

/// The same where it is marked as a heading.
const SHORT_HEADING: usize = 48;

/// Longest line that names anything, bytes.
const LONGEST: usize = 100;

/// The name of a section, empty where it has none.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// All of it.
    pub(crate) name: String,
    /// As its rows have it in their titles; nothing where it is too long.
    pub(crate) short: Option<String>,
}

impl Section {
    /// The section below lines of words: what is marked as a heading, or else the last two lines.
    pub(crate) fn of(lines: &[&str]) -> Section {
        let heading = lines.iter().rev().find_map(|line| heading(line));
        let (name, most) = match heading {
            Some(heading) => (heading, SHORT_HEADING),
            None => {
                let from = lines.len().saturating_sub(2);
                let name = lines[from..].join(" ");
                let name = name.trim_matches(['=', '-', '#', ':', ' ', '*']);
                (name.to_owned(), SHORT)
            }
        };
        let front = name.split(": ").next().unwrap_or_default();
        let short = [name.as_str(), front]
            .into_iter()
            .find(|name| name.len() <= most);
        let short = short.filter(|name| !name.is_empty()).map(str::to_owned);
        Section { name, short }
    }

    /// As rows have it in their titles where the same label stands below others: the words that it begins with.
    pub(crate) fn brief(&self) -> String {
        if let Some(short) = &self.short {
            return short.clone();
        }
        let mut brief = String::new();
        for word in self.name.split_whitespace() {
            if brief.len() + word.len() > SHORT_HEADING {
                break;
            }
            if !brief.is_empty() {
                brief.push(' ');
            }
            brief += word;
        }
        brief + "…"
    }

    /// Is there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.name.is_empty()
    }
}

/// Does the line say something of what is below it: words, and no long sentence?
pub(crate) fn names(line: &str) -> bool {
    let bare = without_tags(line);
    bare.len() <= LONGEST && bare.chars().any(char::is_alphabetic)
}

/// Is a line of such cells marked as a heading?
pub(crate) fn is_heading(cells: &[&str]) -> bool {
    matches!(cells, [line] if heading(line).is_some())
}

/// The words of a line that is marked as a heading, as Markdown and web pages mark one.
fn heading(line: &str) -> Option<String> {
    let line = line.trim();
    let bare = without_tags(line);
    let marked = line.starts_with("##") || (line.starts_with("**") && line.ends_with("**"));
    let tagged = ["<h", "<b>", "<strong"]
        .iter()
        .any(|tag| line.starts_with(tag));
    let bare = bare.trim_matches(['#', '*', '`', '=', ':', ' ']);
    (marked || tagged)
        .then(|| bare.to_owned())
        .filter(|bare| names(bare))
}

/// A line without tags such as `<font color="blue">`.
fn without_tags(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('<') {
        let begins = behind
            .trim_start_matches('/')
            .starts_with(|c: char| c.is_ascii_alphabetic());
        match behind.split_once('>').filter(|_| begins) {
            Some((_, behind)) => {
                text += before;
                rest = behind;
            }
            None => {
                text += before;
                text.push('<');
                rest = behind;
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_tables() {
        for (lines, name, short) in [
            (
                vec!["## SysBench Cpu", "sysbench cpu run"],
                "SysBench Cpu",
                Some("SysBench Cpu"),
            ),
            (
                vec![
                    "**<font color=\"blue\">``Pipe: perf bench sched pipe -l 400000 --threads``</font>**",
                ],
                "Pipe: perf bench sched pipe -l 400000 --threads",
                Some("Pipe: perf bench sched pipe -l 400000 --threads"),
            ),
            (vec!["<h3>Reads</h3>"], "Reads", Some("Reads")),
            (
                vec!["Other", "== Some ==", "words:"],
                "Some == words",
                Some("Some == words"),
            ),
            (
                vec!["Pipes: with what there is of machines here"],
                "Pipes: with what there is of machines here",
                Some("Pipes"),
            ),
            (
                vec!["if a < b it is so, and so on and so on"],
                "if a < b it is so, and so on and so on",
                None,
            ),
            (vec![], "", None),
        ] {
            let section = Section::of(&lines);
            assert_eq!(section.name, name);
            assert_eq!(section.short.as_deref(), short);
            let brief = section.brief();
            assert!(short.is_none_or(|short| short == brief));
            assert!(brief.len() <= SHORT_HEADING + "…".len());
        }
    }
}
