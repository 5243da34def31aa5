//! What a point is about: as its probe, its load or its format declares it.

mod sizes;

use whyslow_model::role::{Role, Roles};
use whyslow_model::{Point, Record};

pub(crate) use sizes::{Ends, is_latency_by_size, size_of};

/// What the declaration of `point` says: of a probe, of a figure of a load, or of another tool's row.
fn declared(point: &Point) -> Option<Roles> {
    whyslow_probes::probe(&point.probe)
        .map(|probe| probe.roles)
        .or_else(|| whyslow_runner::load::roles(&point.probe))
        .or_else(|| whyslow_import::roles(point))
}

/// The role of `point`, whose size is `bytes` where it has one, on hosts whose caches end at `ends`.
pub(crate) fn role_of(point: &Point, bytes: Option<u64>, ends: &Ends) -> Role {
    match declared(point) {
        None => Role::Other,
        Some(Roles::LatencyBySize) => sizes::by_size(point, bytes, ends, Role::MemoryLatency),
        Some(Roles::BandwidthBySize) => sizes::by_size(point, bytes, ends, Role::MemoryBandwidth),
        Some(roles) => roles.of(point).unwrap_or(Role::Other),
    }
}

/// The roles of the planned points of a record, in their order; sizes are served as the host claims.
pub fn roles(record: &Record) -> Vec<Role> {
    let ends = Ends::of(record, &[], &[]);
    let planned = record.plan.points.iter();
    planned
        .map(|p| role_of(&p.point, size_of(&p.point, p.size_bytes), &ends))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(point: &str) -> Role {
        let ends = Ends::from_bytes(vec![48 << 10, 2 << 20, 32 << 20]);
        let point: Point = point.parse().unwrap();
        role_of(&point, size_of(&point, None), &ends)
    }

    #[test]
    fn points_of_every_origin_have_roles() {
        for (point, wanted) in [
            ("mem.latency{size=16KiB,order=random,pages=4k}", Role::L1),
            ("mem.latency{size=1MiB,order=random,pages=4k}", Role::L2),
            ("mem.latency{size=16MiB,order=random,pages=4k}", Role::Llc),
            (
                "mem.latency{size=64MiB,order=random,pages=4k}",
                Role::MemoryLatency,
            ),
            ("mem.bandwidth{op=read,level=L2,cpus=1}", Role::L2),
            (
                "mem.bandwidth{op=read,level=DRAM,cpus=1}",
                Role::MemoryBandwidth,
            ),
            ("mem.libc{op=copy,level=L1}", Role::MemoryRoutines),
            ("ramspeed.speed{column=1,block=16Kb}", Role::L1),
            (
                "ramspeed.speed{column=1,block=65536Kb}",
                Role::MemoryBandwidth,
            ),
            ("mem_rd.latency{size=64MiB,stride=64}", Role::MemoryLatency),
            (
                "ctx.ring{procs=2,size=0,cpus=same-cpu}",
                Role::SwitchSameCpu,
            ),
            ("ctx.ring{procs=2,size=0,cpus=free}", Role::SwitchAnyCpu),
            (
                "ctx.ring{procs=8,size=64KiB,cpus=same-cpu}",
                Role::SwitchWithData,
            ),
            ("lmbench.ctxsw{procs=2,size=0K}", Role::SwitchAnyCpu),
            ("lmbench.ctxsw{procs=16,size=64K}", Role::SwitchWithData),
            ("lmbench.file_reread", Role::FileCached),
            ("lmbench.mmap_reread", Role::FileMapped),
            ("lmbench.file_create_0k", Role::FileCreate),
            ("lmbench.stat", Role::FileMetadata),
            ("byte.execl_throughput_test", Role::ProgramStart),
            ("byte.shell_scripts_8_concurrent", Role::Programs),
            ("byte.dc_sqrt_2_to_99_decimal_places", Role::Programs),
            ("byte.file_copy_10_seconds", Role::FileDevice),
            ("byte.file_read_10_seconds", Role::FileCached),
            ("byte.pipe_based_context_switching_test", Role::SwitchAnyCpu),
            ("table.sieve{processes=2}", Role::ScalingMemory),
            ("smp.mandelbrot{procs=2}", Role::ScalingCompute),
            ("load.system{jobs=2}", Role::SystemTime),
            ("never.heard_of", Role::Other),
        ] {
            assert_eq!(role(point), wanted, "{point}");
        }
    }
}
