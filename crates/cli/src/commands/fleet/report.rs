//! `whyslow fleet report`: which nodes are slow, in what, and why.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Result, bail};
use whyslow_fleet::{IndexError, Options, why};
use whyslow_model::fleet::FleetReport as Shown;

use super::index::{asked, threads};
use crate::args::{FleetFormat, FleetReport};
use crate::{exit, file, output};

/// Reports.
pub(crate) fn report(args: &FleetReport) -> Result<ExitCode> {
    if !(args.margin > 0.0 && args.margin <= 100.0) {
        bail!(
            "--margin {} is no share: give percent above 0, such as 5",
            args.margin
        );
    }
    if !(args.within > 0.0 && args.within.is_finite()) {
        bail!("--within {} is no time: give hours above 0", args.within);
    }
    let options = Options {
        margin: args.margin / 100.0,
        within_hours: args.within,
    };
    if args.format == FleetFormat::Csv {
        return csv(args, &options);
    }
    let mut assembled = asked(&args.place, |index| whyslow_fleet::report(index, &options))?;
    if assembled.report.nodes.is_empty() {
        bail!(
            "{} has no records; they belong to FOLDER/NODE/TIME.whyslow",
            args.place.folder.display()
        );
    }
    why(&mut assembled, &args.place.folder, args.why, threads());
    let report = &assembled.report;
    let here = from_here(report.clone(), &args.place.folder);
    if let Some(path) = &args.html {
        let page = whyslow_report::fleet_html(&here, env!("CARGO_PKG_VERSION"));
        file::save(path, page.as_bytes())?;
    }
    if let Some(path) = &args.metrics {
        file::save(path, whyslow_report::fleet_metrics(report).as_bytes())?;
    }
    if let Some(path) = &args.health {
        file::save(path, whyslow_report::fleet_health(report).as_bytes())?;
    }
    output::print(&match args.format {
        FleetFormat::Table => whyslow_report::fleet(&here, output::look()),
        FleetFormat::Json => serde_json::to_string_pretty(report)? + "\n",
        FleetFormat::Drain => whyslow_report::fleet_drain_lines(report),
        FleetFormat::Csv => String::new(),
    })?;
    if args.drain {
        drain(&whyslow_report::fleet_drain(report))?;
    }
    Ok(match report.counts.slow {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::FOUND),
    })
}

/// The columns of the values. Programs read them by name or place: new ones go to the end.
const COLUMNS: &str = "node,group,record,started,family,point,log\n";

/// Text that is printed at once, bytes.
const PIECE: usize = 1 << 20;

/// Prints the values that the report rests on.
fn csv(args: &FleetReport, options: &Options) -> Result<ExitCode> {
    if args.html.is_some() || args.metrics.is_some() || args.health.is_some() || args.drain {
        bail!(
            "--format csv prints values and judges nothing: give --html, --metrics, --health or --drain without it"
        );
    }
    asked(&args.place, |index| {
        let (mut text, mut begun) = (COLUMNS.to_owned(), false);
        let taken = whyslow_fleet::rows::<anyhow::Error>(index, options, &mut |row| {
            let texts = [
                row.node,
                row.group,
                row.record,
                row.started,
                row.family,
                row.point,
            ];
            text += &whyslow_report::csv_row(&texts, row.log);
            if text.len() >= PIECE {
                begun = true;
                output::print(&text)?;
                text.clear();
            }
            Ok(())
        });
        match taken {
            Ok(()) => Ok(output::print(&text)),
            // What was printed is not printed again by an index that is made again.
            Err(why) if begun => Ok(Err(why)),
            Err(why) => match why.downcast::<IndexError>() {
                Ok(why) => Err(why),
                Err(other) => Ok(Err(other)),
            },
        }
    })??;
    Ok(ExitCode::SUCCESS)
}

/// The report with its records as they are found from this folder, so that commands on a screen can be pasted; in JSON they
/// are named below the folder of records, wherever that lies.
fn from_here(mut report: Shown, folder: &Path) -> Shown {
    let whys = report.nodes.iter_mut().filter_map(|node| node.why.as_mut());
    for why in whys {
        let also = why.also_records.iter_mut().chain(&mut why.also_against);
        for name in also.chain([&mut why.record, &mut why.against_record]) {
            *name = folder.join(&*name).to_string_lossy().into_owned();
        }
    }
    report
}

/// Runs the commands, without a shell.
fn drain(commands: &[Vec<String>]) -> Result<()> {
    let mut failed = Vec::new();
    for words in commands {
        let Some((program, rest)) = words.split_first() else {
            continue;
        };
        let ran = Command::new(program)
            .args(rest)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output();
        let said = match ran {
            Ok(ran) if ran.status.success() => continue,
            Ok(ran) => String::from_utf8_lossy(&ran.stderr).trim().to_owned(),
            Err(error) => error.to_string(),
        };
        failed.push(format!(
            "{}: {said}",
            words.get(2).map_or("", String::as_str)
        ));
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!(
        "{} of {} nodes could not be drained; {}",
        failed.len(),
        commands.len(),
        failed.join("; ")
    )
}
