//! Taking printed lines apart, without regular expressions: every step is linear.

use crate::number;

/// `text` without `prefix`, letters compared without case, spaces in front dropped.
pub(crate) fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let text = text.trim_start();
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| text[prefix.len()..].trim_start())
}

/// Does `text` hold `part`, letters compared without case?
pub(crate) fn holds(text: &str, part: &str) -> bool {
    let part = part.as_bytes();
    text.as_bytes()
        .windows(part.len().max(1))
        .any(|w| w.eq_ignore_ascii_case(part))
}

/// The first word, which must be a number, and the rest.
pub(crate) fn number_first(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    Some((number::plain(&text[..end])?, text[end..].trim()))
}

/// The name before the last `: ` or colon, and what follows it.
pub(crate) fn at_colon(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    Some((name.trim(), rest.trim()))
}

/// A label of the kind `Threads: 4`, `Number of threads : 4`, its value's first word.
pub(crate) fn labelled<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let rest = after(line, label)?;
    let rest = rest.strip_prefix([':', '=']).unwrap_or(rest);
    rest.split_whitespace().next()
}

/// What stands in the round brackets that a text begins and ends with.
pub(crate) fn in_brackets(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.strip_suffix(')')
}

/// Where `part` begins in `text`, of which it is a part.
pub(crate) fn place_in(text: &str, part: &str) -> Option<usize> {
    let at = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    at.filter(|at| *at < text.len())
}

/// Splits at runs of two or more spaces or tabs, as wide tables are printed.
pub(crate) fn wide_cells(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .find(|&(i, c)| c == '\t' || (c == ' ' && rest[i + 1..].starts_with([' ', '\t'])))
            .map_or(rest.len(), |(i, _)| i);
        cells.push(rest[..end].trim());
        rest = rest[end..].trim_start();
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_lines_apart() {
        assert_eq!(after("  Real 1.0", "real"), Some("1.0"));
        assert_eq!(after("ü", "re"), None);
        assert!(holds("** System Benchmarks Index", "benchmarks"));
        assert_eq!(number_first(" 1.5 GB/s"), Some((1.5, "GB/s")));
        assert_eq!(
            labelled("Number of threads: 4", "number of threads"),
            Some("4")
        );
        assert_eq!(wide_cells("a b   1.0 \t 2"), ["a b", "1.0", "2"]);
    }
}
