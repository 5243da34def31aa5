//! A command of an engine, such as `sinfo`, run to its end within a limit.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::EngineError;

/// Commands that ask a controller give up by themselves after tens of seconds; this is beyond that.
const LIMIT: Duration = Duration::from_secs(90);

/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// What it said.
#[derive(Debug)]
pub(super) struct Said {
    /// Did it end well?
    pub(super) ok: bool,
    /// Its standard output.
    pub(super) out: String,
    /// What it complained of, in one line.
    pub(super) err: String,
}

/// Runs `words` with `input`.
pub(super) fn tool(words: &[String], input: &str) -> Result<Said, EngineError> {
    let Some((program, rest)) = words.split_first() else {
        return Err(EngineError::Refused("no command is given".to_owned()));
    };
    let failed = |why: io::Error| {
        EngineError::Refused(match why.kind() {
            io::ErrorKind::NotFound => format!("{program} is not installed here"),
            _ => format!("{program}: {why}"),
        })
    };
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read it has said why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let Some(ok) = ended(&mut child).map_err(failed)? else {
        return Err(EngineError::Unanswered(format!(
            "{program} did not answer within {} s",
            LIMIT.as_secs()
        )));
    };
    Ok(Said {
        ok,
        out: text(out),
        err: line(&text(err)),
    })
}

/// Did it end well? Nothing where it had to be killed.
fn ended(child: &mut Child) -> io::Result<Option<bool>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

fn reader(from: Option<impl Read + Send + 'static>) -> Option<JoinHandle<Vec<u8>>> {
    let mut from = from?;
    Some(thread::spawn(move || {
        let mut all = Vec::new();
        // What could be read until then is what there is.
        let _ = from.read_to_end(&mut all);
        all
    }))
}

fn text(reader: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.and_then(|reader| reader.join().ok());
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// The lines of a complaint as one.
fn line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str) -> Result<Said, EngineError> {
        tool(&["sh", "-c", script].map(str::to_owned), input)
    }

    #[test]
    fn it_is_told_and_says() {
        let said = shell("cat; echo one >&2; echo; echo two >&2; exit 3", "in").unwrap();
        assert!(!said.ok);
        assert_eq!((said.out.trim(), said.err.as_str()), ("in", "one; two"));
        assert!(shell("true", &"x".repeat(1 << 20)).unwrap().ok);
    }

    #[test]
    fn a_command_that_is_not_there_is_named() {
        let why = tool(&["no-such-tool".to_owned()], "").unwrap_err();
        assert_eq!(why.to_string(), "no-such-tool is not installed here");
    }
}
