//! A part of a record as a side of its own: one number of copies against another, one kind of pages against another.

use whyslow_model::Record;

/// Why a record has no such part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// No point has the parameter.
    #[error("no point of it has the parameter {name}; there are {there}")]
    NoParameter {
        /// The parameter.
        name: String,
        /// Those that there are.
        there: String,
    },
    /// No point has the parameter with that value.
    #[error("{name} is nowhere {value} in it; it is {there}")]
    NoValue {
        /// The parameter.
        name: String,
        /// Its value.
        value: String,
        /// The values that there are.
        there: String,
    },
}

fn list(mut words: Vec<&str>) -> String {
    words.sort_unstable();
    words.dedup();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(", "),
    }
}

/// The points of `record` whose parameter `name` is `value`, without that parameter, so that they stand beside those
/// of another value.
///
/// # Errors
/// When no point has it.
pub fn part(record: &Record, name: &str, value: &str) -> Result<Record, PartError> {
    let params = || record.plan.points.iter().flat_map(|p| &p.point.params);
    let values: Vec<&str> = params()
        .filter(|(n, _)| n == name)
        .map(|(_, v)| v.as_str())
        .collect();
    if values.is_empty() {
        return Err(PartError::NoParameter {
            name: name.to_owned(),
            there: list(params().map(|(n, _)| n.as_str()).collect()),
        });
    }
    if !values.contains(&value) {
        return Err(PartError::NoValue {
            name: name.to_owned(),
            value: value.to_owned(),
            there: list(values),
        });
    }
    let mut cut = record.clone();
    cut.plan.points.retain(|p| p.point.get(name) == Some(value));
    cut.processes.retain(|p| p.point.get(name) == Some(value));
    let points = cut.plan.points.iter_mut().map(|p| &mut p.point);
    for point in points.chain(cut.processes.iter_mut().map(|p| &mut p.point)) {
        point.params.retain(|(n, _)| n != name);
    }
    Ok(cut)
}
