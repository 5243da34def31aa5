//! `whyslow fleet run`: a record of every node, through an engine that exists.

mod around;
mod engine;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Parser;
use whyslow_fleet::Options;
use whyslow_fleet::launch::{
    self, Held, Launched, Missing, Order, Rules, Wanted, add, hold, order, plan, unfinished,
};
use whyslow_model::fleet::{FleetPlan, MeasureAgain};
use whyslow_model::shell::quote;

use super::index::asked;
use crate::args::{Arguments, Command, FleetFolder, FleetRun};
use crate::{exit, output, signals};
use around::Around;

/// Longest that an engine may not answer: a controller is restarted in less.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Nodes without a record that are listed: more are counted.
const MOST_LISTED: usize = 20;

/// Measures.
pub(crate) fn run(args: &FleetRun) -> Result<ExitCode> {
    check(&args.run)?;
    let named = engine::named(args)?;
    let held = match args.dry_run {
        true => None,
        false => Some(hold(&args.folder)?),
    };
    let folder = match &held {
        Some(held) => held.folder().to_owned(),
        None => std::path::absolute(&args.folder)?,
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let old = match args.new {
        true => None,
        false => unfinished(&folder, now)?,
    };
    // What an unfinished second look is about stays, whatever its first records say.
    let again = match (args.confirm, old.as_ref().is_some_and(|old| old.confirm)) {
        (true, false) => match again(&folder)? {
            Some(again) => Some(again),
            None => {
                output::print("Nothing is suspected: no node has to be measured again.\n")?;
                return Ok(ExitCode::SUCCESS);
            }
        },
        _ => None,
    };
    let of_old = old.as_ref().filter(|_| args.sessions.is_none());
    let wanted = Wanted {
        run: args.run.clone(),
        sessions: match (args.sessions, &again, of_old) {
            (Some(sessions), ..) => sessions,
            (None, Some(again), _) => again.sessions,
            (None, None, Some(old)) => old.sessions,
            (None, None, None) => 1,
        },
        confirm: args.confirm,
    };
    let mut plan = plan(&folder, old, wanted, now, time)?;
    let begun = plan.nodes.len();
    if let Some(again) = again {
        add(&mut plan, again.suspects);
        add(&mut plan, again.references);
    }
    // What was named limits a second look, and says what is measured otherwise.
    let named = match (args.confirm, named) {
        (false, None) => None,
        (false, Some(named)) => {
            add(&mut plan, named);
            Some(plan.nodes.clone())
        }
        (true, None) => Some(plan.nodes.clone()),
        (true, Some(named)) => {
            let nodes = plan.nodes.iter().filter(|node| named.contains(node));
            Some(nodes.cloned().collect())
        }
    };
    let mut chosen = engine::engine(args, &folder, &plan, named, held.is_some())?;
    let offered = chosen.engine.nodes()?;
    if !args.confirm {
        add(&mut plan, offered.iter().map(|(node, _)| node.clone()));
    }
    if plan.nodes.is_empty() {
        bail!("there are no nodes; name some with --nodes");
    }
    let threads = available_parallelism().map_or(1, NonZero::get);
    let order = order(&folder, &plan, &offered, threads);
    let shown = |order: &Order| {
        order
            .tasks
            .iter()
            .map(|t| chosen.engine.shown(t))
            .collect::<Vec<_>>()
    };
    let Some(held) = held else {
        return dry(&order, &shown(&order));
    };
    held.keep(&plan)?;
    if args.kubernetes.is_some() && !args.apply {
        skipped(&order.unusable);
        output::print(&shown(&order).concat())?;
        return Ok(ExitCode::SUCCESS);
    }
    if begun > 0 {
        output::note(&format!(
            "going on with the run of {}: {} of {} nodes have their records",
            plan.id,
            order.measured.len(),
            plan.nodes.len()
        ));
    }
    skipped(&order.unusable);
    let rules = Rules {
        width: args.width as usize,
        wait: Duration::from_secs(args.wait.into()),
        patience: PATIENCE,
    };
    let stop = signals::stop()?;
    let turns = launch::turns(&*chosen.engine, &order.tasks, &rules);
    let total = turns * order.tasks.len();
    let mut around = Around::new(stop, chosen.setup.clone(), total);
    let launched = launch::in_turns(&mut *chosen.engine, order.tasks, &rules, &mut around);
    around.done();
    drop(chosen);
    ended(
        &held,
        &plan,
        order.measured.len(),
        &order.unusable,
        &launched,
        &args.folder,
    )
}

/// The name of what began then, seconds since 1970.
fn time(at: u64) -> String {
    let at = i64::try_from(at)
        .ok()
        .and_then(|at| jiff::Timestamp::from_second(at).ok());
    at.unwrap_or_default().strftime("%Y%m%d-%H%M%S").to_string()
}

/// Are these arguments of a run that can be given to many nodes?
fn check(run: &[String]) -> Result<()> {
    let words = ["whyslow", "run"].map(str::to_owned).into_iter();
    let parsed = Arguments::try_parse_from(words.chain(run.iter().cloned()));
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(why) => {
            let why = why.render().to_string();
            let line = why.lines().next().unwrap_or_default();
            bail!(
                "what follows -- is no `whyslow run`: {}",
                line.trim_start_matches("error: ")
            );
        }
    };
    let Some(Command::Run(of)) = parsed.command else {
        bail!("what follows -- is no `whyslow run`");
    };
    let own = [
        (of.output.is_some(), "--output"),
        (of.resume.is_some(), "--resume"),
        (of.against.is_some(), "--against"),
        (of.json, "--json"),
    ];
    if let Some((_, option)) = own.iter().find(|(given, _)| *given) {
        bail!("{option} cannot be given after --: each node writes its record into the folder");
    }
    Ok(())
}

