//! A record with the look-ups that charts need.

use std::collections::HashMap;

use whyslow_model::Point;
use whyslow_model::record::{Draw, Outcome, Planned, Process, Record};
use whyslow_model::summary::{PointSummary, Summary};
use whyslow_stats::record::{Alone, draw_middle};

use super::names::Names;
use crate::Shown;

/// Sides that can be told apart by letter and color.
pub(crate) const MOST: usize = 8;

/// A process with its place in the record and its draws.
type Measured<'a> = (usize, &'a Process, &'a [Draw]);

/// A record as one side of a page.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    /// `A`, `B`, ...
    pub(crate) letter: char,
    /// Index of its color.
    pub(crate) color: usize,
    /// How the user knows it.
    pub(crate) name: &'a str,
    /// What charts call it in place of its letter.
    pub(crate) renamed: Option<String>,
    pub(crate) record: &'a Record,
    pub(crate) summary: &'a Summary,
    measured: HashMap<&'a Point, Vec<Measured<'a>>>,
    /// The record as its values are taken.
    alone: Alone<'a>,
    planned: HashMap<&'a Point, &'a Planned>,
    points: HashMap<&'a Point, &'a PointSummary>,
    names: Names<'a>,
}

/// The sides in their order; more than can be told apart are left out.
pub(crate) fn sides<'a>(shown: &[Shown<'a>]) -> Vec<Side<'a>> {
    let letters = ('A'..='Z').take(MOST);
    let sides = shown.iter().zip(letters).enumerate();
    sides
        .map(|(i, (s, letter))| Side::new(i, letter, s))
        .collect()
}

impl<'a> Side<'a> {
    fn new(color: usize, letter: char, shown: &Shown<'a>) -> Side<'a> {
        let mut measured: HashMap<_, Vec<_>> = HashMap::new();
        for (index, process) in shown.record.processes.iter().enumerate() {
            if let Outcome::Draws(draws) = &process.outcome
                && process.round > 0
            {
                let all = measured.entry(&process.point).or_default();
                all.push((index, process, draws.as_slice()));
            }
        }
        let planned = shown.record.plan.points.iter();
        Side {
            letter,
            color,
            name: shown.name,
            renamed: None,
            record: shown.record,
            summary: shown.summary,
            measured,
            alone: Alone::of(shown.record),
            planned: planned.map(|p| (&p.point, p)).collect(),
            points: shown.summary.points.iter().map(|p| (&p.point, p)).collect(),
            names: Names::of(
                shown
                    .summary
                    .points
                    .iter()
                    .map(|p| (&p.point, p.title.as_deref())),
            ),
        }
    }

    /// What stands in front of what is its own: the name given for charts, or its letter.
    pub(crate) fn label(&self) -> String {
        let called = self.renamed.clone();
        called.unwrap_or_else(|| self.letter.to_string())
    }

    /// What a legend has for it.
    pub(crate) fn in_legend(&self) -> String {
        let called = self.renamed.clone();
        called.unwrap_or_else(|| format!("{}: {}", self.letter, self.short_name()))
    }

    /// Its name without the folders that it lies in.
    pub(crate) fn short_name(&self) -> &'a str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }

    /// The processes that measured `point`.
    pub(crate) fn measured(&self, point: &Point) -> &[Measured<'a>] {
        self.measured
            .get(point)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// What a point is called: as its source does, where it has one.
    pub(crate) fn called(&self, point: &Point, title: Option<&str>) -> String {
        self.names.name(point, title)
    }

    /// What the record says of `point`.
    pub(crate) fn point(&self, point: &Point) -> Option<&'a PointSummary> {
        self.points.get(point).copied()
    }

    /// The middle time of every draw of `point`, ns per unit of work, by process.
    pub(crate) fn draw_middles(&self, point: &PointSummary) -> Vec<(&'a Process, Vec<f64>)> {
        let Some(planned) = self.planned.get(&point.point) else {
            return Vec::new();
        };
        let from = point.from.as_deref();
        let of = |index: usize| match &self.alone.record.processes[index].outcome {
            Outcome::Draws(draws) => {
                let middles = draws.iter().filter_map(|d| draw_middle(planned, d, from));
                middles.collect()
            }
            Outcome::Failed(_) => Vec::new(),
        };
        let processes = self.measured(&point.point).iter();
        processes.map(|(index, p, _)| (*p, of(*index))).collect()
    }

    /// Least and largest middle time of a draw of `point`, in the unit of its values, over all
    /// processes; absent with fewer than two draws.
    pub(crate) fn draw_range(&self, point: &PointSummary) -> Option<[f64; 2]> {
        let middles = self.draw_middles(point);
        let all = middles.iter().flat_map(|(_, middles)| middles);
        let values: Vec<f64> = all.map(|ns| point.unit.value(1.0, *ns)).collect();
        if values.len() < 2 {
            return None;
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some([low, high])
    }
}
