//! How much of their cores the processes of a record had.

use whyslow_model::record::{Process, Record};

use super::values::around;
use crate::quantile::quantile;

/// Below this share of the best that was seen, somebody else took turns: readings of a core that nobody
/// shares lie within 2 % of each other, and a busy hardware thread takes a third or more.
const SHARED: f64 = 0.9;

/// Fewer processes than this make no distribution.
const FEWEST: usize = 20;

/// What the cores handed out a cycle, over the processes of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slots {
    /// In the middle.
    pub middle: f64,
    /// At their best, which is what the core can do if it was ever left alone.
    pub best: f64,
    /// Share of the processes in which it was well below that.
    pub shared: f64,
    /// In the middle of those processes; absent where there were none.
    pub when_shared: Option<f64>,
}

impl Slots {
    /// Of the rounds of `record`; none where too few processes looked.
    pub fn of(record: &Record) -> Option<Slots> {
        let rounds = record.processes.iter().filter(|p| p.round > 0);
        let seen: Vec<f64> = rounds.filter_map(slots_of).collect();
        if seen.len() < FEWEST {
            return None;
        }
        // Not the very best: one misread clock would make all others shared.
        let (middle, best) = (quantile(&seen, 0.5)?, quantile(&seen, 0.98)?);
        let low = seen.iter().copied().filter(|slots| *slots < SHARED * best);
        let low: Vec<f64> = low.collect();
        Some(Slots {
            middle,
            best,
            shared: low.len() as f64 / seen.len() as f64,
            when_shared: quantile(&low, 0.5),
        })
    }
}

/// What the core of a process handed out a cycle, on average of before and after.
pub fn slots_of(process: &Process) -> Option<f64> {
    around(process.slots?)
}
