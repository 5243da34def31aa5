//! Two sides of records to a comparison: which differences are real, how large they are, and what
//! may be claimed from them.
//!
//! Points of one host that follow the core's clock are compared at the mean clock of both sides.
//!
//! The unit is the outermost level that both sides repeated (host, boot, process), never the sample.
//! Points are tested by Welch's test on logarithms, with variances moderated by those of each record's other points,
//! together by Benjamini-Hochberg; a point that is
//! not real is *the same* only if an equivalence test says so, and *undecided* otherwise. Published
//! tables with one value a side get ratios and groups and no claim.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod between_runs;
mod clock;
mod curves;
mod cycles;
mod estimators;
mod gate;
mod groups;
mod hosts;
mod join;
mod labels;
pub mod load;
mod looks;
mod modes;
mod names;
mod neighbor;
mod outcome;
mod part;
mod points;
mod runs;
mod scope;
mod sections;
pub mod selfcheck;
mod side;
mod spread;
mod units;
mod verdict;

use whyslow_model::Record;
use whyslow_model::comparison::{Comparison, SCHEMA};
use whyslow_model::glob::Globs;
use whyslow_stats::record::{values, values_as_measured};

pub use hosts::{STATED, differences};
pub use labels::alike;
pub use looks::{known_as, open};
pub use names::{family, kin};
pub use outcome::{Counts, FailOn, Outcome, is_real, outcome};
pub use part::{PartError, beside, choose, part, pieces};

/// A record with the name that the user knows it by.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The name, such as its file's.
    pub name: &'a str,
    /// The record.
    pub record: &'a Record,
}

/// What a comparison may be told.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Differences below this share do not matter.
    pub margin: f64,
    /// Which points.
    pub only: Globs,
    /// Should what a shared host does by itself be taken out: a clock that wanders, neighbors on the cores?
    pub undisturbed: bool,
    /// Should the levels of the curves be found? Takes most of the time where there is a curve.
    pub levels: bool,
    /// Seed of the permutations.
    pub seed: u64,
}

/// Differences below 2 % seldom matter to anybody, and runs of one machine repeat about as well.
pub const MARGIN: f64 = 0.02;

/// Share of false ones that is accepted among the differences called real.
pub const Q: f64 = 0.05;

impl Default for Options {
    fn default() -> Self {
        Options {
            margin: MARGIN,
            only: Globs::default(),
            undisturbed: true,
            levels: false,
            seed: 1,
        }
    }
}

/// Why two sides cannot be compared at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompareError {
    /// A side has no records.
    NoRecords,
    /// No point has a value on both sides.
    NothingInCommon {
        /// Points with values in A.
        a: usize,
        /// Points with values in B.
        b: usize,
    },
    /// The glob leaves nothing of what both sides have.
    NothingSelected,
}

impl std::fmt::Display for CompareError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CompareError::NoRecords => write!(f, "a side has no records"),
            CompareError::NothingInCommon { a, b } => write!(
                f,
                "no point has a value on both sides (A has {a} points, B {b})"
            ),
            CompareError::NothingSelected => {
                write!(f, "--only selects no point that both sides have")
            }
        }
    }
}

impl std::error::Error for CompareError {}

