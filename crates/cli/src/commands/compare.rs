//! `whyslow compare`: which differences between two records, or two sides of them, are real.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use whyslow_compare::{FailOn, Options, Outcome, compare as compare_sides, outcome};
use whyslow_model::comparison::{Comparison, HostFile};
use whyslow_model::store;

use crate::args::{Compare, CompareFormat, FailOnArgument};
use crate::commands::{page, sides};
use crate::exit;
use crate::globs;
use crate::output;

/// Most bytes read of a file of host facts, which has some hundred KB.
const MOST_FACTS: u64 = 64 << 20;

/// What the first bytes of a file say about it; a record begins with zstd's magic number.
enum Kind {
    Record,
    Host(Box<HostFile>),
}

/// Compares them.
pub(crate) fn compare(args: &Compare) -> Result<ExitCode> {
    let margin = args.margin / 100.0;
    if !(margin > 0.0 && margin <= 1.0) {
        bail!(
            "--margin {} is not a percentage above 0 and up to 100",
            args.margin
        );
    }
    match (kind(&args.a)?, kind(&args.b)?) {
        (Kind::Host(a), Kind::Host(b)) => return hosts(args, &a, &b),
        (Kind::Record, Kind::Record) => {}
        _ => bail!(
            "{} and {} are a record and a file of host facts; compare two of a kind",
            args.a.display(),
            args.b.display()
        ),
    }
    let (a, b) = sides::both(
        &sides::paths(&args.a, &args.also_a),
        &sides::paths(&args.b, &args.also_b),
    )?;
    let only = globs::typed(args.only.as_deref()).context("--only")?;
    let points = a
        .iter()
        .chain(&b)
        .flat_map(|(_, record)| &record.plan.points);
    globs::all_select(&only, points.map(|p| &p.point), "these records")?;
    let options = Options {
        margin,
        only,
        undisturbed: !args.as_measured,
        levels: a.len() == 1 && b.len() == 1,
        ..Options::default()
    };
    let mut found =
        compare_sides(&sides::named(&a), &sides::named(&b), &options).with_context(|| {
            format!(
                "{} and {} cannot be compared",
                args.a.display(),
                args.b.display()
            )
        })?;
    if let ([first_a, ..], [first_b, ..]) = (&a[..], &b[..]) {
        found.families = whyslow_explain::families(&found, &first_a.1, &first_b.1);
    }
    if let (Some(path), [first_a, ..], [first_b, ..]) = (&args.html, &a[..], &b[..]) {
        let explanation = whyslow_explain::explain(&found, &first_a.1, &first_b.1);
        let comparisons = std::slice::from_ref(&found);
        page::write(path, &[&a, &b], comparisons, &[explanation], false)?;
    }
    output::print(&match args.format {
        CompareFormat::Table => whyslow_report::comparison(&found, output::look()),
        CompareFormat::Json => serde_json::to_string_pretty(&found)? + "\n",
        CompareFormat::Markdown => whyslow_report::comparison_markdown(&found),
    })?;
    if a.iter().map(|(_, r)| r).eq(b.iter().map(|(_, r)| r)) {
        output::warn("A and B are the same record: nothing differs, and nothing is undecided");
        return Ok(ExitCode::SUCCESS);
    }
    let fail_on = match args.fail_on {
        FailOnArgument::Any => FailOn::Any,
        FailOnArgument::Slower => FailOn::Slower,
        FailOnArgument::None => FailOn::None,
    };
    Ok(code(&found, fail_on))
}

/// The exit code that says what was found.
pub(crate) fn code(found: &Comparison, fail_on: FailOn) -> ExitCode {
    match outcome(found, fail_on) {
        Outcome::Same => ExitCode::SUCCESS,
        Outcome::Different => ExitCode::from(exit::FOUND),
        Outcome::Undecided => ExitCode::from(exit::UNDECIDED),
    }
}

/// Facts and state of two hosts.
fn hosts(args: &Compare, a: &HostFile, b: &HostFile) -> Result<ExitCode> {
    if args.html.is_some() {
        bail!("--html draws records; files of host facts have nothing to draw");
    }
    if !args.also_a.is_empty() || !args.also_b.is_empty() {
        bail!(
            "--also-a and --also-b are for records; files of host facts are compared two at a time"
        );
    }
    let found = whyslow_compare::differences(a, b);
    let names = [&args.a, &args.b].map(|path| path.display().to_string());
    output::print(&match args.format {
        CompareFormat::Json => serde_json::to_string_pretty(&found)? + "\n",
        // A table of facts has nothing that Markdown would make clearer.
        CompareFormat::Table | CompareFormat::Markdown => {
            whyslow_report::host_differences(&found, [&names[0], &names[1]], output::look())
        }
    })?;
    let differ = !found.state.is_empty() || !found.facts.is_empty();
    Ok(if differ && args.fail_on == FailOnArgument::Any {
        ExitCode::from(exit::FOUND)
    } else {
        ExitCode::SUCCESS
    })
}

/// A file of host facts is JSON; everything else is left to the readers of records and of other tools' results,
/// which say what is wrong with it.
fn kind(path: &Path) -> Result<Kind> {
    let mut bytes = Vec::new();
    let (path, _) = sides::file_and_part(path);
    let file = store::open_file(&path, false)?;
    file.take(MOST_FACTS)
        .read_to_end(&mut bytes)
        .with_context(|| path.display().to_string())?;
    if bytes.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
        return Ok(Kind::Record);
    }
    // Results of another tool may be JSON as well.
    let host = serde_json::from_slice(&bytes);
    Ok(host.map_or(Kind::Record, |host| Kind::Host(Box::new(host))))
}
