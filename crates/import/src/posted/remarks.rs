//! Remarks behind figures, where they tell rows of one label apart.

use super::PostedRow;

/// Rows of one label that differ in what stands in brackets behind their figure, `(mean)` and `(mean, across all)`, with
/// that in their labels; nothing where there are none.
pub(crate) fn with_remarks<'a>(
    rows: &[(usize, PostedRow<'a>)],
) -> Option<Vec<(usize, PostedRow<'a>)>> {
    let remark = |row: &PostedRow<'a>| -> Option<&'a str> {
        let [only] = row.cells[..] else { return None };
        let (_, inner) = only.rsplit_once('(')?;
        let inner = inner.trim().strip_suffix(')')?;
        inner.starts_with(char::is_alphabetic).then_some(inner)
    };
    let apart = |(_, row): &(usize, PostedRow<'a>)| {
        let own = remark(row);
        let mut others = rows.iter().filter(|(_, other)| other.label == row.label);
        own.is_some() && others.any(|(_, other)| remark(other).is_some_and(|of| Some(of) != own))
    };
    if rows.len() > 200 || !rows.iter().any(apart) {
        return None;
    }
    let named = rows.iter().map(|of| {
        let (line, mut row) = of.clone();
        if let Some(remark) = remark(&row).filter(|_| apart(of)) {
            row.label = format!("{}, {remark}", row.label);
        }
        (line, row)
    });
    Some(named.collect())
}
