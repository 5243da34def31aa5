//! The families that nodes are judged by: points that one mechanism moves together.
//!
//! Fewer and wider than those of a comparison: each family more is a test more for each of a thousand nodes.

use whyslow_model::role::Role;

use crate::conditions::WAITING;

/// The families, in the order of a report, each with the roles of its points. Points of other roles are not judged.
pub const FAMILIES: &[(&str, &[Role])] = &[
    (
        "clock and arithmetic",
        &[Role::Compute, Role::Clock, Role::ScalingCompute],
    ),
    ("L1 and L2", &[Role::L1, Role::L2]),
    ("last-level cache", &[Role::Llc]),
    (
        "memory latency",
        &[Role::MemoryLatency, Role::Numa, Role::Tlb],
    ),
    (
        "memory bandwidth",
        &[
            Role::MemoryBandwidth,
            Role::ScalingMemory,
            Role::MemoryRoutines,
        ],
    ),
    (
        "system calls",
        &[
            Role::SystemCall,
            Role::Descriptors,
            Role::Signal,
            Role::Fault,
            Role::ReadClock,
            Role::Sleep,
        ],
    ),
    (
        "switching",
        &[
            Role::SwitchSameCpu,
            Role::SwitchAnyCpu,
            Role::SwitchWithData,
            Role::CoreToCore,
            Role::LocalLatency,
            Role::LocalBandwidth,
        ],
    ),
    (
        "starting programs",
        &[Role::Fork, Role::ProgramStart, Role::Programs],
    ),
    (
        "files",
        &[
            Role::FileMetadata,
            Role::FileCreate,
            Role::FileCached,
            Role::FileMapped,
            Role::FileDevice,
        ],
    ),
];

/// The names of all that nodes are judged in: the families, and waiting for a CPU, which is none of a point.
pub(crate) fn judged() -> impl Iterator<Item = &'static str> {
    let families = FAMILIES.iter().map(|(name, _)| *name);
    families.chain(std::iter::once(WAITING))
}

/// The place of the family of a role in [`FAMILIES`]; none for what is not judged.
pub fn family_of(role: Role) -> Option<usize> {
    FAMILIES.iter().position(|(_, roles)| roles.contains(&role))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_has_one_family() {
        let all: Vec<Role> = FAMILIES
            .iter()
            .flat_map(|(_, roles)| roles.iter().copied())
            .collect();
        for role in &all {
            let times = all.iter().filter(|other| *other == role).count();
            assert_eq!(times, 1, "{}", role.name());
        }
        assert_eq!(family_of(Role::Llc), Some(2));
        assert_eq!(family_of(Role::Other), None);
    }
}
