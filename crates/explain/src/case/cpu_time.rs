//! CPU time beside real time: how many CPUs were at work, and what a machine cannot give.

use whyslow_model::Record;
use whyslow_model::comparison::SideValue;
use whyslow_model::role::Role;
use whyslow_model::text::words;

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

/// A command's real time on both sides, and how many CPUs worked on it on average.
pub(crate) struct AtWork {
    /// What it is called beside `real`, `user` and `sys`; empty where nothing else is.
    pub(crate) command: String,
    pub(crate) cpus: [f64; 2],
    /// Logarithm of B's real time over A's.
    pub(crate) real: f64,
}

/// The commands of which real and user time are known, and system time where it is.
pub(crate) fn at_work(points: &[Moved<'_>]) -> Vec<AtWork> {
    let command = |point: &Moved<'_>| {
        let own = words(&point.name).into_iter();
        let rest: Vec<String> = own.filter(|w| !OF_TIMES.contains(&w.as_str())).collect();
        rest.join(" ")
    };
    let one = |role: Role, name: &str, unit: &str| -> Option<[f64; 2]> {
        let own = |p: &&Moved<'_>| p.role == role && unit_of(p) == unit && command(p) == name;
        let mut found = points.iter().filter(own);
        let first = found.next().filter(|_| found.next().is_none())?;
        Some([value(first, 0), value(first, 1)])
    };
    let real = points.iter().filter(|p| p.role == Role::RealTime);
    let found = real.filter_map(|point| {
        let name = command(point);
        let of = |role: Role| one(role, &name, unit_of(point));
        let (real, user) = (of(Role::RealTime)?, of(Role::UserTime)?);
        let system = of(Role::SystemTime).unwrap_or([0.0; 2]);
        let cpus = [0, 1].map(|side| (user[side] + system[side]) / real[side]);
        let sound = cpus.iter().all(|c| c.is_finite() && *c > 0.0);
        sound.then(|| AtWork {
            command: name,
            cpus,
            real: (real[1] / real[0]).ln(),
        })
    });
    found.collect()
}

/// The unit of a time, seconds in one spelling.
fn unit_of<'a>(point: &'a Moved<'_>) -> &'a str {
    match point.point.symbol.as_deref().unwrap_or_default() {
        "sec" | "secs" | "second" | "seconds" => "s",
        unit => unit,
    }
}

/// Words of the names of times, beside which stands what they are of.
const OF_TIMES: [&str; 10] = [
    "real", "user", "sys", "system", "elapsed", "wall", "clock", "time", "cpu", "total",
];

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
