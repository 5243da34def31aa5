//! Noise as real records have it.

use std::error::Error;
use std::path::Path;

use whyslow_fleet::measurement;
use whyslow_model::{Record, store};
use whyslow_stats::quantile::median;
use whyslow_stats::record::values;

use crate::fleet::{Noise, Processes};

/// The noise of the points of the first record: its processes as they are, and sessions as much apart as the records
/// of one host are. Nodes, which records of one host say nothing of, differ by 1 %.
pub(crate) fn noise(paths: &[String]) -> Result<Noise, Box<dyn Error>> {
    let records = paths.iter().map(|path| store::read(Path::new(path)));
    let records: Vec<Record> = records.collect::<Result<_, _>>()?;
    let first = records.first().ok_or("no record")?;
    let known = measurement(first, None);
    let mut families: Vec<&str> = known.values.iter().map(|v| v.family).collect();
    families.dedup();
    families.sort_unstable();
    families.dedup();
    let mut points = Vec::new();
    let mut counts = Vec::new();
    for of in values(first) {
        let name = of.planned.point.to_string();
        let family = known.values.iter().find(|v| v.point.starts_with(&name));
        let logs: Vec<f64> = of.processes.iter().map(|p| p.value.ln()).collect();
        let count = logs.len() as f64;
        let Some(family) = family.filter(|_| logs.len() > 1) else {
            continue;
        };
        let mean = logs.iter().sum::<f64>() / count;
        // Deviations from a mean of few are too small by this.
        let wide = (count / (count - 1.0)).sqrt();
        let off = logs.iter().map(|log| wide * (log - mean)).collect();
        let family = families.iter().position(|name| *name == family.family);
        points.push((family.unwrap_or(0), Processes::Drawn(off)));
        counts.push(count);
    }
    let processes = median(&counts).unwrap_or(3.0).round() as usize;
    Ok(Noise {
        node: 0.01,
        session: session(&records).unwrap_or(0.01),
        shared: [0.0, 0.5],
        processes,
        points,
    })
}

/// The standard deviation between records of one host beyond that of their processes, of the median point.
fn session(records: &[Record]) -> Option<f64> {
    let [a, b, ..] = records else { return None };
    let (a, b) = (measurement(a, None), measurement(b, None));
    let pairs = a.values.iter().filter_map(|x| {
        let y = b.values.iter().find(|y| y.point == x.point)?;
        let noise = |v: &whyslow_fleet::PointValue| Some(v.variance? / f64::from(v.processes));
        Some(((x.log - y.log).powi(2) - noise(x)? - noise(y)?) / 2.0)
    });
    let pairs: Vec<f64> = pairs.collect();
    // The median of the square of a normal deviation is 0.455 of its variance.
    Some((median(&pairs)? / 0.455).max(0.0).sqrt())
}
