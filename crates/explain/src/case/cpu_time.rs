//! CPU time that a machine cannot give: more than its CPUs have in the real time.

use whyslow_model::Record;
use whyslow_model::comparison::SideValue;
use whyslow_model::role::Role;

use super::Moved;

/// A core has so many hardware threads at most, which a publication may not count.
const THREADS: f64 = 8.0;

/// Marks the times of a command as not moved where one side's cannot be right, and says why.
pub(super) fn set_aside(points: &mut [Moved<'_>], records: [&Record; 2]) -> Vec<String> {
    let impossible = |side: usize| -> Option<String> {
        let cpus = cpus(records[side])?;
        let of = |role: Role| {
            let mut own = points.iter().filter(|p| p.role == role);
            let first = own.next().map(|p| (value(p, side), p.point.symbol.clone()));
            first.filter(|_| own.next().is_none())
        };
        let (real, unit) = of(Role::RealTime)?;
        let times = [of(Role::UserTime), of(Role::SystemTime)];
        let spent = times.into_iter().flatten().filter(|(_, own)| *own == unit);
        let spent: f64 = spent.map(|(time, _)| time).sum();
        (spent > real * cpus * THREADS).then(|| {
            format!(
                "user and system time of {} are {:.0} times the real time, and {cpus} CPUs are stated: set aside",
                ["A", "B"][side],
                spent / real,
            )
        })
    };
    let found: Vec<String> = [0, 1].into_iter().filter_map(impossible).collect();
    if !found.is_empty() {
        let times = [Role::RealTime, Role::UserTime, Role::SystemTime];
        for point in points.iter_mut().filter(|p| times.contains(&p.role)) {
            point.moved = false;
        }
    }
    found
}

fn value(point: &Moved<'_>, side: usize) -> f64 {
    let sides: [&SideValue; 2] = [&point.point.a, &point.point.b];
    sides[side].value.value
}

/// The largest number that is stated of the cores, `4 cores (8 logical CPUs)`.
fn cpus(record: &Record) -> Option<f64> {
    let stated = record.origin.as_ref()?.stated.iter();
    let mut cores = stated.filter(|(name, _)| *name == "cores");
    let (_, text) = cores.next()?;
    let words = text.split(|c: char| !c.is_alphanumeric());
    let numbers = words.filter_map(|word| word.parse::<f64>().ok());
    numbers.filter(|n| *n >= 1.0).max_by(f64::total_cmp)
}
