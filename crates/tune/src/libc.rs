//! Thresholds of the C library's copies: each way of copying is forced in fresh processes, their curves cross where the
//! thresholds belong, and the settings are then held against the library as it is, in blocks there and back.

mod candidate;
mod forecast;
mod measured;
mod proof;

use candidate::Limits;
use proof::Proof;

pub use self::forecast::forecast;

use whyslow_model::experiment::Trial;
use whyslow_model::host::Known;
use whyslow_model::tunables::{NON_TEMPORAL, REP_MOVSB, line};
use whyslow_model::tune::{CopyCell, CopyPath, LibcTuning, SCHEMA, TuneVerdict};
use whyslow_model::{Point, id, size};
use whyslow_runner::{RunError, TrialPlan, TrialPoint, TrialStep};

/// Blocks of bytes, each four times the one before: paths differ by far more between sizes than within a factor of two,
/// and every size costs processes of four arms.
const BLOCKS: [u64; 9] = [
    1 << 10,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
    16 << 20,
    64 << 20,
];

/// Alike; what string instructions of some CPUs are slow at; the next line; half a page.
const DISTANCES: [u64; 4] = [0, 8, 64, 2048];

/// The largest value that a threshold takes, by the library's own check: `SIZE_MAX >> 4`.
const NEVER: u64 = u64::MAX >> 4;

/// No block is as large, bytes: what others set to do without string instructions.
const NO_STRING_INSTRUCTIONS: u64 = 1 << 30;

/// Blocks of the proof for one of the search: a search tells paths apart that differ by far, a proof gives intervals.
const PROOF: u32 = 2;

/// Blocks of what seemed slower for one of the search: few cells, and what they say is final.
const AGAIN: u32 = 4;

/// The least non-temporal threshold that the library takes is one more than 0x4040.
const ALWAYS_NON_TEMPORAL: u64 = 0x4041;

/// The least that it takes for string instructions is one more than eight vectors of 64 bytes.
const ALWAYS_REP_MOVSB: u64 = 8 * 64 + 1;

