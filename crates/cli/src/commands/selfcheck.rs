//! `whyslow selfcheck`: how often chance alone looks like a difference on this host, and how often a
//! planted slowdown is found.

mod cases;
mod causes;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use whyslow_compare::selfcheck::{LEAST, selfcheck as check_itself};
use whyslow_compare::{FailOn, Named, Options, Outcome, compare, is_real, outcome};
use whyslow_leftovers::{Kind, OwnFolder};
use whyslow_model::Record;
use whyslow_model::comparison::Comparison;
use whyslow_model::store;
use whyslow_runner::Target;

use crate::args::{Run, SelfCheck};
use crate::commands::run;
use crate::exit;
use crate::globs;
use crate::output;
use crate::progress::Progress;

/// Checks a record that is there, or measures this host once or, live, twice.
pub(crate) fn selfcheck(args: &SelfCheck) -> Result<ExitCode> {
    if args.causes {
        return causes::causes(args);
    }
    if let Some(folder) = &args.cases {
        return cases::cases(args, folder);
    }
    let only = globs::typed(args.only.as_deref()).context("--only")?;
    let first = match &args.record {
        Some(path) => store::read(path)?,
        None => measure(args, "first")?,
    };
    let seed = first.header.seed;
    let Some(check) = check_itself(&first, &only, seed) else {
        bail!(
            "no point has {LEAST} processes, which splitting needs; measure with `whyslow run --standard`"
        );
    };
    output::print(&whyslow_report::selfcheck(&check, output::look()))?;
    if !args.live {
        return Ok(ExitCode::SUCCESS);
    }
    let second = measure(args, "second")?;
    let options = Options {
        only,
        ..Options::default()
    };
    let side = |name, record| [Named { name, record }];
    let found = compare(
        &side("first run", &first),
        &side("second run", &second),
        &options,
    )
    .context("the two runs cannot be compared")?;
    output::print(&format!(
        "\nTwo runs of this host as if they were two hosts\n{}\n",
        largest(&found)
    ))?;
    output::print(&whyslow_report::comparison(&found, output::look()))?;
    Ok(match outcome(&found, FailOn::Any) {
        Outcome::Different => ExitCode::from(exit::FOUND),
        // That most points are undecided after two quick runs is no fault of the host.
        Outcome::Same | Outcome::Undecided => ExitCode::SUCCESS,
    })
}

/// `0 of 80 points called different; largest ratio 1.07`.
fn largest(found: &Comparison) -> String {
    let real = found.points.iter().filter(|p| is_real(&p.verdict)).count();
    let ratios = found.points.iter().filter_map(|p| p.ratio);
    let largest = ratios.map(|r| r.ln().abs()).fold(0.0, f64::max).exp();
    format!(
        "  {real} of {} points called different (0 expected); largest ratio of any point {largest:.2}",
        found.rules.tested
    )
}

/// One run into a file of its own, which is not kept.
fn measure(args: &SelfCheck, which: &str) -> Result<Record> {
    let run_args = Run {
        quick: !args.standard,
        standard: args.standard,
        only: args.only.clone(),
        ..Run::default()
    };
    let mut request = run::resolve(&run_args)?;
    let folder = own_folder()?;
    request.target = Target::File(folder.path().join(format!("{which}.whyslow")));
    let mut progress = Progress::new();
    let finished = whyslow_runner::run(&request, &mut |event| progress.on(&event));
    progress.done();
    let finished = finished?;
    if finished
        .record
        .footer
        .as_ref()
        .is_none_or(|f| f.end == whyslow_model::record::End::Interrupted)
    {
        bail!("the {which} run was interrupted; nothing was checked");
    }
    Ok(finished.record)
}

/// A folder for records that are not kept.
fn own_folder() -> Result<OwnFolder> {
    let place = std::env::temp_dir();
    OwnFolder::make(&place, Kind::Check)
        .with_context(|| format!("{}: no folder can be made there", place.display()))
}
