//! turbostat: clocks, idle states and power of all processors together, interval by interval.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "turbostat",
    what: "turbostat (Core CPU Avg_MHz Busy% Bzy_MHz TSC_MHz, the line of all processors)",
    repeats: "intervals of turbostat",
    silent: "what ran meanwhile",
    roles: &[
        ("turbostat.bzy_mhz", "", Roles::All(Role::Clock)),
        ("turbostat.", "", Roles::All(Role::Count)),
    ],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &[
        "turbostat version",
        "cpuid",
        "RAPL",
        "TSC:",
        "CPUID",
        "MSR_",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 10
}

/// The names of the columns.
fn header(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let has = |name: &str| names.contains(&name);
    (has("CPU") && has("Busy%") && has("Bzy_MHz")).then_some(names)
}

/// What a column is: its unit, and which way is good. Time in idle states is good or bad as one asks.
fn column(name: &str) -> (&'static str, Better) {
    match name {
        "Bzy_MHz" => ("MHz", Higher),
        "IPC" => ("", Higher),
        name if name.ends_with("MHz") => ("MHz", Unsaid),
        name if name.ends_with("Watt") => ("W", Lower),
        name if name.ends_with('%') => ("%", Unsaid),
        name if name.ends_with("Tmp") => ("°C", Lower),
        _ => ("", Unsaid),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    /// What says which processor a row is of, and when it was.
    const PLACES: [&str; 9] = [
        "Core",
        "CPU",
        "Package",
        "Pkg",
        "Die",
        "Node",
        "APIC",
        "X2APIC",
        "Time_Of_Day_Seconds",
    ];
    let mut names: Vec<&str> = Vec::new();
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            names = found;
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        let place = names.iter().position(|name| *name == "CPU");
        let Some(cpu) = place.and_then(|at| cells.get(at)) else {
            continue;
        };
        let figures = cells
            .iter()
            .all(|cell| *cell == "-" || plain(cell).is_some());
        if cells.len() > names.len() || !figures {
            continue;
        }
        sheet.aside(number);
        // Rows of single processors are a part of the one of all.
        if *cpu != "-" {
            continue;
        }
        for (name, cell) in names
            .iter()
            .zip(&cells)
            .filter(|(name, _)| !PLACES.contains(name))
        {
            // What never happened is no amount.
            if let Some(value) = plain(cell).filter(|value| *value > 0.0) {
                let (unit, better) = column(name);
                sheet.add("", Row::new("turbostat", name, unit, better), value, number)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_their_names() {
        assert_eq!(
            header("Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz").map(|names| names.len()),
            Some(5)
        );
        assert_eq!(header("CPU %usr %sys"), None);
        assert_eq!(column("PkgWatt"), ("W", Lower));
        assert_eq!(column("C6%"), ("%", Unsaid));
    }
}
