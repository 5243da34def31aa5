//! Columns that number trials beside what was measured in them.

use super::Group;
use super::header::Header;
use super::names::{Kind, is_run};

impl Header {
    /// The header without the columns that number trials, `iteration`, beside what was measured in them.
    pub(super) fn without_trials(mut self, group: &Group) -> Header {
        let whole = group.rows.iter().map(|(_, row)| &row.cells);
        let whole = whole.filter(|cells| cells.len() == self.columns.len());
        let numbers = |at: usize, name: &str| {
            let mut cells = whole.clone().map(|cells| cells[at].trim());
            cells.all(|cell| is_run(&format!("{name} {cell}")))
        };
        let trials = |(at, kind): (usize, &Kind)| match kind {
            Kind::Values(name) if numbers(at, name) => Some(at),
            _ => None,
        };
        let found: Vec<usize> = self.columns.iter().enumerate().filter_map(trials).collect();
        if found.len() < self.names().count() {
            for at in found {
                self.columns[at] = Kind::Derived;
            }
        }
        self
    }
}
