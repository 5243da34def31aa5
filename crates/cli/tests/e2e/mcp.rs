//! The Model Context Protocol over a pipe, as a client speaks it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A client of a server that runs in a test's folder.
struct Client {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn new(env: &TestEnv) -> Client {
        let mut command = env.whyslow("mcp");
        let mut server = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (to, from) = (server.stdin.take(), server.stdout.take().unwrap());
        let mut client = Client {
            server,
            to,
            from: BufReader::new(from),
            last: 0,
        };
        let answer = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}
            }),
        );
        let result = &answer["result"];
        assert_eq!(result["serverInfo"]["name"], "whyslow", "{answer}");
        assert_eq!(result["protocolVersion"], "2025-06-18", "{answer}");
        assert!(result["capabilities"]["tools"].is_object(), "{answer}");
        client.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: Value) {
        let to = self.to.as_mut().unwrap();
        writeln!(to, "{message}").unwrap();
        to.flush().unwrap();
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.say(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    /// The next message of the server.
    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line:?}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The result of a tool, and its first text.
    fn call(&mut self, tool: &str, arguments: Value) -> (Value, String) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = answer["result"].clone();
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (result, text)
    }

    /// The one line of a call that is refused.
    fn refused(&mut self, tool: &str, arguments: Value, words: &[&str]) {
        let (result, text) = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(text.lines().count(), 1, "{text}");
        for word in words {
            assert!(text.contains(word), "no '{word}' in {text}");
        }
    }

    /// Hangs up, and gives the exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.to.take());
        self.server.wait().unwrap().code()
    }
}

#[test]
fn tools_are_listed_with_what_they_take() {
    let env = TestEnv::new();
    let mut client = Client::new(&env);
    let answer = client.ask("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|t| t["name"].as_str()).collect();
    let wanted = [
        "doctor",
        "list",
        "run",
        "show",
        "compare",
        "explain",
        "experiment",
    ];
    assert_eq!(names, wanted);
    for tool in tools {
        let schema = &tool["inputSchema"];
        assert!(jsonschema::validator_for(schema).is_ok(), "{tool}");
        assert!(
            tool["description"].as_str().is_some_and(|d| d.len() > 20),
            "{tool}"
        );
    }
    let run = &tools[2];
    assert_eq!(run["inputSchema"]["required"], json!(["budget"]));
    assert_eq!(run["annotations"]["readOnlyHint"], false);
    assert_eq!(tools[4]["annotations"]["readOnlyHint"], true);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_run_is_shown_compared_and_explained() {
    let env = TestEnv::new();
    let mut client = Client::new(&env);
    for name in ["a", "b"] {
        let wanted =
            json!({"budget": 20, "only": "os.null_call,os.read", "rounds": 3, "output": name});
        let (result, text) = client.call("run", wanted);
        assert_eq!(result["isError"], false, "{result}");
        for part in [
            "os.null_call: ",
            " ns [",
            "how sure: 3 processes",
            "scope: ",
            &format!("record: {name}"),
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert!(result["structuredContent"].is_null(), "{result}");
    }
    let (_, text) = client.call("show", json!({"records": "a"}));
    assert!(
        text.contains("os.read: ") && text.contains("scope: "),
        "{text}"
    );
    // The same documents as on the command line, by the same schemas.
    for (tool, given, args, schema) in [
        (
            "show",
            json!({"records": ["a"]}),
            "show a --format json",
            "record",
        ),
        (
            "compare",
            json!({"a": "a", "b": "b"}),
            "compare a b --format json",
            "comparison",
        ),
        (
            "explain",
            json!({"a": "a", "b": "b"}),
            "explain a b --format json",
            "explanation",
        ),
    ] {
        let mut whole = given.clone();
        whole["json"] = true.into();
        let (result, text) = client.call(tool, whole);
        let document = &result["structuredContent"];
        assert_eq!(crate::schema::errors(schema, document), [""; 0], "{tool}");
        let typed: Value = serde_json::from_str(&env.run(args).out).unwrap();
        assert_eq!(document, &typed, "{tool}");
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            typed,
            "{tool}"
        );
        let (_, short) = client.call(tool, given);
        assert!(
            short.len() * 2 < text.len(),
            "{tool}: {} and {}",
            short.len(),
            text.len()
        );
    }
    let (_, text) = client.call("compare", json!({"a": "a", "b": "b"}));
    assert!(text.contains("supports claims about"), "{text}");
    let (_, text) = client.call("list", json!({"glob": "os.null_call"}));
    assert!(text.starts_with("os.null_call"), "{text}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn what_is_wrong_is_an_answer_in_a_line() {
    let env = TestEnv::new();
    let mut client = Client::new(&env);
    client.refused("run", json!({}), &["budget", "needs"]);
    client.refused("run", json!({"budget": 0}), &["--budget"]);
    client.refused("run", json!({"budget": 5, "only": "no.such"}), &["no.such"]);
    client.refused("show", json!({"records": "missing"}), &["missing"]);
    client.refused("compare", json!({"a": "x"}), &["b: compare needs"]);
    client.refused(
        "compare",
        json!({"a": "x", "b": "y", "z": 1}),
        &["z: ", "no such argument"],
    );
    client.refused("experiment", json!({"a": "x"}), &["experiment: ", "needs"]);
    client.refused(
        "experiment",
        json!({"experiment": "no_such_cause"}),
        &["no_such_cause"],
    );
    let answer = client.ask("tools/call", json!({"name": "rm", "arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.ask("no/such", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    // All that, and it still answers.
    let answer = client.ask("ping", json!({}));
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_client_that_cancels_or_hangs_up_ends_the_run_which_keeps_its_record() {
    let env = TestEnv::new();
    for cancels in [true, false] {
        let mut client = Client::new(&env);
        let name = format!("r{cancels}");
        let long = json!({"budget": 500, "only": "os.null_call", "rounds": 10_000, "output": name});
        let id = client.send("tools/call", json!({"name": "run", "arguments": long}));
        crate::env::wait_for("the record", || env.path(&name).exists().then_some(()));
        if cancels {
            let params = json!({"requestId": id, "reason": "enough"});
            client.say(
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
            );
            // The next tool waits for the end of the one that was cancelled.
            let (result, _) = client.call("list", json!({"glob": "os.null_call"}));
            assert_eq!(result["isError"], false, "{result}");
        }
        assert_eq!(client.end(), Some(0));
        let shown = env.shown(&name);
        assert!(
            shown.record.footer.is_some(),
            "the run was killed and did not end by itself"
        );
    }
}

#[test]
fn without_a_client_it_says_what_it_is_for() {
    let env = TestEnv::new();
    env.run("mcp").refuses(&["Model Context Protocol"]);
}
