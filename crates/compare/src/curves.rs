//! Curves over the working-set size that both sides have.

use std::collections::BTreeMap;

use whyslow_model::comparison::{Curves, PointComparison, Verdict};
use whyslow_model::id;
use whyslow_model::{Record, Unit};
use whyslow_stats::record::levels;

/// Fewer sizes are no curve.
const FEWEST: usize = 4;

/// The curves, in the order of their first points. `with_levels` has them cut into levels.
pub(crate) fn curves(
    points: &[PointComparison],
    records: [&Record; 2],
    with_levels: bool,
) -> Vec<Curves> {
    let mut names: Vec<String> = Vec::new();
    let mut values: Vec<BTreeMap<u64, (f64, f64)>> = Vec::new();
    for point in points {
        let size = point
            .point
            .get("size")
            .and_then(whyslow_model::size::parse)
            .filter(|_| point.unit == Unit::Ns && point.part.is_none());
        let fits = !matches!(point.verdict, Verdict::NotComparable { .. });
        let Some(size) = size.filter(|_| fits) else {
            continue;
        };
        let name = name(point);
        let at = names.iter().position(|n| *n == name).unwrap_or_else(|| {
            names.push(name);
            values.push(BTreeMap::new());
            names.len() - 1
        });
        values[at].insert(size, (point.a.value.value, point.b.value.value));
    }
    let cut = |record: &Record| levels(record).levels;
    names
        .into_iter()
        .zip(values)
        .filter(|(_, values)| values.len() >= FEWEST)
        .map(|(name, values)| {
            // Only this curve is ever cut; see `stats::record::levels`.
            let is_cut = with_levels
                && name.starts_with(id::MEM_LATENCY)
                && name.contains("order=random")
                && name.contains("pages=4k");
            let [a_levels, b_levels] = records.map(|r| if is_cut { cut(r) } else { Vec::new() });
            Curves {
                name,
                values: values.into_iter().map(|(s, (a, b))| (s, a, b)).collect(),
                a_levels,
                b_levels,
            }
        })
        .collect()
}

/// The point without its size.
fn name(point: &PointComparison) -> String {
    let mut other = point.point.clone();
    other.params.retain(|(name, _)| name != "size");
    other.to_string()
}
