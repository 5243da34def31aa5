//! Which commands are tools, and what of their arguments: names, texts and types are those of the command line.

use std::any::TypeId;

use clap::{Arg, ArgAction, Command};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::args::command;

/// How the short answer is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    /// It is what the command prints.
    Printed,
    /// From the record that the command prints as JSON.
    Record,
}

/// A command as a tool.
pub(super) struct Offered {
    name: &'static str,
    /// The command line's name for it.
    command: &'static str,
    /// What it is good for, beyond what the command says of itself.
    more: &'static str,
    /// Arguments that may be given, by their names on the command line, positional ones in their order.
    takes: &'static [&'static str],
    /// Those that have to be.
    must: &'static [&'static str],
    /// Further arguments of the short answer.
    short: &'static [&'static str],
    how: Short,
    /// Further arguments of the whole result, and its schema; none where there is only text.
    json: Option<(&'static [&'static str], &'static str)>,
    /// Does it leave the machine as it is, and write nothing?
    reads: bool,
}

const TABLE: [Offered; 7] = [
    Offered {
        name: "doctor",
        command: "doctor",
        more: "Takes two seconds; ask it before a run.",
        takes: &[],
        must: &[],
        short: &[],
        how: Short::Printed,
        json: Some((&["--format=json"], "doctor")),
        reads: true,
    },
    Offered {
        name: "list",
        command: "list",
        more: "",
        takes: &["glob", "origin", "points", "suite"],
        must: &[],
        short: &[],
        how: Short::Printed,
        json: None,
        reads: true,
    },
    Offered {
        name: "run",
        command: "run",
        more: "The answer names the record, which show, compare and explain take. 55 seconds are a screen of everything.",
        takes: &[
            "budget", "only", "suite", "standard", "rounds", "seed", "output",
        ],
        must: &["budget"],
        short: &["--json"],
        how: Short::Record,
        json: Some((&["--json"], "record")),
        reads: false,
    },
    Offered {
        name: "show",
        command: "show",
        more: "The whole result has every sample, which is megabytes.",
        takes: &["records"],
        must: &["records"],
        short: &["--format=json"],
        how: Short::Record,
        json: Some((&["--format=json"], "record")),
        reads: true,
    },
    Offered {
        name: "compare",
        command: "compare",
        more: "Takes records, and what some forty other benchmarks print.",
        takes: &["also_a", "also_b", "margin", "only", "fail_on", "a", "b"],
        must: &["a", "b"],
        short: &["--format=markdown"],
        how: Short::Printed,
        json: Some((&["--format=json"], "comparison")),
        reads: true,
    },
    Offered {
        name: "explain",
        command: "explain",
        more: "From records alone: nothing is measured.",
        takes: &["also_a", "also_b", "a", "b"],
        must: &["a"],
        short: &[],
        how: Short::Printed,
        json: Some((&["--format=json"], "explanation")),
        reads: true,
    },
    Offered {
        name: "experiment",
        command: "explain",
        more: "Switches the one cause named in `experiment` on and off in processes of its own, for some minutes; what it \
               changes is put back at its end.",
        takes: &["experiment", "blocks", "seed", "a", "b"],
        must: &["experiment"],
        short: &[],
        how: Short::Printed,
        json: Some((&["--format=json"], "explanation")),
        reads: false,
    },
];

/// A command line, and how its output becomes an answer.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) args: Vec<String>,
    pub(super) json: bool,
    pub(super) short: Short,
}

/// The tools as a client sees them.
pub(super) fn all() -> Vec<Tool> {
    TABLE.iter().map(Offered::tool).collect()
}

pub(super) fn find(name: &str) -> Option<&'static Offered> {
    TABLE.iter().find(|tool| tool.name == name)
}

/// What a value has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Whole,
    Number,
    Text,
    Texts,
}

/// By how the command line takes it.
fn kind(arg: &Arg) -> Kind {
    match arg.get_action() {
        ArgAction::SetTrue => return Kind::Flag,
        ArgAction::Append => return Kind::Texts,
        _ => {}
    }
    let is = arg.get_value_parser().type_id();
    if is == TypeId::of::<u32>() || is == TypeId::of::<u64>() {
        Kind::Whole
    } else if is == TypeId::of::<f64>() {
        Kind::Number
    } else {
        Kind::Text
    }
}

