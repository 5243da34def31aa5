//! Takes off what schedulers' mails put behind each figure of a normalized table: the change and the deviation, both in
//! percent, `baseline[pct imp](std%)` over `1.00 [ 0.00]( 1.50)`. Columns stay where they are.

use std::borrow::Cow;

use super::line_end;

/// `whole` without such brackets.
pub(crate) fn bare(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains("](") {
        return whole;
    }
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let Some(first) = lines
        .iter()
        .position(|line| without(line, is_name).is_some())
    else {
        return whole;
    };
    let made = lines.iter().enumerate().map(|(at, line)| {
        let is = if at == first { is_name } else { is_percent };
        let plain = (at >= first).then(|| without(line, is)).flatten();
        plain.map_or(Cow::Borrowed(*line), Cow::Owned)
    });
    Cow::Owned(made.collect::<Vec<_>>().join(end))
}

/// Is it what the change or the deviation is called?
fn is_name(inner: &str) -> bool {
    let words =
        inner.contains(char::is_alphabetic) && !inner.contains(|c: char| c.is_ascii_digit());
    words && (inner.contains('%') || inner.contains("pct"))
}

/// Is it a percentage?
fn is_percent(inner: &str) -> bool {
    inner.trim().trim_end_matches('%').parse::<f64>().is_ok()
}

/// The line with spaces for its pairs of brackets that hold what `is` says; none where it has no such pair.
fn without(line: &str, is: fn(&str) -> bool) -> Option<String> {
    let mut plain = line.to_owned();
    let mut from = 0;
    let mut found = false;
    while let Some(middle) = line[from..].find("](").map(|at| from + at) {
        // Within the pair are no brackets, so that a long line is gone through once.
        let open = line[from..middle].rfind('[').map(|at| from + at);
        from = middle + 2;
        let next = line[from..].find(['(', ')', '[', ']']).map(|at| from + at);
        let close = next.filter(|at| line[*at..].starts_with(')'));
        if let (Some(open), Some(close)) = (open, close)
            && is(&line[open + 1..middle])
            && is(&line[from..close])
        {
            plain.replace_range(open..=close, &" ".repeat(close - open + 1));
            found = true;
        }
    }
    found.then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn changes_and_deviations_are_taken_off() {
        let of = |text: &str| bare(text.into()).into_owned();
        assert_eq!(
            of(
                "case  load  base[pct imp](std%)  NEW[pct imp]( std%)\nx     1     1.00 [ 0.00]( 1.5)   0.71 [+29.0]( 3.56)\n"
            ),
            "case  load  base                 NEW                \nx     1     1.00                 0.71               \n"
        );
        for kept in [
            "[words](address) 5\n",
            "a  1.00 [ 0.00]( 1.5)\n",
            "x[i](1) 5\n",
            "",
        ] {
            assert_eq!(of(kept), kept);
        }
    }
}
