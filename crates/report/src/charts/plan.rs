//! Which charts a set of records has.

use std::collections::HashSet;

use whyslow_model::Point;
use whyslow_model::comparison::Comparison;
use whyslow_model::summary::PointSummary;

use super::{
    Figure, Side, Table, bandwidth, cores, families, forest, latency, load, rounds, strip, values,
    variance,
};

/// All charts, by what they are of.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Ratios, surest first.
    pub(crate) forest: Option<Figure>,
    /// The surest of them, few enough for one look.
    pub(crate) surest: Option<Figure>,
    /// The table of each comparison.
    pub(crate) ratios: Vec<Table>,
    /// A command under load.
    pub(crate) load: Vec<Figure>,
    /// Latency curves of random loads.
    pub(crate) latency: Option<Figure>,
    /// Latency curves by stride, a chart a side.
    pub(crate) strides: Vec<Figure>,
    /// Bandwidth by level and shape.
    pub(crate) bandwidth: Option<Figure>,
    /// Core to core, a matrix a side.
    pub(crate) cores: Vec<Figure>,
    /// What lies along another number.
    pub(crate) families: Vec<Figure>,
    /// Everything else, by unit.
    pub(crate) values: Vec<Figure>,
    /// Variance by level, a chart a side.
    pub(crate) variance: Vec<Figure>,
    /// Drift by round.
    pub(crate) rounds: Option<Figure>,
    /// One record along the time of its run.
    pub(crate) strip: Option<Figure>,
}

/// The charts of `sides`.
pub(crate) fn figures(sides: &[Side<'_>], comparisons: &[Comparison]) -> Figures {
    let several = sides.len() > 1;
    let random = latency::random(sides);
    let strides: Vec<Figure> = sides
        .iter()
        .filter_map(|s| latency::strides(s, several))
        .collect();
    // Too few sizes for a curve are values like any others.
    let on_a_curve = |p: &PointSummary| match p.point.get("stride") {
        Some(_) => !strides.is_empty(),
        None => random.is_some(),
    };
    let own = |p: &PointSummary| {
        let probe = p.point.probe.as_str();
        (probe == latency::PROBE && p.size_bytes.is_some() && on_a_curve(p))
            || bandwidth::is(p)
            || (probe == cores::PROBE && p.point.get("a").is_some())
    };
    let all = || sides.iter().flat_map(|s| &s.summary.points);
    let mut taken: HashSet<&Point> = all().filter(|p| own(p)).map(|p| &p.point).collect();
    let (load, shown) = load::figures(sides);
    taken.extend(shown);
    let (families, shown) = families::figures(sides, &taken);
    taken.extend(shown);
    let mut rest: Vec<&Point> = Vec::new();
    let mut seen = HashSet::new();
    for point in all().map(|p| &p.point) {
        if !taken.contains(point) && seen.insert(point) {
            rest.push(point);
        }
    }
    let letters = sides.iter().skip(1).map(|s| s.letter);
    Figures {
        forest: forest::figure(comparisons, sides, forest::MOST),
        surest: forest::surest(comparisons, sides),
        ratios: comparisons
            .iter()
            .zip(letters)
            .map(|(c, letter)| forest::table(c, letter, sides))
            .collect(),
        load,
        latency: random,
        strides,
        bandwidth: bandwidth::figure(sides),
        cores: sides
            .iter()
            .filter_map(|s| cores::figure(s, several))
            .collect(),
        families,
        values: values::figures(&rest, sides),
        variance: sides
            .iter()
            .filter_map(|s| variance::figure(s, several))
            .collect(),
        rounds: rounds::figure(sides),
        strip: match sides {
            [one] => strip::figure(one),
            _ => None,
        },
    }
}

impl Figures {
    /// The one chart that shows the answer: the latency curves where they are what differs, or all there is to see; else
    /// the surest ratios.
    pub(crate) fn hero(&self, comparisons: &[Comparison]) -> Option<&Figure> {
        let real = || {
            let points = comparisons.iter().flat_map(|c| &c.points);
            points.filter(|p| whyslow_compare::is_real(&p.verdict))
        };
        let on_curve = real().filter(|p| p.point.probe == latency::PROBE).count();
        let curve_differs = on_curve * 2 >= real().count();
        match (&self.latency, &self.surest) {
            (Some(curve), _) if curve_differs => Some(curve),
            (_, Some(surest)) => Some(surest),
            (Some(curve), None) => Some(curve),
            (None, None) => self.load.first().or_else(|| self.best().into_iter().next()),
        }
    }

    /// The charts that show the points best: of points of one kind the chart of that kind; of a mixture
    /// the ratios where there are several records, else a chart of each kind and unit.
    pub(super) fn best(&self) -> Vec<&Figure> {
        let kinds = self.load.iter().chain(&self.latency).chain(&self.strides);
        let kinds = kinds.chain(&self.bandwidth).chain(&self.cores);
        let all: Vec<&Figure> = kinds.chain(&self.families).chain(&self.values).collect();
        match (all.as_slice(), &self.forest) {
            ([_], _) | (_, None) => all,
            (_, Some(forest)) => vec![forest],
        }
    }
}
