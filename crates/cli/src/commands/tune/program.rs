//! `whyslow tune run`: a program on memory routines of our own.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use whyslow_routines::choice::{Choice, Ways, identity};
use whyslow_routines::limits::NEVER;
use whyslow_routines::{Ran, check_program, choose};

use crate::args::TuneRun;
use crate::{exit, file, output};

/// Runs the program; its end is ours.
pub(super) fn run(args: &TuneRun) -> Result<ExitCode> {
    let (program, arguments) = args
        .program
        .split_first()
        .ok_or_else(|| anyhow!("no program is given"))?;
    check_program(program)?;
    let identity = identity();
    let kept = match args.choose {
        true => None,
        false => Choice::kept(&identity),
    };
    let was_kept = kept.is_some();
    let choice = match kept {
        Some(choice) => choice,
        None => {
            let choice = choose::choose()?;
            // Without a cache folder it is chosen anew each time.
            let _ = choice.keep(&identity);
            choice
        }
    };
    let ran = whyslow_routines::run(program, arguments, &choice)?;
    if ran.programs == 0 {
        output::warn(
            "no program loaded the routines: it may have dropped LD_PRELOAD, or started nothing but static programs",
        );
    }
    if let Some(path) = &args.output {
        file::save(path, report(&identity, &choice, was_kept, &ran).as_bytes())?;
    }
    Ok(exit::as_program(ran.ended))
}

/// What was chosen, and who used it, in lines of a name and a value.
fn report(identity: &str, choice: &Choice, was_kept: bool, ran: &Ran) -> String {
    let mut text = String::new();
    let origin = match was_kept {
        true => "kept by an earlier run",
        false => "measured in this run",
    };
    let mut line = |name: &str, value: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<20} {value}");
    };
    line("machine", identity);
    line("choice", origin);
    line("memcpy, memmove", &told(&choice.copy, choice.copies));
    line("memset", &told(&choice.set, choice.sets));
    line("memcmp, bcmp", &choice.compare);
    line("programs that use it", &ran.programs.to_string());
    if let Some(path) = &ran.kept {
        let stays = "stays for programs that go on, and goes with the first run after they ended";
        line("library", &format!("{} {stays}", path.display()));
    }
    text
}

fn told(shape: &str, ways: Ways) -> String {
    let mut text = shape.to_owned();
    for (from, way) in [
        (ways.string_from, "string instructions"),
        (ways.streamed_from, "non-temporal stores"),
    ] {
        if from != NEVER {
            let _ = write!(
                text,
                ", {way} from {} on",
                whyslow_model::size::format(from)
            );
        }
    }
    text
}
