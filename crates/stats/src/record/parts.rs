//! The values that a point's processes give: of all of it, of a series, or within a topology class.

use whyslow_model::record::{Planned, Process};
use whyslow_model::summary::Interval;

use super::estimate::estimate;
use super::slots::slots_of;
use crate::moderated::Moderated;
use crate::topology::Label;

/// A point, or a series or topology class of one, with the value of each process.
#[derive(Debug, Clone)]
pub struct PointValues<'a> {
    /// What was planned.
    pub planned: &'a Planned,
    /// The part of the point.
    pub part: Part,
    /// The series of the values, if the best of several was chosen.
    pub from: Option<String>,
    /// A value for each process, in the order of the record.
    pub processes: Vec<ProcessValue>,
    /// The variance of the processes' logarithms, moderated by the other points of the record; absent where it is
    /// not.
    pub moderated: Option<Moderated>,
    /// The series that the values are of, where they are of one.
    pub(super) series: Option<String>,
    /// The class of the samples, where they have one.
    pub(super) label: Option<Label>,
}

impl PointValues<'_> {
    /// The value with its interval, as the summary of the record has it.
    pub fn estimate(&self) -> Option<Interval> {
        estimate(&self.numbers(), self.moderated)
    }

    /// Are they of a place? Samples during a move are of none.
    pub(super) fn is_settled(&self) -> bool {
        self.label != Some(Label::Moved)
    }

    /// The values alone.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.processes.iter().map(|p| p.value).collect()
    }
}

/// The part of a point that values belong to.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// All of it.
    Whole,
    /// One of several independent series.
    Series(String),
    /// The samples in one topology class.
    Class {
        /// `near`, `far`, ...
        name: String,
        /// Typical core-to-core latency in it, one-way ns.
        handover_ns: f64,
    },
}

/// The value of one process, with its inner spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessValue {
    /// The value, in the unit of the point.
    pub value: f64,
    /// Standard deviation of the draws' logarithms; absent with fewer than two draws.
    pub draw_spread: Option<f64>,
    /// Standard deviation of the samples about their draw, as a share; absent with one sample per
    /// draw.
    pub sample_spread: Option<f64>,
    /// Of a difference of two series, the spreads of samples and draws of both together, as shares of the difference:
    /// what lets expect how much it varies between processes.
    pub(super) parts_spread: [Option<f64>; 2],
    /// Clock of the process's first CPU, GHz: the mean of before and after its batches.
    pub ghz: Option<f64>,
    /// No-op instructions per cycle dispatched by the core of its first CPU: the mean over the batches that
    /// count, or over before and after if there is no value per batch.
    pub slots: Option<f64>,
}

impl ProcessValue {
    /// What is known of a process besides its value.
    pub(super) fn of(process: &Process) -> ProcessValue {
        ProcessValue {
            value: 0.0,
            draw_spread: None,
            sample_spread: None,
            parts_spread: [None; 2],
            ghz: clock(process),
            slots: slots_of(process),
        }
    }
}

/// The clock of a process, GHz.
fn clock(process: &Process) -> Option<f64> {
    around(process.ghz?)
}

/// The mean of the readings before and after the batches; none if a reading is invalid.
fn around([before, after]: [f64; 2]) -> Option<f64> {
    Some((before + after) / 2.0).filter(|mean| mean.is_finite() && *mean > 0.0)
}
