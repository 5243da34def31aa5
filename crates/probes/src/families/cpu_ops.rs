//! Arithmetic: latency of an operation, and instruction-level parallelism.

use whyslow_kernels::ops::{Chains, FLOPS_VALUES, Flops, Op, Type, chains_max};
use whyslow_model::id;
use whyslow_model::record::ValueRule;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};

const PARAMS: &[(&str, &str)] = &[
    (
        "op",
        "bit, add, mul, div or mod; bogomflops: (1 + x) (1.5 - x) / x over 1,000 values in the first-level cache",
    ),
    (
        "type",
        "int (32 bits), int64, float or double; bit and mod are integer only",
    ),
];

/// An eighth of a cycle: no core completes more than eight operations of one kind in a cycle.
const BOUNDS: Bounds = Bounds { fastest: 0.12 };

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::CPU_OP,
        title: "arithmetic latency",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Latency of an arithmetic operation that depends on the previous result.",
        how: "A chain of the same instruction in assembly, which nothing can fold: lmbench's compiled chains of integer additions become three instructions \
              and print 0.00 ns, and of three bit operations one is dropped. A div is of a 26-bit number (64-bit: 52 bits), a mod includes one addition.",
        needs: &[],
        params: PARAMS,
        names: Names {
            lmbench: &[
                "lat_ops",
                "integer bit",
                "integer add",
                "integer mul",
                "integer div",
                "integer mod",
                "int64 bit",
                "int64 add",
                "int64 mul",
                "int64 div",
                "int64 mod",
                "float add",
                "float mul",
                "float div",
                "float bogomflops",
                "double add",
                "double mul",
                "double div",
                "double bogomflops",
                "intgr bit",
                "intgr add",
                "intgr mul",
                "intgr div",
                "intgr mod",
                "float bogo",
                "double bogo",
            ],
            ..Names::NONE
        },
        roles: Roles::All(Role::Compute),
        bounds: BOUNDS,
        usual_marks: &[],
        points: op_points,
        measure: op,
    },
    Probe {
        id: "cpu.op_parallel",
        title: "arithmetic parallelism",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Time per operation with 1 to 16 independent chains; the speed-up is the number of operations the core overlaps.",
        how: "One chain to as many as the registers hold (13 of integers on x86-64, else 16) in one loop, interleaved; lmbench's speed-up is one chain's time over \
              the shortest of all. Its speed-up for integer addition compares folded loops and is meaningless.",
        needs: &[],
        params: PARAMS,
        names: Names {
            lmbench: &[
                "par_ops",
                "integer bit parallelism",
                "integer add parallelism",
                "integer mul parallelism",
                "integer div parallelism",
                "integer mod parallelism",
                "int64 bit parallelism",
                "int64 add parallelism",
                "int64 mul parallelism",
                "int64 div parallelism",
                "int64 mod parallelism",
                "float add parallelism",
                "float mul parallelism",
                "float div parallelism",
                "double add parallelism",
                "double mul parallelism",
                "double div parallelism",
            ],
            ..Names::NONE
        },
        roles: Roles::All(Role::Compute),
        bounds: BOUNDS,
        usual_marks: &[],
        points: |_| {
            pairs()
                .map(|(op, ty)| {
                    Offer::Point(PointPlan {
                        value: ValueRule::Each,
                        samples: 3,
                        ..plan("cpu.op_parallel", op.name(), ty)
                    })
                })
                .collect()
        },
        measure: op_parallel,
    },
];

/// The one lmbench row that is not a single operation.
const BOGOMFLOPS: &str = "bogomflops";

/// Every operation with every type that supports it.
fn pairs() -> impl Iterator<Item = (Op, Type)> {
    Type::ALL.into_iter().flat_map(|ty| {
        let ops = Op::ALL.into_iter().filter(move |op| op.exists_for(ty));
        ops.map(move |op| (op, ty))
    })
}

fn plan(probe: &str, op: &str, ty: Type) -> PointPlan {
    PointPlan {
        // One draw: there is no memory whose placement could be randomized.
        draws: 1,
        extra: true,
        suites: &["lmbench"],
        ..PointPlan::new(Point::new(probe).with("op", op).with("type", ty.name()))
    }
}

fn op_points(_: &PlanContext) -> Vec<Offer> {
    let single = pairs().map(|(op, ty)| plan(id::CPU_OP, op.name(), ty));
    let mixed = [Type::Float, Type::Double].map(|ty| plan(id::CPU_OP, BOGOMFLOPS, ty));
    single.chain(mixed).map(Offer::Point).collect()
}

fn type_of(bench: &Bench) -> Result<Type, Stop> {
    let name = bench.param("type")?;
    let found = Type::ALL.into_iter().find(|ty| ty.name() == name);
    found.ok_or_else(|| Stop::Unavailable(format!("type={name} is not known")))
}

fn chains_of(bench: &Bench, chains: usize) -> Result<Chains, Stop> {
    let (name, ty) = (bench.param("op")?, type_of(bench)?);
    let op = Op::ALL.into_iter().find(|op| op.name() == name);
    op.and_then(|op| Chains::of(op, ty, chains))
        .ok_or_else(|| Stop::Unavailable(format!("op={name} of type={} is not known", ty.name())))
}

/// A variant with the given number of chains, per operation.
fn variant<'a>(name: String, mut chains: Chains) -> Variant<'a> {
    Variant::new(&name, chains.ops_a_turn() as f64, move |turns| {
        chains.run(turns);
        std::hint::black_box(chains.values());
        Ok(Timed::Outside)
    })
}

fn op(bench: &mut Bench) -> Result<(), Stop> {
    let mut variant = if bench.param("op")? == BOGOMFLOPS {
        let mut flops = Flops::of(type_of(bench)?)
            .ok_or_else(|| Stop::Unavailable("bogomflops needs type=float or double".into()))?;
        Variant::new("", FLOPS_VALUES as f64, move |passes| {
            flops.run(passes);
            Ok(Timed::Outside)
        })
    } else {
        variant(String::new(), chains_of(bench, 1)?)
    };
    for _ in 0..bench.job.draws {
        bench.draw(std::slice::from_mut(&mut variant))?;
    }
    Ok(())
}

fn op_parallel(bench: &mut Bench) -> Result<(), Stop> {
    let most = chains_max(type_of(bench)?);
    let mut variants = Vec::with_capacity(most);
    for chains in 1..=most {
        variants.push(variant(chains.to_string(), chains_of(bench, chains)?));
    }
    for _ in 0..bench.job.draws {
        bench.draw(&mut variants)?;
    }
    Ok(())
}
