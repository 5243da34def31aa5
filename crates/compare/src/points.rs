//! Every pair of parts to a comparison with a verdict.

use whyslow_model::comparison::{
    Clock, Core, PointComparison, Repeated, Rules, SharedMode, SideValue, Verdict,
};
use whyslow_model::summary::{Interval, Moderation};
use whyslow_stats::InputError;
use whyslow_stats::moderated::{COVARIATES, Side, Spread, difference, own_half_width};
use whyslow_stats::multiple::{benjamini_hochberg, selected_coverage};
use whyslow_stats::permutation::permute;
use whyslow_stats::record::{estimate, moderation};
use whyslow_stats::welch::{Tested, Welch};

use crate::between_runs::{self, Drift};
use crate::join::Pair;
use crate::neighbor::{self, Beside};
use crate::side::{Gathered, SidePoint};
use crate::verdict::{self, Evidence};
use crate::{Options, Q, clock, looks, modes, spread};

/// Random permutations of the units for the cross-check.
const RESAMPLES: u32 = 999;

/// Beyond so many units a side a mean is near enough to normal, and permuting tells nothing more.
const PERMUTED_UP_TO: usize = 60;

/// Why a value beside several has no test.
const SINGLE: &str = "one side has a single value";

/// Permutation and Welch's test disagree when one has found something and the other is as far from
/// it as this.
const FAR_FROM_FOUND: f64 = 0.10;

/// A pair with what was found before all are looked at together.
struct Draft<'p, 'a> {
    pair: &'p Pair<'a>,
    /// The clock that the values are given at.
    at: Option<f64>,
    /// Processes of each side that are left out for the neighbor on their core.
    left_out: Option<[u32; 2]>,
    a: Vec<f64>,
    b: Vec<f64>,
    found: Found,
}

/// What of the host's own conditions is taken out of the values.
#[derive(Clone, Copy)]
pub(crate) struct Conditions<'c> {
    pub(crate) clock: Option<&'c Clock>,
    pub(crate) core: Option<&'c Core>,
}

/// What one pair tells by itself.
enum Found {
    /// Within the runs, and with what drifts between them.
    Test {
        within: Welch,
        welch: Welch,
        drift: Drift,
    },
    Modes(Vec<SharedMode>, f64),
    Untested(String),
    NotComparable(String),
}

impl Found {
    fn p(&self) -> Option<f64> {
        match self {
            Found::Test { welch, .. } => Some(welch.p),
            Found::Modes(_, p) => Some(*p),
            _ => None,
        }
    }
}