impl Offered {
    fn declared(&self) -> Command {
        let mut all = command();
        // What belongs to an argument is known only then.
        all.build();
        all.find_subcommand(self.command).cloned().unwrap_or(all)
    }

    fn tool(&self) -> Tool {
        let command = self.declared();
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let what = match self.more {
            "" => format!("{about}."),
            more => format!("{about}. {more}"),
        };
        let read_only = ToolAnnotations::new()
            .read_only(self.reads)
            .destructive(false)
            .open_world(false);
        Tool::new(self.name, what, self.schema(&command)).annotate(read_only)
    }

    /// The schema of its arguments.
    fn schema(&self, command: &Command) -> JsonObject {
        let mut properties = JsonObject::new();
        for arg in self.args(command) {
            let mut property = match kind(arg) {
                Kind::Flag => json!({"type": "boolean"}),
                Kind::Whole => json!({"type": "integer", "minimum": 0}),
                Kind::Number => json!({"type": "number"}),
                Kind::Text => json!({"type": "string"}),
                Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            property["description"] = help.into();
            let possible = arg.get_possible_values();
            if !possible.is_empty() && kind(arg) == Kind::Text {
                let names = possible.iter().map(|value| Value::from(value.get_name()));
                property["enum"] = names.collect();
            }
            properties.insert(arg.get_id().to_string(), property);
        }
        if let Some((_, schema)) = self.json {
            let what = format!(
                "Answer with the whole result, by the schema in schema/{schema}.schema.json, in place of a short text"
            );
            properties.insert(
                "json".into(),
                json!({"type": "boolean", "description": what}),
            );
        }
        let mut schema = JsonObject::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        schema.insert("required".into(), self.must.to_vec().into());
        schema.insert("additionalProperties".into(), false.into());
        schema
    }

    /// The arguments that it takes, as declared.
    fn args<'a>(&self, command: &'a Command) -> Vec<&'a Arg> {
        let takes = self.takes.iter();
        takes
            .filter_map(|name| command.get_arguments().find(|arg| arg.get_id() == name))
            .collect()
    }

    /// The command line of a call.
    ///
    /// # Errors
    /// One line about the argument that is wrong, and what it has to be.
    pub(super) fn call(&self, given: &JsonObject) -> Result<Call, String> {
        let command = self.declared();
        let args = self.args(&command);
        let json = match given.get("json") {
            None => false,
            Some(Value::Bool(wanted)) => *wanted,
            Some(_) => return Err("json: true or false is expected".into()),
        };
        let is_known = |name: &String| {
            args.iter().any(|arg| arg.get_id() == name.as_str())
                || (name == "json" && self.json.is_some())
        };
        if let Some(unknown) = given.keys().find(|name| !is_known(name)) {
            return Err(format!(
                "{unknown}: {} takes no such argument, only: {}",
                self.name,
                self.takes.join(", ")
            ));
        }
        if let Some(missing) = self.must.iter().find(|name| !given.contains_key(**name)) {
            return Err(format!("{missing}: {} needs this argument", self.name));
        }
        let mut line = vec![self.command.to_owned()];
        line.extend(match (json, self.json) {
            (true, Some((whole, _))) => whole.iter().map(ToString::to_string).collect::<Vec<_>>(),
            _ => self.short.iter().map(ToString::to_string).collect(),
        });
        let mut places = Vec::new();
        for arg in args {
            let name = arg.get_id().as_str();
            let Some(value) = given.get(name) else {
                continue;
            };
            let values = values(name, kind(arg), value)?;
            match arg.get_long() {
                None => places.extend(values),
                Some(long) if kind(arg) == Kind::Flag => {
                    line.extend(values.iter().map(|_| format!("--{long}")))
                }
                Some(long) => line.extend(values.iter().map(|value| format!("--{long}={value}"))),
            }
        }
        if !places.is_empty() {
            // What follows is no option, whatever it begins with.
            line.push("--".into());
            line.extend(places);
        }
        Ok(Call {
            args: line,
            json,
            short: self.how,
        })
    }
}

