//! From the processes of an experiment to rates by cell and path.

use whyslow_model::experiment::Trial;
use whyslow_model::tune::{CopyCell, CopyPath, CopyRates};

use super::point;

/// The typical rate of a cell in an arm: the geometric mean of its processes.
pub(super) fn typical(trial: &Trial, cell: CopyCell, arm: usize) -> Option<f64> {
    let point = point(cell);
    let own = trial
        .values
        .iter()
        .filter(|v| v.arm == arm && v.point == point);
    let logs: Vec<f64> = own.map(|v| v.value.ln()).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Every cell that has a rate as it is; the arms behind the first are `paths`.
pub(super) fn rates(trial: &Trial, cells: &[CopyCell], paths: &[CopyPath]) -> Vec<CopyRates> {
    let rate = |&cell: &CopyCell| {
        let by_path = paths.iter().enumerate();
        Some(CopyRates {
            cell,
            now: typical(trial, cell, 0)?,
            by_path: by_path
                .filter_map(|(at, path)| Some((*path, typical(trial, cell, at + 1)?)))
                .collect(),
        })
    };
    cells.iter().filter_map(rate).collect()
}
