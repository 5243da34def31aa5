//! What one record says of its node.

mod small_pages;

use std::path::Path;

use whyslow_model::fleet::HardwareFact;
use whyslow_model::{Record, Unit, store};
use whyslow_stats::record::{Part, PointValues, plain_values};

use crate::conditions::conditions;
use crate::families::{FAMILIES, family_of};
use crate::folder::{RecordFile, Stamp};
use crate::hardware::hardware;
use crate::settings::settings;
pub use crate::value::PointValue;

/// The node of records that do not say where they are from.
const NAMELESS: &str = "unnamed";

/// Why a record without an end does not count.
const UNFINISHED: &str = "is being written, or its run was killed; it counts once it is closed (`whyslow run` with --resume goes on with it)";

/// A record as the index has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The node.
    pub node: String,
    /// Start of the run, RFC 3339 in UTC.
    pub started: String,
    /// What its node can be compared by.
    pub hardware: Vec<HardwareFact>,
    /// How it was set.
    pub settings: Vec<HardwareFact>,
    /// Its points, and what was beside its work.
    pub values: Vec<PointValue>,
}

/// A file with what it says, or why it says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Indexed {
    /// Below the folder.
    pub path: String,
    /// Which version of the file this is of.
    pub stamp: Stamp,
    /// What it says; or the reason, one line.
    pub content: Result<Measurement, String>,
}

/// `text` without the one character that a database may refuse.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Reads a file of `folder`.
pub fn read(folder: &Path, file: &RecordFile) -> Indexed {
    let record = store::read(&folder.join(&file.path));
    Indexed {
        path: file.path.clone(),
        stamp: file.stamp,
        content: match record {
            // Half of a run says nothing of the points of the other half, and before its host is in it not even of which group it is.
            Ok(record) if record.footer.is_none() => Err(storable(&format!(
                "{}: {UNFINISHED}",
                folder.join(&file.path).display()
            ))),
            Ok(record) => Ok(measurement(&record, file.node.as_deref())),
            Err(why) => Err(storable(&why.to_string())),
        },
    }
}

/// What `record` says of `node`, or of the host that it names.
pub fn measurement(record: &Record, node: Option<&str>) -> Measurement {
    let host = record.host.as_deref();
    let named = || host.and_then(|host| host.name.value().map(String::as_str));
    let stated = || record.origin.as_ref().map(|origin| origin.system.as_str());
    let name = node.or_else(named).or_else(stated);
    let name = name.filter(|name| !name.is_empty()).unwrap_or(NAMELESS);
    let roles = whyslow_explain::roles(record);
    let planned = record.plan.points.iter().zip(roles);
    let families: std::collections::HashMap<_, _> = planned
        .filter_map(|(planned, role)| Some((&planned.point, family_of(role)?)))
        .collect();
    let found = plain_values(record);
    let mut seen = std::collections::HashSet::new();
    let values = found.iter().filter_map(|of| {
        let family = families.get(&of.planned.point)?;
        // A plan that names a point twice, as no run writes one, has one value of it.
        value(of, FAMILIES[*family].0).filter(|value| seen.insert(value.point.clone()))
    });
    let mut values: Vec<PointValue> = values.collect();
    values.extend(small_pages::instead(record, &values));
    values.extend(conditions(record));
    Measurement {
        node: storable(name),
        started: storable(&record.header.started),
        hardware: hardware(host),
        settings: settings(record),
        values,
    }
}

fn value(of: &PointValues<'_>, family: &'static str) -> Option<PointValue> {
    // Sizes and counts are of the machine, and not how fast it is.
    if matches!(of.planned.unit, Unit::Bytes | Unit::Count) {
        return None;
    }
    let sign = of.planned.better.worse(1.0)?;
    let logs = of.processes.iter().map(|p| sign * p.value.ln());
    let logs: Vec<f64> = logs.collect();
    if logs.is_empty() || logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let point = of.planned.point.to_string();
    Some(PointValue {
        point: storable(&match &of.part {
            Part::Whole => point,
            Part::Series(name) | Part::Class { name, .. } => format!("{point}, {name}"),
        }),
        family,
        log: mean,
        variance: (logs.len() > 1).then(|| squares / (count - 1.0)),
        processes: logs.len() as u32,
    })
}
