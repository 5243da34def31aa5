//! What a client is told of a command that has ended.

use rmcp::model::{CallToolResult, ContentBlock};
use whyslow_model::document::Document;

use super::child::Ended;
use super::tools::{Call, Short};
use crate::exit;

/// Longest answer that is one document: more than any agent reads, and less than a record of every row takes.
const LARGEST: usize = 8 << 20;

/// The answer.
pub(super) fn of(call: &Call, ended: &Ended) -> CallToolResult {
    let said = remarks(ended);
    let failed = !matches!(ended.code, Some(code) if code != i32::from(exit::BAD));
    if failed {
        let why = match said.is_empty() {
            true => "the command was killed".to_owned(),
            false => line(&said),
        };
        return CallToolResult::error(vec![ContentBlock::text(why)]);
    }
    if call.json {
        return document(ended, &said);
    }
    let short = match call.short {
        Short::Printed => ended.out.clone(),
        Short::Record => match serde_json::from_str::<Document>(&ended.out) {
            Ok(shown) => whyslow_report::brief(&shown.record, &shown.summary),
            Err(why) => return CallToolResult::error(vec![ContentBlock::text(why.to_string())]),
        },
    };
    let code = ended.code.and_then(meaning);
    let parts = [Some(short), Some(said), code];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let parts = parts.iter().map(|part| part.trim_end());
    let text: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    CallToolResult::success(vec![ContentBlock::text(text.join("\n"))])
}

/// The whole result, and as text for clients that read no structure.
fn document(ended: &Ended, said: &str) -> CallToolResult {
    if ended.out.len() > LARGEST {
        let why = format!(
            "the whole result has {} MB; ask without json, or run the command with --format json",
            ended.out.len() >> 20
        );
        return CallToolResult::error(vec![ContentBlock::text(why)]);
    }
    match serde_json::from_str(&ended.out) {
        Ok(value) => {
            let mut result = CallToolResult::structured(value);
            if !said.is_empty() {
                result.content.push(ContentBlock::text(said));
            }
            result
        }
        Err(why) => CallToolResult::error(vec![ContentBlock::text(why.to_string())]),
    }
}

/// What it said beside its result: where the record is, what stood in the way.
fn remarks(ended: &Ended) -> String {
    let lines = ended.err.lines();
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix("whyslow: ").unwrap_or(line))
        .collect();
    lines.join("\n")
}

/// What is wrong, in a line: of what the command line says of its usage, what comes before the advice.
fn line(said: &str) -> String {
    let lines = said
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

/// An exit code in words; none where all is well.
fn meaning(code: i32) -> Option<String> {
    let known = exit::CODES
        .iter()
        .find(|(known, _)| i32::from(*known) == code);
    let (_, meaning) = known.filter(|(code, _)| *code != 0)?;
    Some(format!("exit code {code}: {meaning}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_usage_is_a_line() {
        let said = "error: invalid value 'x' for '--chart'\n  [possible values: a, b]\n\nFor more information, try '--help'.\n";
        assert_eq!(
            line(said),
            "invalid value 'x' for '--chart' [possible values: a, b]"
        );
        assert_eq!(line("a: no such file"), "a: no such file");
    }

    #[test]
    fn a_code_that_is_no_failure_is_said() {
        assert_eq!(meaning(0), None);
        assert!(meaning(3).is_some_and(|text| text.starts_with("exit code 3: undecided")));
    }
}
