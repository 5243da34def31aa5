//! `whyslow run --against A`: measures this machine until its differences from record A are settled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use whyslow_compare::{FailOn, Named, Options, compare, known_as, open};
use whyslow_model::comparison::{Comparison, Verdict};
use whyslow_model::glob::Globs;
use whyslow_model::record::{End, Outcome};
use whyslow_model::{Point, Record, store};
use whyslow_probes::Intensity;
use whyslow_runner::{Baseline, Finished, Request};
use whyslow_stats::sequential::LOOKS;

use crate::args::Run;
use crate::commands::{compare as comparing, restore, run as running};
use crate::exit;
use crate::globs;
use crate::output;
use crate::progress::Progress;

/// Processes of a point at its first look, which every point has.
const LEAST: u32 = LOOKS[0];

/// Processes of a point at its last look.
const MOST: u32 = LOOKS[LOOKS.len() - 1];

/// Open points that are named; the others are counted.
const NAMED: usize = 3;

/// Record A, and what its looks have saved.
#[derive(Debug)]
struct Against {
    name: String,
    record: Record,
    options: Options,
    /// Processes that each of its points may have here.
    most: BTreeMap<Point, u32>,
    saved: AtomicU32,
}

/// Measures, compares, and says where the record is.
pub(crate) fn run(args: &Run, path: &Path) -> Result<ExitCode> {
    let against = Arc::new(Against::read(args, path)?);
    let mut request = running::resolve(args)?;
    against.adopt(args, &mut request);
    request.against = Some(against.clone());
    restore::warn_of_left_behind();
    let mut progress = Progress::new();
    let finished = whyslow_runner::run(&request, &mut |event| progress.on(&event));
    progress.done();
    against.conclude(finished?, args.json)
}

impl Against {
    fn read(args: &Run, path: &Path) -> Result<Against> {
        if args.resume.is_some() {
            bail!("--against starts a record and --resume goes on with one; give one of them");
        }
        let cap = args.rounds.unwrap_or(MOST);
        if !(LEAST..=MOST).contains(&cap) {
            bail!(
                "--rounds {cap}: with --against, points have {LEAST} to {MOST} processes, as looks are at these"
            );
        }
        let (name, record) = (path.display().to_string(), store::read(path)?);
        if record.header.suite == "load" {
            bail!(
                "{name}: was made by `whyslow load`; measure the command again and compare the two"
            );
        }
        let only = globs::typed(args.only.as_deref()).context("--only")?;
        globs::all_select(&only, record.plan.points.iter().map(|p| &p.point), &name)?;
        let most = processes(&record).into_iter();
        let most = most.map(|(point, n)| (point.clone(), n.clamp(LEAST, cap)));
        Ok(Against {
            most: most.collect(),
            options: Options {
                only,
                ..Options::default()
            },
            saved: AtomicU32::new(0),
            name,
            record,
        })
    }

    /// Asks for what the record was asked for, where nothing else was typed: else its points would not be planned.
    fn adopt(&self, args: &Run, request: &mut Request) {
        let header = &self.record.header;
        request.rounds = self.most.values().max().copied().or(Some(LEAST));
        if !(args.quick || args.standard || args.rigorous) {
            let named = Intensity::named(&header.intensity);
            request.intensity = named.unwrap_or(request.intensity);
            let budget = |s| Duration::try_from_secs_f64(s).ok();
            if args.budget.is_none() && named.is_some() {
                request.budget = header.budget_s.and_then(budget);
            }
        }
        if args.only.is_none() && args.suite.is_none() {
            request.only = Globs::parse(&header.only);
            request.only_text.clone_from(&header.only);
            request.suite = Some(header.suite.clone()).filter(|suite| !suite.is_empty());
        }
        if args.copies.is_empty() {
            request.copies.clone_from(&header.copies);
        }
    }

    fn compare(&self, b: &Record, name: &str, levels: bool) -> Result<Comparison> {
        let side = |name, record| [Named { name, record }];
        let options = Options {
            levels,
            ..self.options.clone()
        };
        let found = compare(&side(&self.name, &self.record), &side(name, b), &options);
        found.with_context(|| format!("{} and {name} cannot be compared", self.name))
    }

