//! The processor rows of BYTE and UnixBench: Dhrystone, Whetstone, arithmetic, the tower of Hanoi.

use std::hint::black_box;

use whyslow_kernels::classic::arith::{self, Type};
use whyslow_kernels::classic::dhrystone::dhrystone;
use whyslow_kernels::classic::hanoi::towers;
use whyslow_kernels::classic::whetstone::{INSTRUCTIONS, Section, Whetstone};
use whyslow_kernels::compiled;
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};

/// Disks of the tower of Hanoi: BYTE's.
const DISKS: u32 = 10;

/// A probe of this family.
const fn program(
    id: &'static str,
    [title, what, how]: [&'static str; 3],
    params: &'static [(&'static str, &'static str)],
    byte: &'static [&'static str],
    fastest: f64,
    points: fn(&crate::PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs: &[],
        params,
        names: Names {
            byte,
            ..Names::NONE
        },
        roles: Roles::All(Role::Compute),
        bounds: Bounds { fastest },
        usual_marks: &[],
        points,
        measure,
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    program(
        id::CPU_DHRYSTONE,
        [
            "Dhrystone 2.1",
            "One iteration of Dhrystone 2.1: procedure calls, records, strings and arrays, without floating point, within L1.",
            "The published mix reimplemented, with its procedures not inlined and its final values checked; compiled Rust, so the compiler is part of the figure and is named in the record. UnixBench's is C, built by the local compiler at -O3 -march=native, in two files within which it inlines procedures.",
        ],
        &[],
        &[
            "Dhrystone 2 using register variables",
            "Dhrystone 2 without register variables",
        ],
        // 10 cycles: it makes 15 calls.
        10.0,
        |_| vec![point(Point::new(id::CPU_DHRYSTONE))],
        measure_dhrystone,
    ),
    program(
        id::CPU_WHETSTONE,
        [
            "Whetstone, double precision",
            "One Whetstone instruction of the published mix of eight sections; MWIPS is 1000 over the value.",
            "The published mix reimplemented, all sections done in full and in order; compiled Rust with the C library's sin, cos, atan, exp and log, so both are part of the figure. UnixBench's -O3 -ffast-math removes the integer section and reorders sums.",
        ],
        &[(
            "section",
            "all, or one of array, parameter, jumps, integer, trigonometric, calls, references, functions: its share of the time of all",
        )],
        &["Double-Precision Whetstone"],
        // A single section can be a hundredth of the mix, which takes about one cycle per
        // instruction.
        0.001,
        whetstone_points,
        measure_whetstone,
    ),
    program(
        id::CPU_ARITH,
        [
            "arithmetic",
            "The sum of x*x / (x*x - 1) for x from 2 to 101 in one type: 100 multiplications, subtractions, divisions and additions.",
            "Assembly, one term at a time, so neither vectorized nor folded; type=int stands for int and register. UnixBench does not use the sum: gcc 12 at -O3 removes the arithmetic from all of its rows and leaves the same empty loop of 100 iterations in each, and in arithoh not even that.",
        ],
        &[(
            "type",
            "overhead (the loop without the arithmetic), short, int, long, float, double",
        )],
        &[
            "Arithoh",
            "Arithmetic Test (short)",
            "Arithmetic Test (int)",
            "Arithmetic Test (long)",
            "Arithmetic Test (float)",
            "Arithmetic Test (double)",
            "Arithmetic Test (type = arithoh)",
            "Arithmetic Test (type = register)",
            "Arithmetic Test (type = short)",
            "Arithmetic Test (type = int)",
            "Arithmetic Test (type = long)",
            "Arithmetic Test (type = float)",
            "Arithmetic Test (type = double)",
        ],
        // 50 cycles: 100 iterations of an empty loop, at two per cycle.
        50.0,
        |_| {
            TYPES
                .iter()
                .map(|(name, _)| point(Point::new(id::CPU_ARITH).with("type", name)))
                .collect()
        },
        measure_arith,
    ),
    program(
        id::CPU_HANOI,
        [
            "tower of Hanoi",
            "Moving a tower of 10 disks: a recursive procedure, 1,023 moves.",
            "Compiled Rust whose procedure is not inlined into itself; the compiler is part of the figure and is named in the record. UnixBench's compiler at -O3 inlines several levels of calls.",
        ],
        &[("disks", "disks of the tower")],
        &["Recursion Test -- Tower of Hanoi"],
        // 1,023 cycles: no core makes a move, with its two calls, in one.
        1023.0,
        |_| vec![point(Point::new(id::CPU_HANOI).with("disks", DISKS))],
        measure_hanoi,
    ),
];

/// The types by their names.
const TYPES: [(&str, Type); 6] = [
    ("overhead", Type::Overhead),
    ("short", Type::Short),
    ("int", Type::Int),
    ("long", Type::Long),
    ("float", Type::Float),
    ("double", Type::Double),
];

fn point(point: Point) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        extra: true,
        suites: &["byte"],
        ..PointPlan::new(point)
    })
}

fn whetstone_points(_: &crate::PlanContext) -> Vec<Offer> {
    let named = |name: &str| Point::new(id::CPU_WHETSTONE).with("section", name);
    let mut offers = vec![point(named("all"))];
    // The sections locate a difference; BYTE has no rows for them.
    offers.extend(Section::ALL.map(|section| {
        Offer::Point(PointPlan {
            draws: 1,
            extra: true,
            ..PointPlan::new(named(section.name()))
        })
    }));
    offers
}

/// Measures `run`, with `work` operations per iteration, and notes the compiler.
fn compiled(bench: &mut Bench, work: f64, run: impl FnMut(u64)) -> Result<(), Stop> {
    bench.note(format!("compiled by {}", compiled::BY));
    repeat(bench, work, run)
}

fn repeat(bench: &mut Bench, work: f64, mut run: impl FnMut(u64)) -> Result<(), Stop> {
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", work, |n| {
            run(n);
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn measure_dhrystone(bench: &mut Bench) -> Result<(), Stop> {
    let outcome = dhrystone(1);
    if (outcome.number, outcome.square, outcome.numbers) != (5, 11, [5, 13, 7]) {
        return Err(Stop::Refused(
            "Dhrystone did not end with the published values".into(),
        ));
    }
    compiled(bench, 1.0, |n| {
        black_box(dhrystone(n));
    })
}

fn measure_whetstone(bench: &mut Bench) -> Result<(), Stop> {
    let name = bench.param("section")?;
    let sections: Vec<Section> = Section::ALL
        .into_iter()
        .filter(|s| name == "all" || name == s.name())
        .collect();
    if sections.is_empty() {
        return Err(Stop::Unavailable(format!("section={name} is not known")));
    }
    let mut whetstone = Whetstone::default();
    compiled(bench, INSTRUCTIONS, |n| {
        whetstone.run(&sections, n);
        black_box(whetstone.check());
    })
}

fn measure_arith(bench: &mut Bench) -> Result<(), Stop> {
    let name = bench.param("type")?;
    let (_, kind) = TYPES
        .into_iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| Stop::Unavailable(format!("type={name} is not known")))?;
    repeat(bench, 1.0, |n| {
        black_box(arith::sums(kind, n));
    })
}

fn measure_hanoi(bench: &mut Bench) -> Result<(), Stop> {
    let disks: u32 = bench
        .param("disks")?
        .parse()
        .ok()
        .filter(|n| (1..=20).contains(n))
        .ok_or_else(|| Stop::Unavailable("disks must be from 1 to 20".into()))?;
    compiled(bench, 1.0, |n| {
        black_box(towers(disks, n));
    })
}
