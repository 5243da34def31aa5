//! The cycle of one size, simulated under placements.

use super::Like;
use super::costs::cost_of;
use crate::Tally;
use crate::error::SimError;
use crate::machine::{MachineSpec, Outcome};
use crate::parallel::in_parallel;
use crate::stream::{Pattern, Stream};

/// Passes over the cycle before the one that counts: caches with any policy are in their steady state by then.
pub(super) const WARM: u32 = 2;

/// Lines that all placements of one size go through at most; larger sizes get fewer placements, whose spread falls with size.
const MOST_LINES: u64 = 1 << 18;

/// Fewest placements of a size.
const FEWEST: u32 = 1;

/// A size of more lines is alike under all placements.
pub(super) const SMOOTH: u64 = 1 << 16;

/// Placements that a size is simulated under to choose a policy and a share.
pub(super) const TRIED: u32 = 8;

/// What became of a size.
pub(super) struct Size {
    pub(super) bytes: u64,
    /// How often each thing that costs happens in a load, by placement.
    pub(super) events: Vec<Vec<f64>>,
}

impl Size {
    pub(super) fn mean(&self) -> Vec<f64> {
        let kinds = self.events.first().map_or(0, Vec::len);
        let of = |kind: usize| self.events.iter().map(|e| e[kind]).sum::<f64>();
        (0..kinds)
            .map(|kind| of(kind) / self.events.len() as f64)
            .collect()
    }

    /// ns of a load: the geometric mean over placements, as values of records are over processes.
    pub(super) fn cost(&self, costs: &[f64]) -> f64 {
        let ln = self.events.iter().map(|events| cost_of(events, costs).ln());
        (ln.sum::<f64>() / self.events.len() as f64).exp()
    }
}

/// The cycle of one size with the reads of page tables, and what translating it takes, which no cache changes.
pub(super) struct Cycle {
    bytes: u64,
    pub(super) loads: u64,
    stream: Stream,
    tlbs: Vec<Tally>,
}

impl Cycle {
    pub(super) fn new(
        spec: &MachineSpec,
        bytes: u64,
        line: u32,
        seed: u64,
    ) -> Result<Cycle, SimError> {
        let plain = Pattern::Chase.pass(bytes, line, seed)?;
        let (stream, tlbs) = spec.walked(&plain)?;
        Ok(Cycle {
            bytes,
            loads: plain.len() as u64,
            stream,
            tlbs,
        })
    }

    /// Simulates it under placements, each on the next of the machines.
    pub(super) fn place(
        &self,
        specs: &[MachineSpec],
        most: u32,
        like: &Like<'_>,
    ) -> Result<Size, SimError> {
        let each = self.few(most).div_ceil(specs.len() as u32).max(1);
        Ok(self.with(self.outcomes(specs, each, like)?))
    }

    /// What became of it.
    pub(super) fn with(&self, events: Vec<Vec<f64>>) -> Size {
        Size {
            bytes: self.bytes,
            events,
        }
    }

    /// What happens on each of the machines, on average over its placements.
    pub(super) fn means(
        &self,
        specs: &[MachineSpec],
        most: u32,
        like: &Like<'_>,
    ) -> Result<Vec<Vec<f64>>, SimError> {
        let each = self.few(most);
        let events = self.outcomes(specs, each, like)?;
        let each = events.chunks(each as usize);
        Ok(each.map(|own| self.with(own.to_vec()).mean()).collect())
    }

    /// Placements that a size gets of so many.
    fn few(&self, most: u32) -> u32 {
        let fits = (MOST_LINES / self.loads.max(1)).min(u64::from(u32::MAX)) as u32;
        most.min(fits.max(FEWEST))
    }

    /// What happens on each machine in turn, under so many placements of its own.
    fn outcomes(
        &self,
        specs: &[MachineSpec],
        each: u32,
        like: &Like<'_>,
    ) -> Result<Vec<Vec<f64>>, SimError> {
        let warm = if self.loads > SMOOTH { 1 } else { WARM };
        let seeds = (like.seed..).take(specs.len() * each as usize);
        let runs: Vec<(&MachineSpec, u64)> = seeds
            .enumerate()
            .map(|(at, seed)| (&specs[at / each as usize], seed))
            .collect();
        let one = |(spec, seed): &(&MachineSpec, u64)| -> Result<Vec<f64>, SimError> {
            Ok(self.events(&spec.place(&self.stream, warm, *seed)?))
        };
        in_parallel(&runs, like.threads, one)
    }

    /// How often each thing that costs happens in a load: the load itself, a miss of each cache, be it by the load or by the
    /// walk before it, a miss of each TLB.
    fn events(&self, outcome: &Outcome) -> Vec<f64> {
        let loads = self.loads.max(1) as f64;
        let misses = outcome
            .caches
            .iter()
            .chain(&self.tlbs)
            .map(|tally| tally.misses() as f64 / loads);
        std::iter::once(1.0).chain(misses).collect()
    }
}