    /// Prints the comparison with the new record.
    fn conclude(&self, finished: Finished, json: bool) -> Result<ExitCode> {
        let record = &finished.record;
        let end = record.footer.as_ref().map_or(End::Interrupted, |f| f.end);
        let name = match &finished.kept {
            Ok(path) => path.display().to_string(),
            Err(_) => "this run".to_owned(),
        };
        let place = match (&finished.kept, end) {
            (Err(_), _) => String::new(),
            (Ok(_), End::Complete) => format!("record: {name}"),
            (Ok(_), End::Budget) => format!("record: {name} (the time was up)"),
            (Ok(_), End::Interrupted) => format!("record: {name} (interrupted)"),
        };
        let found = self.compare(record, &name, true).map(|mut found| {
            found.families = whyslow_explain::families(&found, &self.record, record);
            found
        });
        let shown = found.as_ref().map(|found| {
            let said = format!("{}\n{place}", self.said(record, found));
            match json {
                true => {
                    output::warn(said.trim_end());
                    let document = serde_json::to_string_pretty(found)?;
                    output::print(&(document + "\n"))
                }
                false => {
                    let text = whyslow_report::comparison(found, output::look());
                    output::print(&format!("{text}\n{}\n", said.trim_end()))
                }
            }
        });
        if !matches!(shown, Ok(Ok(()))) && !place.is_empty() {
            output::warn(&place);
        }
        // The record matters more than who listens: say first that it was not kept.
        finished
            .kept
            .context("the record could not be kept; the numbers above are all there is")?;
        if end == End::Interrupted {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        }
        shown.unwrap_or(Ok(()))?;
        Ok(comparing::code(&found?, FailOn::Any))
    }

    /// That looks were corrected for, what they saved, and what is open.
    fn said(&self, record: &Record, found: &Comparison) -> String {
        let planned = record.plan.points.iter();
        let planned: Vec<u32> = planned.filter_map(|p| self.most(&p.point)).collect();
        let saved = self.saved.load(Ordering::Relaxed);
        format!(
            "looks at {} processes are corrected for; saved: {saved} of {} processes; {}",
            looks(planned.iter().copied().max().unwrap_or(LEAST)),
            planned.iter().sum::<u32>(),
            still_open(found)
        )
    }
}

impl Baseline for Against {
    fn name(&self) -> String {
        known_as(&self.record)
    }

    fn most(&self, point: &Point) -> Option<u32> {
        let most = self.most.get(point).copied();
        most.filter(|_| self.options.only.selects(point))
    }

    fn open(&self, record: &Record, asked: &BTreeSet<Point>) -> BTreeSet<Point> {
        let most = |point: &Point| self.most(point).unwrap_or(0);
        // Where nothing can be compared yet, nothing is settled.
        let Ok(found) = self.compare(record, "this run", false) else {
            return asked.clone();
        };
        let open = open(&found, asked, most);
        let had = processes(record);
        let saved = asked.difference(&open).map(|point| {
            let had = had.get(point).copied().unwrap_or(0);
            most(point).saturating_sub(had)
        });
        self.saved.fetch_add(saved.sum(), Ordering::Relaxed);
        open
    }
}

/// Processes of each point that brought values.
fn processes(record: &Record) -> BTreeMap<&Point, u32> {
    let mut counts = BTreeMap::new();
    for process in &record.processes {
        if process.round > 0 && matches!(process.outcome, Outcome::Draws(_)) {
            *counts.entry(&process.point).or_default() += 1;
        }
    }
    counts
}

/// `5, 10 and 20`.
fn looks(most: u32) -> String {
    let before = LOOKS.into_iter().filter(|&look| look < most);
    let before: Vec<String> = before.map(|look| look.to_string()).collect();
    match before.is_empty() {
        true => most.to_string(),
        false => format!("{} and {most}", before.join(", ")),
    }
}

/// `open: os.read, os.stat and 4 more`.
fn still_open(found: &Comparison) -> String {
    let open = found.points.iter().filter(|p| {
        matches!(
            p.verdict,
            Verdict::Undecided { .. } | Verdict::Modes { real: false }
        )
    });
    let open: BTreeSet<String> = open.map(|p| p.point.to_string()).collect();
    let named: Vec<&str> = open.iter().take(NAMED).map(String::as_str).collect();
    match open.len() {
        0 => "open: none".to_owned(),
        n if n > NAMED => format!("open: {} and {} more", named.join(", "), n - NAMED),
        _ => format!("open: {}", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_named_up_to_the_last() {
        assert_eq!(looks(20), "5, 10 and 20");
        assert_eq!(looks(12), "5, 10 and 12");
        assert_eq!(looks(10), "5 and 10");
        assert_eq!(looks(5), "5");
    }
}
