//! The command line as help, man pages and completions show it: with examples, and without what is internal.

use clap::{Command, CommandFactory};

use super::Arguments;
use super::examples::{EXAMPLES, Example};
use crate::exit;

/// The whole command line, internal commands included, with the examples of each command in its `--help`.
pub(crate) fn command() -> Command {
    with_examples(Arguments::command(), "")
}

/// What is shown of it where all commands are listed: not the internal ones.
pub(crate) fn shown() -> Command {
    let all = command();
    let root = Command::new("whyslow").version(env!("CARGO_PKG_VERSION"));
    let root = all
        .get_about()
        .cloned()
        .into_iter()
        .fold(root, Command::about);
    let named = all.get_subcommands().filter(|sub| !sub.is_hide_set());
    root.subcommands(named.cloned())
}

/// The examples of the command at `path`.
pub(crate) fn examples(path: &str) -> &'static [Example] {
    let found = EXAMPLES.iter().find(|(named, _)| *named == path);
    found.map_or(&[], |(_, examples)| examples)
}

/// Does the help of this command say what exit codes mean?
pub(crate) fn says_exit_codes(command: &Command) -> bool {
    let after = command.get_after_help().map(ToString::to_string);
    after.is_some_and(|text| text == exit::help())
}

fn with_examples(command: Command, path: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    let command = names.iter().fold(command, |command, name| {
        let below = format!("{path} {name}");
        command.mut_subcommand(name, |sub| with_examples(sub, below.trim_start()))
    });
    let examples = examples(path);
    if examples.is_empty() {
        return command;
    }
    let mut text = "Examples:".to_owned();
    for (typed, meaning) in examples {
        text += &format!("\n  {typed}\n      {meaning}");
    }
    let text = match command.get_after_help() {
        Some(codes) => format!("{text}\n\n{codes}"),
        None => text,
    };
    command.after_long_help(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::tests::split;

    fn paths(command: &Command, path: &str) -> Vec<String> {
        let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let below = shown.flat_map(|sub| {
            let at = format!("{path} {}", sub.get_name());
            paths(sub, at.trim_start())
        });
        std::iter::once(path.to_owned()).chain(below).collect()
    }

    #[test]
    fn every_command_has_examples_and_no_other() {
        let mut commands = paths(&command(), "");
        let mut named: Vec<&str> = EXAMPLES.iter().map(|(path, _)| *path).collect();
        commands.sort();
        named.sort_unstable();
        assert_eq!(named, commands);
    }

    #[test]
    fn examples_are_commands_of_their_own_help() {
        for (path, examples) in EXAMPLES {
            for (typed, _) in *examples {
                let words = split(typed);
                let ours = words.iter().position(|w| w == "|" || w == ">");
                let ours = &words[..ours.unwrap_or(words.len())];
                let parsed = command().try_get_matches_from(ours);
                assert!(parsed.is_ok(), "{typed}: {:?}", parsed.err());
                assert!(path.is_empty() || typed.contains(path), "{path}: {typed}");
            }
        }
        let compare = command();
        let compare = compare.find_subcommand("compare").unwrap();
        let help = compare.clone().render_long_help().to_string();
        let at = |what: &str| help.find(what).unwrap();
        assert!(at("Examples:") < at("Exit codes:"), "{help}");
    }

    #[test]
    fn internal_commands_are_not_shown() {
        let shown = shown();
        assert!(shown.get_subcommands().count() > 15);
        assert!(
            !shown
                .get_subcommands()
                .any(|s| s.get_name().starts_with("__"))
        );
    }
}