/// What measures: the machine, given by the caller.
pub trait Bench {
    /// Measures an experiment's arms in blocks.
    ///
    /// # Errors
    /// When nothing can be measured, or the user stopped it.
    fn measure(
        &self,
        plan: &TrialPlan,
        on: &mut dyn FnMut(TrialStep<'_>),
    ) -> Result<Trial, RunError>;
}

/// The settings that force a path.
fn forced(path: CopyPath) -> Vec<String> {
    let set = |rep_movsb: u64, non_temporal: u64| {
        vec![
            format!("{REP_MOVSB}={rep_movsb}"),
            format!("{NON_TEMPORAL}={non_temporal}"),
        ]
    };
    match path {
        CopyPath::Vector => set(NEVER, NEVER),
        CopyPath::RepMovsb => set(ALWAYS_REP_MOVSB, NEVER),
        CopyPath::NonTemporal => set(NEVER, ALWAYS_NON_TEMPORAL),
    }
}

/// The condition of an arm with these settings.
fn condition(settings: &[String]) -> Vec<String> {
    match settings {
        [] => Vec::new(),
        settings => vec![format!("tunables={}", settings.join(":"))],
    }
}

/// The point of a cell.
fn point(cell: CopyCell) -> Point {
    Point::new(id::MEM_LIBC)
        .with("op", "memcpy")
        .with("size", size::format(2 * cell.block_bytes))
        .with("distance", cell.distance)
}

fn plan(cells: &[CopyCell], arms: Vec<Vec<String>>, sensed: Vec<usize>, blocks: u32) -> TrialPlan {
    let points = cells.iter().map(|cell| TrialPoint {
        point: point(*cell),
        arms: vec![Some(point(*cell)); arms.len()],
    });
    TrialPlan {
        points: points.collect(),
        arms,
        sensed,
        blocks,
        first_cpu: false,
        draws: 1,
        batch_ns: None,
    }
}

/// The cells whose two blocks fit into `memory_bytes`.
fn cells(memory_bytes: u64) -> Vec<CopyCell> {
    let blocks = BLOCKS.into_iter().filter(|block| 4 * block <= memory_bytes);
    let cell = |block_bytes| {
        DISTANCES.map(|distance| CopyCell {
            block_bytes,
            distance,
        })
    };
    blocks.flat_map(cell).collect()
}

/// Finds the thresholds and proves them. `blocks` of the search and of the proof.
///
/// # Errors
/// When nothing can be measured, or the user stopped it.
pub fn tune(
    bench: &dyn Bench,
    memory_bytes: u64,
    blocks: u32,
    on: &mut dyn FnMut(&str, TrialStep<'_>),
) -> Result<LibcTuning, RunError> {
    const PATHS: [CopyPath; 3] = [CopyPath::Vector, CopyPath::RepMovsb, CopyPath::NonTemporal];
    let cells = cells(memory_bytes);
    let mut arms = vec![Vec::new()];
    arms.extend(PATHS.map(|path| condition(&forced(path))));
    // Vectors alone are no library's default.
    let search = plan(&cells, arms, vec![0, 1], blocks);
    let trial = bench.measure(&search, &mut |step| on("paths", step))?;
    let looked = trial.sensed.iter().find(|(arm, _)| *arm == 0);
    let mut tuning = LibcTuning {
        schema: SCHEMA,
        library: looked.map_or(Known::unknown("no process looked around"), |(_, s)| {
            s.state.libc.version.clone()
        }),
        used: looked.map_or(Known::unknown("no process looked around"), |(_, s)| {
            proof::used(s)
        }),
        rates: measured::rates(&trial, &cells, &PATHS),
        settings: Vec::new(),
        taken: None,
        gains: Vec::new(),
        verdict: TuneVerdict::Nothing,
        copies: None,
        forecast: None,
        command: None,
        notes: trial.trouble.clone(),
    };
    let forced = trial.sensed.iter().find(|(arm, _)| *arm == 1);
    let forced = forced.map(|(_, sensed)| proof::used(sensed));
    match (tuning.used.value(), forced.as_ref().and_then(Known::value)) {
        (Some(own), Some(forced)) if own == forced => {
            tuning.verdict = TuneVerdict::NotTaken;
            return Ok(tuning);
        }
        (Some(_), Some(_)) => {}
        _ => tuning.notes.push(
            "the loader does not say which thresholds are in use: that each path was taken shows in its rates alone"
                .into(),
        ),
    }
    let used_by_itself = |name| tuning.used.value().and_then(|used| used.get(name).copied());
    let own = Limits {
        non_temporal: used_by_itself("non_temporal_threshold"),
        string_stop: used_by_itself("rep_movsb_stop_threshold"),
    };
    let candidates = candidate::settings(&tuning.rates, own);
    if candidates.is_empty() {
        return Ok(tuning);
    }
    let mut arms = vec![Vec::new()];
    arms.extend(candidates.iter().map(|settings| condition(settings)));
    let proof = plan(
        &cells,
        arms.clone(),
        (0..arms.len()).collect(),
        PROOF * blocks,
    );
    let trial = bench.measure(&proof, &mut |step| on("default against settings", step))?;
    let mut proof = Proof::new(trial, &cells, arms.len());
    // Among so many cells some seem slower by chance. What does is measured again, and the new values alone decide.
    let doubtful = proof.doubtful();
    if !doubtful.is_empty() {
        let again = plan(&doubtful, arms, Vec::new(), AGAIN * blocks);
        let again = bench.measure(&again, &mut |step| on("what seemed slower, again", step))?;
        proof.replace(&doubtful, again);
    }
    let arm = proof.chosen();
    tuning.settings.clone_from(&candidates[arm - 1]);
    tuning.taken = proof.taken(arm);
    tuning.gains = proof.gains(0, arm);
    tuning.verdict = match proof::took(proof.taken(0).as_ref(), tuning.taken.as_ref()) {
        false => TuneVerdict::NotTaken,
        true => proof::verdict(&tuning.gains),
    };
    tuning.notes.extend(proof.trouble());
    Ok(tuning)
}

/// The variable that sets what was found.
pub fn variable(settings: &[String]) -> String {
    line(settings)
}
