//! A command of this program as a process of its own.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::program::own_program;

/// How often it is looked whether it has ended, or is to end.
const LOOK: Duration = Duration::from_millis(20);

/// What it came to.
pub(super) struct Ended {
    /// Its exit code; none if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

/// Runs it to its end; once `stop` says so, it is asked to end as by Ctrl-C.
pub(super) fn run(args: &[String], stop: &dyn Fn() -> bool) -> io::Result<Ended> {
    let mut child = Command::new(own_program())
        .args(args)
        // Nothing may stand between the lines of a program's answer.
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let mut asked = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if !asked && stop() {
            interrupt(&child);
            asked = true;
        }
        thread::sleep(LOOK);
    };
    Ok(Ended {
        code: status.code(),
        out: read(out)?,
        err: read(err)?,
    })
}

/// It was not waited for yet, so the number is still its own.
fn interrupt(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // One that has ended just now needs no signal.
        let _ = kill_process(pid, Signal::INT);
    }
}

type Reader = JoinHandle<io::Result<Vec<u8>>>;

fn reader(from: Option<impl Read + Send + 'static>) -> Option<Reader> {
    let mut from = from?;
    Some(thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all)?;
        Ok(all)
    }))
}

fn read(reader: Option<Reader>) -> io::Result<String> {
    let bytes = match reader.map(JoinHandle::join) {
        Some(Ok(bytes)) => bytes?,
        Some(Err(_)) => return Err(io::Error::other("its output could not be read")),
        None => Vec::new(),
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
