//! Exit codes: one meaning each, in every command.

use std::process::ExitCode;

use whyslow_preload::{Ended, end_by};

/// A real difference, a slow node, or something found that had to be looked for: a false alarm, what would spoil a run, what could
/// not be put back.
pub(crate) const FOUND: u8 = 1;

/// Bad input or usage; standard error says in one line what is wrong and what to do.
pub(crate) const BAD: u8 = 2;

/// Neither shown to differ nor shown to be the same; no colors could be found; or a node was not measured.
pub(crate) const UNDECIDED: u8 = 3;

/// Ended by Ctrl-C, SIGTERM or a closed terminal: what a shell gives a program that Ctrl-C ended, 128 and the number
/// of the signal.
pub(crate) const INTERRUPTED: u8 = 130;

/// Ends as the program did that was run: with its code, or by its signal.
pub(crate) fn as_program(ended: Ended) -> ExitCode {
    match ended {
        // Codes have eight bits.
        Ended::Code(code) => ExitCode::from(code as u8),
        Ended::Signal(signal) => {
            end_by(signal);
            // As shells say it, where the signal did not end us.
            ExitCode::from(128_u8.wrapping_add(signal as u8))
        }
    }
}

/// Each with its meaning, as help and manual pages say it.
pub(crate) const CODES: [(u8, &str); 5] = [
    (0, "done; no real difference"),
    (
        FOUND,
        "a real difference (compare, run --against, selfcheck), a slow node (fleet report), a step (fleet history), or something \
         found (doctor, restore)",
    ),
    (
        BAD,
        "bad input or usage: one line says what is wrong and what to do",
    ),
    (
        UNDECIDED,
        "undecided: more processes are needed (compare, run --against), no colors found (color), or a node was not \
         measured (fleet run)",
    ),
    (
        INTERRUPTED,
        "stopped by Ctrl-C or a closed terminal; what was measured is kept",
    ),
];

/// What help says of them.
pub(crate) fn help() -> String {
    let codes = CODES.iter();
    let lines = codes.map(|(code, meaning)| format!("\n  {code:>3}  {meaning}"));
    lines.fold("Exit codes:".to_owned(), |text, line| text + &line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_readme_name_every_code() {
        let readme = include_str!("../../../README.md");
        let of_readme = readme.split("Exit codes: ").nth(1).unwrap();
        for code in [FOUND, BAD, UNDECIDED, INTERRUPTED] {
            let line = |l: &str| l.trim_start().starts_with(&format!("{code}  "));
            assert!(help().lines().any(line), "{code}");
            assert!(of_readme.contains(&format!(" {code} ")), "README: {code}");
        }
        let command = crate::args::command();
        for (path, at) in [
            ("whyslow", command.clone()),
            (
                "compare",
                command.find_subcommand("compare").unwrap().clone(),
            ),
            ("color", command.find_subcommand("color").unwrap().clone()),
            ("doctor", command.find_subcommand("doctor").unwrap().clone()),
        ] {
            let help = at.clone().render_long_help().to_string();
            assert!(help.contains("Exit codes:"), "{path}");
        }
    }

    #[test]
    fn codes_are_written_in_one_place() {
        let commands = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands"));
        for file in commands.unwrap().map(|entry| entry.unwrap().path()) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(
                !text.contains(": u8 = "),
                "{} has a code of its own",
                file.display()
            );
        }
    }
}
