//! Rows of tables of LaTeX, `fork & 112.5 & 98.5 \\\\`: they get bars.

use std::borrow::Cow;

/// Fewer rows may be anything.
const FEWEST: usize = 2;

/// `whole` with bars in such rows, and without the lines between them that only draw.
pub(crate) fn barred(whole: Cow<'_, str>) -> Cow<'_, str> {
    if whole.lines().filter(|line| is_row(line)).count() < FEWEST {
        return whole;
    }
    let lines = whole.split('\n').map(|line| {
        let bare = line.trim();
        let drawn = [
            "\\hline",
            "\\toprule",
            "\\midrule",
            "\\bottomrule",
            "\\cline",
            "\\begin{",
            "\\end{",
        ];
        if drawn.iter().any(|word| bare.starts_with(word)) && !is_row(bare) {
            return String::new();
        }
        match row(bare) {
            Some(row) => {
                let cells: Vec<&str> = row.split('&').map(str::trim).collect();
                format!(
                    "| {} |",
                    cells.join(" | ").replace("\\%", "%").replace("\\_", "_")
                )
            }
            None => line.to_owned(),
        }
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// What stands in front of the two strokes that end a row.
fn row(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_suffix("\\hline").map_or(line, str::trim_end);
    let row = line.strip_suffix("\\\\")?;
    (row.contains(" & ") && !row.contains('|')).then(|| row.trim_end())
}

fn is_row(line: &str) -> bool {
    row(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_bars() {
        let table = "\\begin{tabular}{lrr}\n & old & new \\\\ \\hline\nfork & 112.5 & 98.5 \\\\\nexec & 610 & 605 \\\\\n";
        let made = "\n|  | old | new |\n| fork | 112.5 | 98.5 |\n| exec | 610 | 605 |\n";
        assert_eq!(barred(Cow::Borrowed(table)), made);
        assert_eq!(barred(Cow::Borrowed("a & b \\\\\nc\n")), "a & b \\\\\nc\n");
    }
}
