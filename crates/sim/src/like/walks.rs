//! How many tables a page walk reads: those of a guest are translated by its host's, which cost nothing to speak of where the
//! host has the guest's memory on huge pages, and as much again where it does not. Guests are not told, and large sizes show it.

use super::Like;
use super::costs::{Measured, fit};
use super::cycle::{Cycle, Size, TRIED};
use super::points::{Kind, Value};
use super::shared;
use crate::error::SimError;
use crate::machine::MachineSpec;
use crate::parallel::in_parallel;

/// Fewest sizes that are to show it.
const FEW: usize = 3;

/// Gives walks on ordinary pages the host's table too, where sizes beyond so many lines are met better with it. `inner` are those
/// that the private caches serve, for what these cost; `served` is the part of a shared last level, and `anew` makes the cycle of
/// a size.
pub(super) fn choose(
    kind: &mut Kind,
    (inner, beyond): (u64, u64),
    served: Option<f64>,
    anew: impl Fn(&MachineSpec, u64) -> Result<Cycle, SimError> + Sync,
    like: &Like<'_>,
    notes: &mut Vec<String>,
) -> Result<(), SimError> {
    let large = |cycle: &Cycle| cycle.loads > beyond;
    if kind.cycles.iter().filter(|cycle| large(cycle)).count() < FEW {
        return Ok(());
    }
    let machine = match served {
        Some(part) => shared::with_part(&kind.spec, part),
        None => kind.spec.clone(),
    };
    let known = |value: &Value, size: &Size| Measured {
        events: vec![size.mean()],
        ns: value.ns,
        weight: value.weight,
    };
    let sizes = || kind.cycles.iter().zip(&kind.values);
    // No walk is in these, or few.
    let small: Vec<(&Cycle, &Value)> = sizes().filter(|(own, _)| own.loads <= inner).collect();
    let small = in_parallel(&small, like.threads, |(cycle, value)| {
        let size = cycle.place(std::slice::from_ref(&machine), TRIED, like)?;
        Ok(known(value, &size))
    })?;
    let beyond: Vec<(&Cycle, &Value)> = sizes().rev().filter(|(own, _)| large(own)).collect();
    let mut left = Vec::new();
    for walk in [1, 2] {
        let spec = MachineSpec {
            walk,
            ..machine.clone()
        };
        let curve = in_parallel(&beyond, like.threads, |(cycle, value)| {
            let machine = std::slice::from_ref(&spec);
            let size = match walk == kind.spec.walk {
                true => cycle.place(machine, 1, like)?,
                false => anew(&spec, value.bytes)?.place(machine, 1, like)?,
            };
            Ok(known(value, &size))
        })?;
        left.push(fit(curve.iter().chain(&small), &[]).1);
    }
    if left[1] < left[0] {
        kind.spec.walk = 2;
        let make = |value: &Value| anew(&kind.spec, value.bytes);
        kind.cycles = in_parallel(&kind.values, like.threads, make)?;
        notes.push(
            "a page walk reads the host's table too, of pages of 4 KiB, with which large sizes are met better than without".to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::LevelSpec;
    use crate::machine::TlbSpec;
    use crate::placement::Policy;

    #[test]
    fn the_tables_of_a_walk_are_found_again() {
        let spec = MachineSpec {
            caches: vec![LevelSpec::lru("L1", 64, 8), LevelSpec::lru("L2", 512, 8)],
            tlbs: vec![TlbSpec {
                entries: 16,
                ways: 16,
            }],
            walk: 1,
            policy: Policy::Random,
            others: 0.0,
        };
        let like = Like {
            name: "",
            pages: "4k",
            placements: 1,
            seed: 1,
            threads: 2,
            most_bytes: u64::MAX,
            what_if: &|_, _| Ok(false),
        };
        let anew = |spec: &MachineSpec, bytes| Cycle::new(spec, bytes, 64, like.seed);
        for walk in [1, 2] {
            let true_spec = MachineSpec {
                walk,
                ..spec.clone()
            };
            let sizes = (10..23).map(|log2| 1u64 << log2);
            let made = sizes.map(|bytes| {
                let machine = std::slice::from_ref(&true_spec);
                let size = anew(&true_spec, bytes)?.place(machine, 1, &like)?;
                let ns = size.cost(&[1.0, 3.0, 90.0, 2.0]);
                Ok((Value::known(bytes, ns), anew(&spec, bytes)?))
            });
            let made: Result<Vec<(Value, Cycle)>, SimError> = made.collect();
            let (values, cycles) = made.unwrap().into_iter().unzip();
            let mut kind = Kind {
                spec: spec.clone(),
                values,
                cycles,
            };
            let mut notes = Vec::new();
            choose(&mut kind, (256, 4096), None, anew, &like, &mut notes).unwrap();
            assert_eq!((kind.spec.walk, notes.len()), (walk, walk as usize - 1));
        }
    }
}