/// What the report of the folder would have measured again.
fn again(folder: &Path) -> Result<Option<MeasureAgain>> {
    let place = FleetFolder {
        folder: folder.to_owned(),
        index: None,
    };
    let assembled = asked(&place, |index| {
        whyslow_fleet::report(index, &Options::default())
    })?;
    if assembled.report.nodes.is_empty() {
        bail!(
            "{} has no records: --confirm measures again what a first run suspects",
            folder.display()
        );
    }
    Ok(assembled.report.again)
}

/// What would be done.
fn dry(order: &Order, shown: &[String]) -> Result<ExitCode> {
    skipped(&order.unusable);
    let lines: Vec<String> = shown
        .iter()
        .map(|text| format!("{}\n", text.trim_end()))
        .collect();
    output::print(&lines.concat())?;
    output::note(&format!(
        "{} nodes would be measured, {} have their records",
        order.tasks.len(),
        order.measured.len()
    ));
    Ok(ExitCode::SUCCESS)
}

fn skipped(unusable: &[Missing]) {
    for missing in unusable.iter().take(MOST_LISTED) {
        output::note(&format!("{}: left out: {}", missing.node, missing.why));
    }
}

/// Says what came of it.
fn ended(
    held: &Held,
    plan: &FleetPlan,
    before: usize,
    unusable: &[Missing],
    launched: &Launched,
    folder: &Path,
) -> Result<ExitCode> {
    let measured = before + launched.measured.len();
    let missing: Vec<&Missing> = unusable.iter().chain(&launched.missing).collect();
    let whole = missing.is_empty() && !launched.interrupted;
    let mut text = String::new();
    for missing in missing.iter().take(MOST_LISTED) {
        text += &format!("not measured: {}: {}\n", missing.node, missing.why);
    }
    if missing.len() > MOST_LISTED {
        let nodes: BTreeSet<&str> = missing.iter().map(|m| m.node.as_str()).collect();
        text += &format!("not measured: {} nodes in all\n", nodes.len());
    }
    let records = match plan.sessions {
        1 => "a record each".to_owned(),
        sessions => format!("{sessions} records each"),
    };
    text += &format!(
        "{measured} of {} nodes measured, {records}: NODE/{}.whyslow\n",
        plan.nodes.len(),
        plan.id
    );
    text += match (whole, plan.confirm) {
        (false, _) => "The same command goes on with the nodes that are not measured.\n",
        (true, true) => "Of what was suspected, these records alone count.\n",
        (true, false) => {
            "One record singles out suspects; the same command with --confirm settles what the report leaves open.\n"
        }
    };
    let word = quote(&folder.to_string_lossy());
    text += &format!("next:   whyslow fleet report {word}\n");
    if whole {
        held.finish()?;
    }
    output::print(&text).context("the screen")?;
    Ok(ExitCode::from(match (launched.interrupted, whole) {
        (true, _) => exit::INTERRUPTED,
        (false, false) => exit::UNDECIDED,
        (false, true) => return Ok(ExitCode::SUCCESS),
    }))
}