/// A value as the command line takes it: none of a flag that is not set, several of a list.
fn values(name: &str, kind: Kind, value: &Value) -> Result<Vec<String>, String> {
    let text = |value: &Value| {
        value
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let (found, wanted) = match kind {
        Kind::Flag => (
            value
                .as_bool()
                .map(|set| vec![String::new(); usize::from(set)]),
            "true or false",
        ),
        Kind::Whole => (
            value.as_u64().map(|n| vec![n.to_string()]),
            "a whole number",
        ),
        Kind::Number => (value.as_f64().map(|n| vec![n.to_string()]), "a number"),
        Kind::Text => (text(value).map(|text| vec![text]), "a text"),
        // One is a list too.
        Kind::Texts => (
            match value {
                Value::Array(items) => items.iter().map(text).collect(),
                one => text(one).map(|text| vec![text]),
            },
            "a list of texts",
        ),
    };
    found.ok_or_else(|| format!("{name}: {wanted} is expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tool: &str, given: Value) -> Result<String, String> {
        let given = given.as_object().unwrap();
        find(tool)
            .unwrap()
            .call(given)
            .map(|call| call.args.join(" "))
    }

    #[test]
    fn arguments_become_a_command_line() {
        for (tool, given, wanted) in [
            ("doctor", json!({}), "doctor"),
            ("doctor", json!({"json": true}), "doctor --format=json"),
            (
                "run",
                json!({"budget": 9, "only": "os.*", "standard": true}),
                "run --json --budget=9 --only=os.* --standard",
            ),
            (
                "run",
                json!({"budget": 9, "standard": false}),
                "run --json --budget=9",
            ),
            (
                "compare",
                json!({"a": "-x", "b": "y", "also_a": ["z"]}),
                "compare --format=markdown --also-a=z -- -x y",
            ),
            (
                "explain",
                json!({"a": "x", "json": true}),
                "explain --format=json -- x",
            ),
            (
                "experiment",
                json!({"experiment": "seccomp"}),
                "explain --experiment=seccomp",
            ),
        ] {
            let line = line(tool, given).unwrap();
            assert_eq!(line, wanted);
            let typed = std::iter::once("whyslow").chain(line.split(' '));
            let parsed = command().try_get_matches_from(typed);
            assert!(parsed.is_ok(), "{line}: {:?}", parsed.err());
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_a_line() {
        for (tool, given, wanted) in [
            ("run", json!({}), "budget: run needs this argument"),
            (
                "run",
                json!({"budget": "9"}),
                "budget: a whole number is expected",
            ),
            (
                "run",
                json!({"budget": -9}),
                "budget: a whole number is expected",
            ),
            (
                "run",
                json!({"budget": 9, "resume": "x"}),
                "resume: run takes no such argument",
            ),
            ("compare", json!({"a": "x"}), "b: compare needs"),
            (
                "compare",
                json!({"a": "x", "b": 1}),
                "b: a text is expected",
            ),
            ("show", json!({"records": []}), ""),
            (
                "show",
                json!({"records": [1]}),
                "records: a list of texts is expected",
            ),
            (
                "experiment",
                json!({"a": "x"}),
                "experiment: experiment needs this argument",
            ),
            (
                "experiment",
                json!({"experiment": ""}),
                "experiment: a text is expected",
            ),
            (
                "list",
                json!({"json": true}),
                "json: list takes no such argument",
            ),
        ] {
            match line(tool, given.clone()) {
                // The command itself says what is missing.
                Ok(_) => assert_eq!(wanted, "", "{given}"),
                Err(why) => assert!(!wanted.is_empty() && why.starts_with(wanted), "{why}"),
            }
        }
    }

    #[test]
    fn every_argument_is_one_of_the_command_and_described() {
        for tool in &TABLE {
            let command = tool.declared();
            assert_eq!(tool.args(&command).len(), tool.takes.len(), "{}", tool.name);
            let schema = Value::Object(tool.schema(&command));
            for (name, property) in schema["properties"].as_object().unwrap() {
                let text = property["description"].as_str().unwrap();
                assert!(text.len() > 4, "{} {name}: {text:?}", tool.name);
            }
        }
        let run = Value::Object(
            find("run")
                .unwrap()
                .schema(&find("run").unwrap().declared()),
        );
        assert_eq!(run["properties"]["budget"]["type"], "integer");
        assert_eq!(run["properties"]["standard"]["type"], "boolean");
        assert_eq!(run["properties"]["suite"]["enum"][0], "lmbench");
    }
}
