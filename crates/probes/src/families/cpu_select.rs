//! Selecting by a branch or by a conditional move.

use whyslow_kernels::select::{CONDITIONS_A_WORD, Form, select};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant, below};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::CPU_SELECT,
    title: "branch or move",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "What one selection takes by a branch or by a conditional move, with a known share of conditions that cannot be predicted.",
    how: "Selections in assembly that each wait for the result of the one before, over four million conditions decided before; miss percent of them, \
              in places drawn at random, go the other way, which is the least that any predictor can miss.",
    needs: &[],
    params: &[
        (
            "form",
            "branch: a jump around an addition; cmov: the addition always, and a conditional move (csel on Arm) of its result",
        ),
        (
            "miss",
            "percent of the conditions that go the other way, at random",
        ),
    ],
    names: Names::NONE,
    roles: Roles::All(Role::Compute),
    // Each condition comes out of an addition that waits for the one before: a cycle, less what the clock may be off by.
    bounds: Bounds { fastest: 0.9 },
    usual_marks: &[],
    points,
    measure,
}];

/// Percent of the conditions that go the other way: the break-even point of known cores is between 1 and 20.
const MISSES: [u32; 7] = [0, 1, 2, 5, 10, 25, 50];

/// Words of conditions. Of a million conditions, a large predictor learns by heart where 1 percent go the other way (Zen 5:
/// they cost nothing then); from four million on, times no longer change.
const WORDS: usize = 1 << 16;

fn points(_: &PlanContext) -> Vec<Offer> {
    let all = Form::ALL.into_iter().flat_map(|form| {
        MISSES.map(|miss| {
            Offer::Point(PointPlan {
                // Fresh conditions for each: how well they are predicted is a matter of the draw.
                draws: 2,
                samples: 5,
                extra: true,
                ..PointPlan::new(
                    Point::new(id::CPU_SELECT)
                        .with("form", form.name())
                        .with("miss", miss),
                )
            })
        })
    });
    all.collect()
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let (name, miss) = (bench.param("form")?, bench.param("miss")?);
    let form = Form::ALL.into_iter().find(|form| form.name() == name);
    let form = form.ok_or_else(|| Stop::Unavailable(format!("form={name} is not known")))?;
    let miss = miss.parse().ok().filter(|miss| *miss <= 50);
    let miss: u64 = miss.ok_or_else(|| Stop::Unavailable("miss is 0 to 50 percent".into()))?;
    for _ in 0..bench.job.draws {
        let conditions: Vec<u64> = (0..WORDS)
            .map(|_| {
                (0..CONDITIONS_A_WORD).fold(0, |word, _| {
                    word << 1 | u64::from(below(&mut bench.rng, 100) >= miss)
                })
            })
            .collect();
        let mut value = 1;
        let each = WORDS as u64 * CONDITIONS_A_WORD;
        bench.draw(&mut [Variant::new("", each as f64, |passes| {
            value = select(form, &conditions, passes, value, 3);
            std::hint::black_box(value);
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}
