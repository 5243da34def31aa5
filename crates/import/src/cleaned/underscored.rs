//! Headers whose names stand between underscores in place of spaces, `____optype__elapsed_____ops(total)__p99(ms)_pMax(ms)`.

use std::borrow::Cow;

use super::line_end;

/// Fewer runs of underscores may be within names.
const FEWEST: usize = 3;

/// `whole` with spaces in such headers. Columns stay where they are.
pub(crate) fn spaced(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains("__") {
        return whole;
    }
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    if !lines.iter().any(|line| is_header(line)) {
        return whole;
    }
    let made = lines.iter().map(|line| match is_header(line) {
        true => Cow::Owned(line.replace('_', " ")),
        false => Cow::Borrowed(*line),
    });
    Cow::Owned(made.collect::<Vec<_>>().join(end))
}

/// One word that begins with an underscore, and has names between runs of them.
fn is_header(line: &str) -> bool {
    let line = line.trim();
    let names = line
        .split("__")
        .filter(|name| name.contains(char::is_alphabetic));
    line.starts_with('_') && !line.contains([' ', '\t', '|', '.']) && names.count() > FEWEST
}

#[cfg(test)]
mod tests {
    use super::spaced;

    #[test]
    fn underscores_part_the_names_of_a_header() {
        let of = |text: &str| spaced(text.into()).into_owned();
        assert_eq!(
            of("__kind__elapsed___ops(total)__p99(ms)_pMax(ms)\n  a  1.5s  3  4.5  5.5\n"),
            "  kind  elapsed   ops(total)  p99(ms) pMax(ms)\n  a  1.5s  3  4.5  5.5\n"
        );
        for kept in ["__init__ 5\n", "a__b__c__d__e\n", "______\n", "___a___\n"] {
            assert_eq!(of(kept), kept);
        }
    }
}
