//! The command `whyslow`: arguments, progress bars and exit codes. What it does is in the crates
//! that it calls.

mod args;
mod commands;
mod exit;
mod file;
mod globs;
mod limits;
mod output;
mod program;
mod progress;
mod signals;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::args::{Arguments, Command};

fn main() -> ExitCode {
    limits::within(command)
}

fn command() -> ExitCode {
    let done = |()| ExitCode::SUCCESS;
    // A run starts hundreds of workers, and building all options with their help takes 2 ms, as long as two batches.
    if std::env::args_os().skip(1).eq([commands::worker::NAME]) {
        return exit_code(commands::worker::worker().map(done));
    }
    limits::make_room_for_files();
    let typed = args::command().try_get_matches();
    let arguments = match typed.and_then(|typed| Arguments::from_arg_matches(&typed)) {
        Ok(arguments) => arguments,
        // Help and version, which are ours.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            output::usage(&error);
            return ExitCode::from(exit::BAD);
        }
    };
    let ended = match arguments.command {
        None => commands::run::run(&args::Run::default()),
        Some(Command::Run(run)) => match &run.against {
            Some(path) => commands::against::run(&run, path),
            None => commands::run::run(&run),
        },
        Some(Command::List(list)) => commands::list::list(&list).map(done),
        Some(Command::Host(host)) => commands::host::host(&host).map(done),
        Some(Command::Show(show)) => commands::show::show(&show).map(done),
        Some(Command::Import(import)) => commands::import::import(&import).map(done),
        Some(Command::Compare(compare)) => commands::compare::compare(&compare),
        Some(Command::Explain(explain)) => commands::explain::explain(&explain),
        Some(Command::Report(report)) => commands::report::report(&report).map(done),
        Some(Command::Plot(plot)) => commands::plot::plot(&plot).map(done),
        Some(Command::Card(card)) => commands::card::card(&card).map(done),
        Some(Command::Catalog) => commands::catalog::catalog().map(done),
        Some(Command::Doctor(doctor)) => commands::doctor::doctor(&doctor),
        Some(Command::Color(color)) => commands::color::color(&color),
        Some(Command::Load(load)) => commands::load::load(&load),
        Some(Command::Tune(tune)) => commands::tune::tune(&tune),
        Some(Command::Sim(sim)) => commands::sim::sim(&sim).map(done),
        Some(Command::Fleet(fleet)) => commands::fleet::fleet(&fleet),
        Some(Command::SelfCheck(check)) => commands::selfcheck::selfcheck(&check),
        Some(Command::Restore) => commands::restore::restore(),
        Some(Command::Mcp) => commands::mcp::mcp(),
        Some(Command::Completions(wanted)) => commands::completions::print(&wanted).map(done),
        Some(Command::Man(wanted)) => commands::man::man(&wanted).map(done),
        Some(Command::Under(under)) => commands::under::under(&under),
        Some(Command::Beside(beside)) => commands::under::beside(&beside).map(done),
        Some(Command::Guard(args)) => {
            commands::put_back::guard(&args);
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Sense) => commands::under::sense().map(done),
        Some(Command::Node(node)) => commands::fleet::node(&node),
    };
    exit_code(ended)
}

/// How the process ends, and what it says of an error.
fn exit_code(ended: anyhow::Result<ExitCode>) -> ExitCode {
    match ended {
        Ok(code) => code,
        // The reader of our output has seen enough, as `head` has.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        // The terminal was closed, which ended the command.
        Err(error) if output::is_hung_up(&error) => ExitCode::from(exit::INTERRUPTED),
        Err(error) => {
            output::error(&error);
            ExitCode::from(exit::BAD)
        }
    }
}