/// Compares all pairs and gives the verdicts together.
pub(crate) fn compare(
    pairs: &[Pair<'_>],
    level: Repeated,
    sides: [&Gathered<'_>; 2],
    conditions: Conditions<'_>,
    forbidden: Option<&str>,
    options: &Options,
) -> (Vec<PointComparison>, Rules) {
    let mut drafts: Vec<Draft<'_, '_>> = Vec::new();
    for pair in pairs {
        drafts.push(draft(
            pair,
            level,
            sides,
            conditions,
            forbidden,
            options.seed,
        ));
    }
    with_drift(&mut drafts);
    let tested: Vec<usize> = (0..drafts.len())
        .filter(|&i| drafts[i].found.p().is_some())
        .collect();
    let p: Vec<f64> = tested.iter().filter_map(|&i| drafts[i].found.p()).collect();
    let mut adjusted = vec![None; drafts.len()];
    for (&i, value) in tested.iter().zip(benjamini_hochberg(&p)) {
        adjusted[i] = Some(value);
    }
    let at = looks::level(sides);
    for (draft, adjusted) in drafts.iter_mut().zip(&mut adjusted) {
        // A single value beside several can tell that it is far from them, and nothing else.
        let alone = draft.a.len().min(draft.b.len()) == 1;
        let test = matches!(draft.found, Found::Test { .. });
        if alone && test && adjusted.is_some_and(|p| p > at) {
            draft.found = Found::Untested(SINGLE.into());
            *adjusted = None;
        }
    }
    let real = adjusted.iter().flatten().filter(|p| **p <= at).count();
    let rules = Rules {
        margin: options.margin,
        q: Q,
        level: at,
        tested: adjusted.iter().flatten().count() as u32,
        real: real as u32,
        selected_coverage: selected_coverage(at, real, tested.len()),
        moderated_over: sides.map(Gathered::moderated_over),
    };
    let mut points: Vec<PointComparison> = drafts
        .iter()
        .zip(&adjusted)
        .map(|(draft, adjusted)| finish(draft, *adjusted, &rules, options))
        .collect();
    let sources: Vec<(&SidePoint<'_>, &SidePoint<'_>)> =
        drafts.iter().map(|d| (d.pair.a, d.pair.b)).collect();
    spread::find(&mut points, &sources, level);
    (points, rules)
}

fn draft<'p, 'a>(
    pair: &'p Pair<'a>,
    level: Repeated,
    sides: [&Gathered<'_>; 2],
    conditions: Conditions<'_>,
    forbidden: Option<&str>,
    seed: u64,
) -> Draft<'p, 'a> {
    let at = clock::shared(conditions.clock, pair.a, pair.b);
    let (mut least, mut left_out, mut unlike) = (None, None, None);
    match neighbor::beside(conditions.core, pair.a, pair.b) {
        Beside::Stay => {}
        Beside::LeftOut { least: at, of } => (least, left_out) = (Some(at), Some(of)),
        Beside::Unlike(why) => unlike = Some(why),
    }
    let (a, b) = (
        sides[0].units(pair.a, level, at, least),
        sides[1].units(pair.b, level, at, least),
    );
    let against = pair.against.as_deref().or(forbidden);
    let against = against.or(unlike.as_deref());
    let found = match (&a, &b, against) {
        (_, _, Some(why)) => Found::NotComparable(why.to_owned()),
        (Some(a), Some(b), None) => {
            let drift = between_runs::drift(pair, level, sides, [a.len(), b.len()]);
            test([a, b], pair, drift, seed).unwrap_or_else(|error| {
                // Units are positive here, so this says that there are none.
                Found::NotComparable(error.to_string())
            })
        }
        _ => Found::NotComparable("some of its values are zero or less, and have no ratio".into()),
    };
    // Shown as they are where they have no logarithm.
    let plain = |side: &SidePoint<'_>| side.values.iter().map(|(_, v)| v.value).collect();
    let shown = |units: Option<Vec<f64>>, side| {
        let some = units.filter(|units| !units.is_empty());
        some.unwrap_or_else(|| plain(side))
    };
    Draft {
        a: shown(a, pair.a),
        b: shown(b, pair.b),
        pair,
        at,
        left_out,
        found,
    }
}

fn test(
    [a, b]: [&[f64]; 2],
    pair: &Pair<'_>,
    drift: Drift,
    seed: u64,
) -> Result<Found, InputError> {
    if let Some((modes, p)) = modes::shared(a, b, seed) {
        return Ok(Found::Modes(modes, p));
    }
    let (logs_a, logs_b) = (logs(a), logs(b));
    let (side_a, side_b) = sides(pair, &logs_a, &logs_b);
    Ok(match difference(side_a, side_b)? {
        Tested::Test(within) => Found::Test {
            within,
            welch: within,
            drift,
        },
        Tested::Single { .. } => Found::Untested(if a.len().max(b.len()) > 1 {
            SINGLE.into()
        } else {
            "one value a side".into()
        }),
        Tested::NoSpread { .. } => {
            Found::Untested("rounding hides the spread of its values".into())
        }
    })
}

/// Adds what drifts between runs, as far as these show it.
fn with_drift(drafts: &mut [Draft<'_, '_>]) {
    between_runs::as_seen(
        drafts
            .iter_mut()
            .filter_map(|draft| match &mut draft.found {
                Found::Test { within, drift, .. } => Some((&*within, drift)),
                _ => None,
            }),
    );
    for draft in drafts {
        if let Found::Test {
            within,
            welch,
            drift,
        } = &mut draft.found
        {
            *welch = within.with_known(drift.variance(within.se.powi(2)));
        }
    }
}

fn logs(values: &[f64]) -> Vec<f64> {
    values.iter().map(|v| v.ln()).collect()
}

/// Both sides of a pair with what their variances borrow.
fn sides<'s>(pair: &Pair<'_>, a: &'s [f64], b: &'s [f64]) -> (Side<'s>, Side<'s>) {
    let side = |logs, point: &SidePoint<'_>| Side {
        logs,
        prior: point.prior,
    };
    (side(a, pair.a), side(b, pair.b))
}

fn finish(
    draft: &Draft<'_, '_>,
    adjusted: Option<f64>,
    rules: &Rules,
    options: &Options,
) -> PointComparison {
    let (a, b) = (&draft.a, &draft.b);
    let planned = draft.pair.a.planned;
    let (value_a, value_b) = (value(a, draft.pair.a), value(b, draft.pair.b));
    let positive = a.iter().chain(b).all(|v| *v > 0.0);
    let ratio = positive.then(|| value_b.value.value / value_a.value.value);
    let (logs_a, logs_b) = (logs(a), logs(b));
    let (side_a, side_b) = sides(draft.pair, &logs_a, &logs_b);
    let own = match &draft.found {
        Found::Test { .. } => own_half_width(side_a, side_b),
        _ => None,
    };
    let margin = own.map_or(rules.margin, |own| rules.margin.max((2.0 * own).exp_m1()));
    let real = adjusted.is_some_and(|p| p <= rules.level);
    let coverage = if real {
        rules.selected_coverage
    } else {
        1.0 - rules.level
    };
    let mut point = PointComparison {
        point: planned.point.clone(),
        part: Some(draft.pair.part.clone()).filter(|p| !p.is_empty()),
        title: planned.title.clone(),
        symbol: planned.symbol.clone(),
        unit: planned.unit,
        better: planned.better,
        a: value_a,
        b: value_b,
        at_ghz: draft.at,
        left_out: draft.left_out,
        ratio,
        range: None,
        coverage,
        df: None,
        between_runs: None,
        p: draft.found.p(),
        p_adjusted: adjusted,
        p_permuted: None,
        margin,
        verdict: Verdict::Same,
        modes: Vec::new(),
        spread: Vec::new(),
        notes: draft.pair.notes.clone(),
    };
    point.verdict = match &draft.found {
        Found::Test {
            within,
            welch,
            drift,
        } => {
            let interval = welch.interval(coverage);
            let between = welch.se.powi(2) - within.se.powi(2);
            point.between_runs = (between > 0.0).then(|| between.sqrt());
            point.range = Some([interval.lo, interval.hi]);
            point.df = Some(welch.df);
            if a.len().max(b.len()) <= PERMUTED_UP_TO {
                let permuted = permute(&logs_a, &logs_b, RESAMPLES, options.seed);
                point.p_permuted = permuted.ok().map(|p| p.p);
            }
            let evidence = Evidence {
                welch: *welch,
                floor: drift.declared,
                interval: [interval.lo, interval.hi],
                units: a.len().min(b.len()),
                better: planned.better,
                real,
                margin,
            };
            verdict::of(&evidence, rules)
        }
        Found::Modes(modes, _) => {
            point.modes = modes.clone();
            Verdict::Modes { real }
        }
        Found::Untested(why) => Verdict::Untested { why: why.clone() },
        Found::NotComparable(why) => Verdict::NotComparable { why: why.clone() },
    };
    if let Found::Test { within, .. } = &draft.found
        && let Some(note) = disagreement(&point, within.p, a.len().min(b.len()))
    {
        point.notes.push(note);
    }
    point
}

/// Where the two tests disagree, the values are not as normal as Welch's test takes them to be. `p` is that of the values
/// alone, as permuting them knows nothing of other runs.
fn disagreement(point: &PointComparison, p: f64, units: usize) -> Option<String> {
    let permuted = point.p_permuted?;
    let real = matches!(
        point.verdict,
        Verdict::Slower { .. } | Verdict::Faster { .. } | Verdict::Differs { .. }
    );
    // With three a side no permutation can find anything.
    let apart = units >= 4
        && (real && permuted > FAR_FROM_FOUND || permuted <= Q / 5.0 && p > FAR_FROM_FOUND);
    apart.then(|| {
        format!(
            "permuting the units gives p = {permuted:.3}, Welch's test {p:.3}: look at the values"
        )
    })
}

/// What the interval of a side borrows.
fn moderated(units: &[f64], side: &SidePoint<'_>) -> Option<Moderation> {
    let prior = side.prior?;
    let own = Spread::of(&logs(units), [None; COVARIATES])?;
    moderation(Some(prior.with(own.variance, own.df)))
}

/// As the summary of a record has it.
fn value(units: &[f64], side: &SidePoint<'_>) -> SideValue {
    SideValue {
        // Values of a record are finite, and there is one at least: this is for what cannot be.
        value: estimate(units, side.prior).unwrap_or(Interval {
            value: units.first().copied().unwrap_or_default(),
            range: None,
        }),
        moderated: moderated(units, side),
        units: units.to_vec(),
        from: side.from.clone(),
    }
}
