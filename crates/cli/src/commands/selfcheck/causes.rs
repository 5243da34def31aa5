//! `whyslow selfcheck --causes`: plants causes on this host, and sees whether they are named.
//!
//! Each trial measures two short records, one of them with the cause planted around the whole run, in
//! processes of its own. What explains them is given the two records and nothing else.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_explain::planted::{PANEL, Plant, plants, scored, scores};
use whyslow_model::planted::{CausesCheck, PlantTrial, SCHEMA};
use whyslow_model::record::Skipped;
use whyslow_model::{Record, store};
use whyslow_probes::bench::shuffle;
use whyslow_runner::UNDER;

use super::own_folder;
use crate::args::{SelfCheck, SelfCheckFormat};
use crate::commands::put_back::PutBack;
use crate::commands::{restore, run};
use crate::exit;
use crate::output;
use crate::program::own_program;
use crate::progress::Progress;
use crate::signals;

/// Processes a point: a screen.
const ROUNDS: u32 = 5;

/// A record takes at most so long, s.
const BUDGET: u32 = 20;

/// What a trial plants.
struct Task {
    name: String,
    causes: Vec<&'static str>,
    a: Vec<String>,
    b: Vec<String>,
    rep: u32,
}

/// Plants them all.
pub(crate) fn causes(args: &SelfCheck) -> Result<ExitCode> {
    restore::warn_of_left_behind();
    let seed = args.seed.unwrap_or_else(run::seed);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let stop = signals::stop()?;
    let check = match &args.keep {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            plant_all(args, seed, &mut rng, folder, &stop)?
        }
        None => {
            let own = own_folder()?;
            plant_all(args, seed, &mut rng, own.path(), &stop)?
        }
    };
    output::print(&match args.format {
        SelfCheckFormat::Table => whyslow_report::causes_check(&check, output::look()),
        SelfCheckFormat::Markdown => whyslow_report::causes_markdown(&check),
        SelfCheckFormat::Json => serde_json::to_string_pretty(&check)? + "\n",
    })?;
    Ok(if stop.load(Ordering::Relaxed) {
        ExitCode::from(exit::INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

fn plant_all(
    args: &SelfCheck,
    seed: u64,
    rng: &mut Xoshiro256PlusPlus,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<CausesCheck> {
    let mut check = CausesCheck {
        schema: SCHEMA,
        seed,
        host: String::new(),
        rounds: ROUNDS,
        trials: Vec::new(),
        rows: Vec::new(),
        skipped: Vec::new(),
    };
    let progress = Progress::new();
    let _put_back = PutBack::begin();
    let wanted = |cause: &str| args.plant.is_empty() || args.plant.iter().any(|p| p == cause);
    let mut found: Vec<(&'static str, &'static Plant)> = Vec::new();
    for (cause, plant) in plants().filter(|(cause, _)| wanted(cause)) {
        progress.says(&format!("{cause}: looking whether it can be planted"));
        match plantable(plant) {
            Ok(()) => found.push((cause, plant)),
            Err(why) => check.skipped.push(Skipped {
                what: format!("{cause}: {}", plant.name),
                why,
            }),
        }
    }
    if found.is_empty() && args.aa == 0 {
        bail!("nothing can be planted: no cause is called that, or none can be had here");
    }
    let tasks = tasks(args, &found, rng);
    for (i, task) in tasks.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        progress.step(
            i,
            tasks.len(),
            &format!("{} (repetition {})", task.name, task.rep),
        );
        match measured(task, rng, folder, &mut check.host) {
            Ok(trial) => {
                progress.note(&progress_line(&trial));
                check.trials.push(trial);
            }
            Err(_) if stop.load(Ordering::Relaxed) => break,
            Err(why) => check.skipped.push(Skipped {
                what: format!("{} (repetition {})", task.name, task.rep),
                why: format!("{why:#}"),
            }),
        }
    }
    progress.done();
    check.rows = scores(&check.trials);
    Ok(check)
}

/// `seccomp: rank 1 in 31 s`.
fn progress_line(trial: &PlantTrial) -> String {
    let ranks: Vec<String> = trial
        .ranks
        .iter()
        .map(|r| r.map_or("not named".to_owned(), |r| format!("place {r}")))
        .collect();
    format!(
        "{}: {}, first {}, {:.0} s",
        trial.plant,
        ranks.join(" and "),
        trial.named.first().map_or("none", |n| n.cause.as_str()),
        trial.seconds
    )
}

/// Everything to plant, in random order: causes alone, nothing, and pairs.
fn tasks(
    args: &SelfCheck,
    found: &[(&'static str, &'static Plant)],
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Task> {
    let own = |list: &[&str]| list.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
    let mut tasks = Vec::new();
    for rep in 1..=args.reps {
        for (cause, plant) in found {
            tasks.push(Task {
                name: format!("{cause}: {}", plant.name),
                causes: vec![cause],
                a: own(plant.a),
                b: own(plant.b),
                rep,
            });
        }
    }
    for rep in 1..=args.aa {
        tasks.push(Task {
            name: "nothing (A/A)".to_owned(),
            causes: Vec::new(),
            a: Vec::new(),
            b: Vec::new(),
            rep,
        });
    }
    let mut pairs: Vec<[usize; 2]> = (0..found.len())
        .flat_map(|i| (i + 1..found.len()).map(move |j| [i, j]))
        // Two that say where the program may run contradict each other.
        .filter(|[i, j]| !(places(found[*i].1) && places(found[*j].1)))
        .collect();
    shuffle(&mut pairs, rng);
    for [i, j] in pairs.into_iter().take(args.pairs as usize) {
        let (one, two) = (found[i], found[j]);
        tasks.push(Task {
            name: format!("{} and {}", one.0, two.0),
            causes: vec![one.0, two.0],
            a: own(one.1.a).into_iter().chain(own(two.1.a)).collect(),
            b: own(one.1.b).into_iter().chain(own(two.1.b)).collect(),
            rep: 1,
        });
    }
    shuffle(&mut tasks, rng);
    tasks
}

/// Does it say on which CPUs the program or its neighbors run?
fn places(plant: &Plant) -> bool {
    plant
        .a
        .iter()
        .any(|c| c.starts_with("cpus=") || c.contains("neighbor"))
}

/// Can both sides be had here?
fn plantable(plant: &Plant) -> Result<(), String> {
    for side in [plant.a, plant.b] {
        let mut command = under(&side.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
        let said = command.arg("host").output().map_err(|e| e.to_string())?;
        if !said.status.success() {
            let error = String::from_utf8_lossy(&said.stderr);
            let last = error.lines().last().unwrap_or("it ended without a word");
            return Err(last.trim_start_matches("whyslow: ").to_owned());
        }
    }
    Ok(())
}

/// This program under conditions, its arguments yet to come.
fn under(conditions: &[String]) -> Command {
    let own = own_program();
    let mut command = Command::new(&own);
    command.arg(UNDER).args(conditions).arg("--").arg(own);
    command.stdin(Stdio::null());
    command
}

/// Both records, the one that is first by lot, and what is made of them.
fn measured(
    task: &Task,
    rng: &mut Xoshiro256PlusPlus,
    folder: &Path,
    host: &mut String,
) -> Result<PlantTrial> {
    let begun = Instant::now();
    let mut sides: [Option<Record>; 2] = [None, None];
    let mut order = vec![0, 1];
    shuffle(&mut order, rng);
    for side in order {
        let name = task.file(["a", "b"][side]);
        let conditions = [&task.a, &task.b][side];
        sides[side] = Some(record(conditions, &folder.join(name), rng.next_u64())?);
    }
    let [Some(a), Some(b)] = sides else {
        bail!("a record is missing");
    };
    let kinds = a.host.as_deref().and_then(|h| h.cpu.kinds.value());
    if let Some(name) = kinds.and_then(|k| k.first()?.name.value()) {
        host.clone_from(name);
    }
    let named = |name, record| [Named { name, record }];
    let found = compare(&named("A", &a), &named("B", &b), &Options::default())
        .context("the two records cannot be compared")?;
    let explanation = explain(&found, &a, &b);
    Ok(scored(
        &task.name,
        &task.causes,
        task.rep,
        &explanation,
        begun.elapsed().as_secs_f64(),
    ))
}

impl Task {
    /// The file of one side, such as `seccomp--a-filter-of-200-rules-3-a.whyslow`.
    fn file(&self, side: &str) -> String {
        let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let what: String = self.name.chars().map(plain).collect();
        format!("{what}-{}-{side}.whyslow", self.rep)
    }
}

/// Removes the record of a run that was interrupted; what else is called so stays, and the run says that
/// it is there.
fn discard(unfinished: &Path) {
    let known = std::fs::symlink_metadata(unfinished);
    let plain = known.as_ref().is_ok_and(|known| known.is_file());
    let empty = known.is_ok_and(|known| known.len() == 0);
    if plain && (empty || store::read(unfinished).is_ok()) {
        let _ = std::fs::remove_file(unfinished);
    }
}

/// One short record under `conditions`, at `path`; measured unless it is there.
fn record(conditions: &[String], path: &Path, seed: u64) -> Result<Record> {
    if path.exists() {
        return Ok(store::read(path)?);
    }
    // It gets its name when it is whole: an interrupted one would be taken for one that is there.
    let unfinished = path.with_extension("unfinished");
    discard(&unfinished);
    let said = under(conditions)
        .args(["run", "--only", PANEL])
        .args(["--rounds", &ROUNDS.to_string()])
        .args(["--budget", &BUDGET.to_string()])
        .args(["--seed", &seed.to_string()])
        .arg("-o")
        .arg(&unfinished)
        .stdout(Stdio::null())
        .output()
        .context("a run could not be started")?;
    if !said.status.success() {
        let error = String::from_utf8_lossy(&said.stderr);
        bail!(
            "{}",
            error.lines().last().unwrap_or("a run ended without a word")
        );
    }
    std::fs::rename(&unfinished, path).with_context(|| path.display().to_string())?;
    Ok(store::read(path)?)
}
