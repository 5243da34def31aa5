//! From what was asked for to what is run: every command with every level and combination.

use std::collections::BTreeSet;

use super::error::{LoadError, MOST, MOST_COPIES};
use super::{CommandSpec, CommandText, Hooks, LoadRequest, words};

/// The name in braces that load levels are put in place of.
const LEVEL: &str = "j";

/// One thing that is run again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    /// Parameters of its points.
    pub(super) params: Vec<(String, String)>,
    /// The command as it is told.
    pub(super) title: String,
    /// Words in front of the program that start it.
    pub(super) front: Vec<String>,
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// Copies at once.
    pub(super) copies: u32,
    /// What is run around it.
    pub(super) hooks: Hooks,
}

/// Everything that is run.
#[derive(Debug)]
pub(super) struct Cells {
    /// By group and, within it, command.
    pub(super) cells: Vec<Cell>,
    /// Combinations of level and parameters.
    pub(super) groups: usize,
    /// Commands.
    pub(super) commands: usize,
    /// Are levels numbers of copies?
    pub(super) copies: bool,
}

/// A name and what is put in its place.
type Binding = (String, String);

/// Lays out the cells of `request`.
///
/// # Errors
/// One line: what does not fit, and what to do.
pub(super) fn cells(request: &LoadRequest) -> Result<Cells, LoadError> {
    let copies = copies(request)?;
    for parameter in &request.parameters {
        let used = texts(request).any(|t| t.contains(&braced(&parameter.name)));
        if !used {
            return Err(LoadError::Unused(parameter.name.clone()));
        }
    }
    let groups = groups(request)?;
    let names = names(request)?;
    let mut cells = Vec::new();
    for bindings in &groups {
        for (command, name) in request.commands.iter().zip(&names) {
            let argv = argv(&command.text, request.shell.as_deref(), bindings)?;
            let put = |text: &Option<String>| text.as_ref().map(|t| substituted(t, bindings));
            let mut params: Vec<Binding> = bindings
                .iter()
                .map(|(name, value)| (name.clone(), safe(value)))
                .collect();
            params.push(("cmd".into(), name.clone()));
            let level = bindings.iter().find(|(n, _)| copies && n == LEVEL);
            cells.push(Cell {
                params,
                title: told(command, bindings),
                front: match &command.start {
                    Some(start) => start.words.clone(),
                    None => Vec::new(),
                },
                argv,
                copies: level.and_then(|(_, j)| j.parse().ok()).unwrap_or(1),
                hooks: Hooks {
                    setup: put(&request.hooks.setup),
                    prepare: put(&request.hooks.prepare),
                    conclude: put(&request.hooks.conclude),
                    cleanup: put(&request.hooks.cleanup),
                },
            });
        }
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = cells.iter().find(|c| !seen.insert(&c.params)) {
        let values: Vec<&str> = twice.params.iter().map(|(_, v)| v.as_str()).collect();
        return Err(LoadError::Alike(values.join(", ")));
    }
    Ok(Cells {
        groups: groups.len(),
        commands: request.commands.len(),
        cells,
        copies,
    })
}

/// Do levels mean copies? They do where no command says what else they are.
fn copies(request: &LoadRequest) -> Result<bool, LoadError> {
    let level = braced(LEVEL);
    let with = |c: &&CommandSpec| match &c.text {
        CommandText::Words(words) => words.iter().any(|w| w.contains(&level)),
        CommandText::Line(line) => line.contains(&level),
    };
    let having = request.commands.iter().filter(with).count();
    match (request.levels.is_empty(), having) {
        (true, 0) => Ok(false),
        (true, _) => Err(LoadError::NoLevels),
        (false, 0) => match request.levels.iter().find(|&&j| j > MOST_COPIES) {
            Some(&j) => Err(LoadError::Copies(j)),
            None => Ok(true),
        },
        (false, n) if n == request.commands.len() => Ok(false),
        _ => Err(LoadError::SomeLevels),
    }
}

/// All texts in which a parameter may stand.
fn texts(request: &LoadRequest) -> impl Iterator<Item = &str> {
    let commands = request.commands.iter().flat_map(|c| match &c.text {
        CommandText::Words(words) => words.iter().map(String::as_str).collect::<Vec<_>>(),
        CommandText::Line(line) => vec![line.as_str()],
    });
    let hooks = &request.hooks;
    let hooks = [
        &hooks.setup,
        &hooks.prepare,
        &hooks.conclude,
        &hooks.cleanup,
    ];
    commands.chain(hooks.into_iter().filter_map(|h| h.as_deref()))
}

/// Every combination of level and parameter values, the first name varying slowest.
fn groups(request: &LoadRequest) -> Result<Vec<Vec<Binding>>, LoadError> {
    let mut names: Vec<(&str, Vec<String>)> = Vec::new();
    if !request.levels.is_empty() {
        let levels = request.levels.iter().map(u32::to_string).collect();
        names.push((LEVEL, levels));
    }
    names.extend(
        request
            .parameters
            .iter()
            .map(|p| (p.name.as_str(), p.values.clone())),
    );
    let mut groups: Vec<Vec<Binding>> = vec![Vec::new()];
    for (i, (name, values)) in names.iter().enumerate() {
        if names[..i].iter().any(|(n, _)| n == name) {
            return Err(LoadError::Twice((*name).to_owned()));
        }
        if groups.len() * values.len() * request.commands.len() > MOST {
            return Err(LoadError::Runs);
        }
        groups = groups
            .iter()
            .flat_map(|group| {
                values.iter().map(move |value| {
                    let mut group = group.clone();
                    group.push(((*name).to_owned(), value.clone()));
                    group
                })
            })
            .collect();
    }
    Ok(groups)
}

/// What points call the commands.
fn names(request: &LoadRequest) -> Result<Vec<String>, LoadError> {
    let names: Vec<String> = request
        .commands
        .iter()
        .enumerate()
        .map(|(i, c)| c.name.as_deref().map_or_else(|| (i + 1).to_string(), safe))
        .collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    match distinct.len() == names.len() {
        true => Ok(names),
        false => Err(LoadError::Names),
    }
}

/// A value as it may stand in a point: its separators and what is no character become '_'.
fn safe(value: &str) -> String {
    let unfit = |c: char| "{},".contains(c) || c.is_control();
    value
        .chars()
        .map(|c| if unfit(c) { '_' } else { c })
        .collect()
}

fn braced(name: &str) -> String {
    format!("{{{name}}}")
}

/// `text` with the values in place of their names, each put in once: a value is not looked into.
fn substituted(text: &str, bindings: &[Binding]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let bound = bindings
            .iter()
            .find(|(name, _)| rest.starts_with(&braced(name)));
        match bound {
            Some((name, value)) => {
                out.push_str(value);
                rest = &rest[name.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// The command as it is told, with what it is started under.
fn told(command: &CommandSpec, bindings: &[Binding]) -> String {
    let title = title(&command.text, bindings);
    match command.start.as_ref().and_then(|start| start.told.as_ref()) {
        Some(told) => format!("{title} under {told}"),
        None => title,
    }
}

/// The command itself.
fn title(text: &CommandText, bindings: &[Binding]) -> String {
    match text {
        CommandText::Words(words) => match &words[..] {
            [one] => substituted(one, bindings),
            _ => words::line(&each(words, bindings)),
        },
        CommandText::Line(line) => substituted(line, bindings),
    }
}

fn each(words: &[String], bindings: &[Binding]) -> Vec<String> {
    words.iter().map(|w| substituted(w, bindings)).collect()
}

/// Program and arguments. A shell gets one word as it is, and several so that they stay what they are.
fn argv(
    text: &CommandText,
    shell: Option<&str>,
    bindings: &[Binding],
) -> Result<Vec<String>, LoadError> {
    match (shell, text) {
        (Some(shell), _) => Ok(vec![shell.into(), "-c".into(), title(text, bindings)]),
        (None, CommandText::Words(words)) => Ok(each(words, bindings)),
        (None, CommandText::Line(line)) => words::split(&substituted(line, bindings)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tests::request;
    use crate::load::{Parameter, Start};

    fn words(text: &str) -> CommandText {
        CommandText::Words(text.split(' ').map(str::to_owned).collect())
    }

    fn asked(text: CommandText, levels: &[u32], parameters: &[&str]) -> LoadRequest {
        LoadRequest {
            commands: vec![CommandSpec {
                name: None,
                text,
                start: None,
            }],
            levels: levels.to_vec(),
            parameters: parameters
                .iter()
                .map(|p| Parameter::parse(p).unwrap())
                .collect(),
            ..request()
        }
    }

    fn told(request: &LoadRequest) -> Vec<String> {
        let cells = cells(request).unwrap();
        cells
            .cells
            .iter()
            .map(|c| {
                let params: Vec<String> =
                    c.params.iter().map(|(n, v)| format!("{n}={v}")).collect();
                format!("{} x{} {:?}", params.join(","), c.copies, c.argv)
            })
            .collect()
    }

    #[test]
    fn levels_and_parameters_are_put_in() {
        assert_eq!(
            told(&asked(
                words("make -j{j} O={o}"),
                &[1, 4],
                &["o=-O0,-O2 -g"]
            )),
            [
                r#"j=1,o=-O0,cmd=1 x1 ["make", "-j1", "O=-O0"]"#,
                r#"j=1,o=-O2 -g,cmd=1 x1 ["make", "-j1", "O=-O2 -g"]"#,
                r#"j=4,o=-O0,cmd=1 x1 ["make", "-j4", "O=-O0"]"#,
                r#"j=4,o=-O2 -g,cmd=1 x1 ["make", "-j4", "O=-O2 -g"]"#,
            ]
        );
    }

    #[test]
    fn without_a_place_for_the_level_it_is_copies() {
        assert_eq!(
            told(&asked(words("sieve 1"), &[1, 2], &[])),
            [
                r#"j=1,cmd=1 x1 ["sieve", "1"]"#,
                r#"j=2,cmd=1 x2 ["sieve", "1"]"#
            ]
        );
    }

    #[test]
    fn what_starts_a_command_is_told_and_no_part_of_it() {
        let mut one = asked(words("make -j{j}"), &[2], &[]);
        one.commands[0].start = Some(Start {
            words: vec!["nice".into(), "{j}".into()],
            told: Some("nice".into()),
        });
        let cell = cells(&one).unwrap().cells.remove(0);
        assert_eq!(cell.front, ["nice", "{j}"]);
        assert_eq!(cell.argv, ["make", "-j2"]);
        assert_eq!(cell.title, "make -j2 under nice");
    }

    #[test]
    fn a_shell_gets_one_line() {
        let shell = |text| LoadRequest {
            shell: Some("/bin/sh".into()),
            ..asked(text, &[], &[])
        };
        for (text, line) in [
            (CommandText::Words(vec!["a | b".into()]), "a | b"),
            (
                CommandText::Words(vec!["a".into(), "b c".into()]),
                "a 'b c'",
            ),
            (CommandText::Line("a | b".into()), "a | b"),
        ] {
            let cells = cells(&shell(text)).unwrap();
            assert_eq!(cells.cells[0].argv, ["/bin/sh", "-c", line]);
        }
    }

    #[test]
    fn braces_that_are_no_parameter_stay() {
        let awk = asked(words("awk {print} {x}"), &[], &["x={x},2"]);
        let argv: Vec<_> = cells(&awk)
            .unwrap()
            .cells
            .into_iter()
            .map(|c| c.argv)
            .collect();
        assert_eq!(argv, [["awk", "{print}", "{x}"], ["awk", "{print}", "2"]]);
    }

    #[test]
    fn says_what_does_not_fit() {
        for (request, why) in [
            (asked(words("make -j{j}"), &[], &[]), "add -j"),
            (asked(words("make"), &[], &["x=1,2"]), "used nowhere"),
            (asked(words("a {x}"), &[], &["x=1,2", "x=3"]), "twice"),
            (asked(words("a {x}"), &[], &["x={,}"]), "look alike"),
            (asked(words("a"), &[9_999], &[]), "copies"),
            (
                asked(CommandText::Line("a | b".into()), &[], &[]),
                "--shell",
            ),
            (
                asked(words("a {x}{y}"), &[], &["x=1..999", "y=1..99"]),
                "fewer values",
            ),
        ] {
            let said = cells(&request).unwrap_err().to_string();
            assert!(said.contains(why), "{said}");
        }
        let mut two = asked(words("a {j}"), &[1, 2], &[]);
        two.commands.push(CommandSpec {
            name: None,
            text: words("b"),
            start: None,
        });
        assert!(cells(&two).unwrap_err().to_string().contains("only some"));
    }
}
