//! Columns by where their cells stand, in tables that spaces fill up: a row that lacks a cell still has the others below
//! their names.

/// Cells of a line with where they begin and end, in characters. None where a sign parts them or a tab moves them.
fn spans(line: &str, by_words: bool) -> Option<Vec<(usize, usize, &str)>> {
    if line.contains(['|', '\t']) {
        return None;
    }
    let mut found = Vec::new();
    // Where the cell began, in bytes and in characters, and its end so far.
    let mut open: Option<(usize, usize)> = None;
    let (mut end_byte, mut end) = (0, 0);
    for (place, (at, c)) in line.char_indices().enumerate() {
        if c.is_whitespace() {
            continue;
        }
        let gap = if by_words { 0 } else { 1 };
        if let Some((byte, start)) = open
            && place > end + gap
        {
            found.push((start, end, &line[byte..end_byte]));
            open = None;
        }
        open.get_or_insert((at, place));
        (end_byte, end) = (at + c.len_utf8(), place + 1);
    }
    if let Some((byte, start)) = open {
        found.push((start, end, &line[byte..end_byte]));
    }
    Some(found)
}

/// For each cell of a row the name that it stands below, where each stands below one of its own, in their order.
fn below(names: &[(usize, usize, &str)], cells: &[(usize, usize, &str)]) -> Option<Vec<usize>> {
    let mut places: Vec<usize> = Vec::with_capacity(cells.len());
    for (start, end, _) in cells {
        let over = |(from, to, _): &(usize, usize, &str)| start < to && from < end;
        let mut own = (0..names.len()).filter(|at| over(&names[*at]));
        let place = own.next().filter(|_| own.next().is_none())?;
        if places.last().is_some_and(|last| *last >= place) {
            return None;
        }
        places.push(place);
    }
    Some(places)
}

/// The cells of a row that has fewer of them than names stand above, each in its place and the others empty; none where
/// it is not certain where one belongs.
pub(crate) fn filled<'a>(header: &str, row: &'a str) -> Option<Vec<&'a str>> {
    let (names, cells) = (spans(header, false)?, spans(row, false)?);
    if names.len() < 3 || cells.len() < 2 || cells.len() >= names.len() {
        return None;
    }
    let places = below(&names, &cells)?;
    let mut filled = vec![""; names.len()];
    for (place, (_, _, text)) in places.into_iter().zip(cells) {
        filled[place] = text;
    }
    Some(filled)
}

/// The names over a row whose label and figures single spaces part, a word each; none where one stands over no figure
/// or over two.
pub(crate) fn names<'a>(header: &'a str, row: &str, width: usize) -> Option<Vec<&'a str>> {
    let (names, cells) = (spans(header, true)?, spans(row, true)?);
    let figures = cells.len().checked_sub(width).map(|from| &cells[from..])?;
    let label = names.len().checked_sub(width).filter(|label| *label <= 1)?;
    let places = below(&names, figures)?;
    let each = places
        .iter()
        .enumerate()
        .all(|(at, place)| *place == at + label);
    (each && width > 1).then(|| names.iter().map(|(_, _, text)| *text).collect())
}

/// The names in a line that stand over parts of another one, a name over each.
pub(crate) fn over<'a>(header: &'a str, line: &str, parts: &[&str]) -> Option<Vec<&'a str>> {
    let names = spans(header, false)?;
    let mut cells = Vec::with_capacity(parts.len());
    for part in parts {
        let at = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
        let start = line.get(..at)?.chars().count();
        cells.push((start, start + part.chars().count(), *part));
    }
    let places = below(&names, &cells)?;
    Some(places.into_iter().map(|at| names[at].2).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_below_their_names() {
        let header = "Test       Mode   Cnt   Score   Error  Units";
        for (row, wanted) in [
            (
                "one.two    thrpt    2    11.5          ops/s",
                Some(vec!["one.two", "thrpt", "2", "11.5", "", "ops/s"]),
            ),
            ("a          thrpt", Some(vec!["a", "thrpt", "", "", "", ""])),
            // Below two names, below none, or as many as there are.
            ("one.two    thrpt    211.5111 5    x", None),
            ("one   xx", None),
            ("| a | b |", None),
        ] {
            assert_eq!(filled(header, row), wanted, "{row}");
        }
    }

    #[test]
    fn words_stand_over_figures() {
        let row = "   4k: 1.681 1.671 1.669";
        assert_eq!(
            names(" size:  1x32  2x32  1x64", row, 3),
            Some(vec!["size:", "1x32", "2x32", "1x64"])
        );
        assert_eq!(names("all of it in ns", row, 3), None);
        assert_eq!(names(" size:  1x32", row, 3), None);
    }
}