/// Compares side B with side A.
///
/// # Errors
/// When there is nothing to compare.
pub fn compare(
    a: &[Named<'_>],
    b: &[Named<'_>],
    options: &Options,
) -> Result<Comparison, CompareError> {
    if let Some(of_b) = sections::aligned(a, b) {
        return compare(a, &borrowed(&renamed(b, &of_b)), options);
    }
    if let Some([of_a, of_b]) = units::aligned(a, b) {
        let (a, b) = (renamed(a, &of_a), renamed(b, &of_b));
        return compare(&borrowed(&a), &borrowed(&b), options);
    }
    if let Some(paired) = labels::aligned(a, b) {
        return compare_paired(a, b, &paired, options);
    }
    let Some(aligned) = estimators::aligned(a, b) else {
        return match (compare_aligned(a, b, options), labels::in_order(a, b)) {
            (Err(CompareError::NothingInCommon { .. }), Some(paired)) => {
                compare_paired(a, b, &paired, options)
            }
            (found, _) => found,
        };
    };
    let [of_a, of_b] = &aligned.sides;
    let (a, b) = (renamed(a, of_a), renamed(b, of_b));
    let mut found = compare_aligned(&borrowed(&a), &borrowed(&b), options)?;
    found.objections.push(gate::warning(aligned.text()));
    Ok(found)
}

/// Compares sides whose rows were paired under labels that differ, and says so.
fn compare_paired(
    a: &[Named<'_>],
    b: &[Named<'_>],
    paired: &labels::Paired,
    options: &Options,
) -> Result<Comparison, CompareError> {
    let [of_a, of_b] = &paired.sides;
    let (a, b) = (renamed(a, of_a), renamed(b, of_b));
    let mut found = compare(&borrowed(&a), &borrowed(&b), options)?;
    found.objections.push(gate::warning(paired.text.clone()));
    Ok(found)
}

/// Other records under the names of a side's.
fn renamed<'r>(side: &[Named<'_>], records: &'r [Record]) -> Vec<(String, &'r Record)> {
    let names = side.iter().map(|named| named.name.to_owned());
    names.zip(records).collect()
}

fn borrowed<'r>(side: &'r [(String, &'r Record)]) -> Vec<Named<'r>> {
    let named = |(name, record): &'r (String, &'r Record)| Named { name, record };
    side.iter().map(named).collect()
}

/// The same of records whose points have one estimator on both sides.
fn compare_aligned(
    a: &[Named<'_>],
    b: &[Named<'_>],
    options: &Options,
) -> Result<Comparison, CompareError> {
    let (Some(first_a), Some(first_b)) = (a.first(), b.first()) else {
        return Err(CompareError::NoRecords);
    };
    let mut core = neighbor::of(a, b, options.undisturbed);
    // Where one side hardly ever had its cores to itself, that is the finding, and everything stays.
    let as_measured = !options.undisturbed || core.as_ref().is_some_and(|core| !core.left_out);
    let values = if as_measured {
        values_as_measured
    } else {
        values
    };
    let (side_a, side_b) = (side::Gathered::of(a, values), side::Gathered::of(b, values));
    let level = side::level(&side_a, &side_b);
    let mut objections = gate::objections(&side_a, &side_b);
    objections.extend(core.as_ref().and_then(neighbor::warning).map(gate::warning));
    let forbidden = objections.iter().find(|o| o.forbids);
    let joined = join::join(&side_a, &side_b, &options.only)?;
    let mut clock = clock::of(&side_a, &side_b, options.undisturbed);
    let (points, rules) = points::compare(
        &joined.pairs,
        level,
        [&side_a, &side_b],
        points::Conditions {
            clock: clock.as_ref(),
            core: core.as_ref(),
        },
        forbidden.map(|o| o.text.as_str()),
        options,
    );
    if let Some(clock) = &mut clock {
        clock.points = points.iter().filter(|p| p.at_ghz.is_some()).count() as u32;
    }
    if let Some(core) = &mut core {
        core.points = points.iter().filter(|p| p.left_out.is_some()).count() as u32;
    }
    let mut found = Comparison {
        schema: SCHEMA,
        scope: scope::scope(&side_a, &side_b, level, &points),
        a: side_a.describe(),
        b: side_b.describe(),
        objections,
        hosts: hosts::between(first_a.record, first_b.record),
        clock,
        core,
        rules,
        families: Vec::new(),
        load: None,
        groups: groups::groups(&points),
        curves: curves::curves(&points, [first_a.record, first_b.record], options.levels),
        missing: joined.missing,
        points,
    };
    found.load = load::sides(&found);
    Ok(found)
}
