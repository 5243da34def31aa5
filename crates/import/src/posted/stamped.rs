//! Rows that a log began with the time at which each was written: repetitions of one.

use super::Group;

impl Group<'_> {
    /// The rows without their labels, where all of these are times.
    pub(super) fn unstamp(&mut self) {
        if self.rows.len() > 1 && self.rows.iter().all(|(_, row)| is_stamp(&row.label)) {
            for (_, row) in &mut self.rows {
                row.label.clear();
            }
        }
    }
}

/// A line without the time at which it was written, in a cell of its own.
pub(crate) fn unstamped(line: &str) -> &str {
    match line.trim_start().split_once([',', ';', '|', '\t']) {
        Some((front, rest)) if is_stamp(front) => rest,
        _ => line,
    }
}

/// Is it a day, a time of a day, or both: `2017-09-03 11:31:28`, `2025-04-01T10:00:00Z`, `11:31:28`?
pub(super) fn is_stamp(label: &str) -> bool {
    let parts = |text: &str, sign: char, widths: [usize; 3]| {
        let mut parts = text.split(sign);
        let fit = widths.iter().all(|width| {
            parts.next().is_some_and(|part| {
                part.len() == *width && part.bytes().all(|b| b.is_ascii_digit())
            })
        });
        fit && parts.next().is_none()
    };
    let day = |text: &str| parts(text, '-', [4, 2, 2]) || parts(text, '/', [4, 2, 2]);
    let time = |text: &str| {
        let whole = text.trim_end_matches('Z');
        let whole = whole.split(['+', '.', ',']).next().unwrap_or(whole);
        parts(whole, ':', [2, 2, 2])
    };
    let label = label.trim();
    match label.split_once([' ', 'T']) {
        Some((front, behind)) => day(front) && time(behind.trim_start()),
        None => day(label) || time(label),
    }
}

#[cfg(test)]
mod tests {
    use super::is_stamp;

    #[test]
    fn times_of_rows() {
        for stamp in [
            "2017-09-03 11:31:28",
            "2025/04/01",
            "2025-04-01T10:00:00.5Z",
            "23:59:01",
        ] {
            assert!(is_stamp(stamp), "{stamp}");
        }
        for other in [
            "",
            "1:23",
            "5.15.0",
            "2017",
            "10-20-30",
            "before 11:31:28",
            "01:02:03:04",
        ] {
            assert!(!is_stamp(other), "{other}");
        }
    }
}
