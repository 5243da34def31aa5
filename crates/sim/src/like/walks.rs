//! How many tables a page walk reads: those of a guest are translated by its host's, which cost nothing to speak of where the
//! host has the guest's memory on huge pages, and as much again where it does not. Guests are not told, and large sizes show it.

use super::Like;
use super::costs::{Measured, fit};
use super::cycle::{Cycle, TRIED};
use super::points::{Kind, Value};
use super::shared;
use crate::error::SimError;
use crate::machine::{MachineSpec, in_parallel};

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
    let mut left = Vec::new();
    for walk in [1, 2] {
        let spec = MachineSpec {
            walk,
            ..match served {
                Some(part) => shared::with_part(&kind.spec, part),
                None => kind.spec.clone(),
            }
        };
        let simulate = |(cycle, value): &(&Cycle, &Value)| -> Result<Measured, SimError> {
            let machine = std::slice::from_ref(&spec);
            let own = match large(cycle) {
                true if walk == kind.spec.walk => cycle.place(machine, 1, like)?,
                true => anew(&spec, value.bytes)?.place(machine, 1, like)?,
                false => cycle.place(machine, TRIED, like)?,
            };
            Ok(Measured {
                events: vec![own.mean()],
                ns: value.ns,
                weight: value.weight,
            })
        };
        let sizes = kind.cycles.iter().zip(&kind.values).rev();
        let sizes: Vec<(&Cycle, &Value)> = sizes
            .filter(|(cycle, _)| large(cycle) || cycle.loads <= inner)
            .collect();
        let curve = in_parallel(&sizes, like.threads, simulate)?;
        left.push(fit(curve.iter(), &[]).1);
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
    use crate::cache::{CacheSpec, Replacement, Writes};
    use crate::hierarchy::{Inclusion, LevelSpec};
    use crate::index::IndexKind;
    use crate::machine::TlbSpec;
    use crate::placement::Policy;

    fn level(name: &str, lines: u64) -> LevelSpec {
        LevelSpec {
            name: name.to_owned(),
            cache: CacheSpec {
                lines,
                ways: 8,
                index: IndexKind::Linear,
                replacement: Replacement::Lru,
                writes: Writes::Back,
            },
            inclusion: Inclusion::Neither,
            pairs: false,
        }
    }

    #[test]
    fn the_tables_of_a_walk_are_found_again() {
        let spec = MachineSpec {
            caches: vec![level("L1", 64), level("L2", 512)],
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
