//! What a worker writes: its answer, and what it says on stderr, which is read along so that no full
//! pipe holds it up.

use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What is kept of stderr: its end, where a program says what it died of.
const KEPT: usize = 1 << 16;

/// Between two looks at whether a worker that has closed its answer has ended: only then can a child of
/// its own still hold stderr open.
const AFTER: Duration = Duration::from_millis(5);

/// Both outputs of a worker, and what came from them.
#[derive(Debug)]
pub(super) struct Output {
    answering: Option<ChildStdout>,
    saying: Option<ChildStderr>,
    answer: Vec<u8>,
    said: Tail,
}

impl Output {
    /// Takes the outputs of `child`.
    pub(super) fn of(child: &mut Child) -> Output {
        Output {
            answering: child.stdout.take(),
            saying: child.stderr.take(),
            answer: Vec::new(),
            said: Tail::default(),
        }
    }

    /// Reads what there is, waiting for it at most for `wait`.
    pub(super) fn read(&mut self, wait: Duration) {
        let wait = match &self.answering {
            Some(_) => wait,
            None => wait.min(AFTER),
        };
        let wait = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        let answering = self.answering.as_ref().map(AsFd::as_fd);
        let saying = self.saying.as_ref().map(AsFd::as_fd);
        let both = [&answering, &saying];
        let mut ready: Vec<PollFd<'_>> = both
            .into_iter()
            .flatten()
            .map(|fd| PollFd::new(fd, PollFlags::IN))
            .collect();
        // An interrupted or empty wait is no matter: the caller polls again.
        if !matches!(poll(&mut ready, Some(&wait)), Ok(1..)) {
            return;
        }
        let mut ready = ready.iter().map(|fd| !fd.revents().is_empty());
        let mut is_ready = |there: bool| there && ready.next().unwrap_or(false);
        let (answers, says) = (
            is_ready(self.answering.is_some()),
            is_ready(self.saying.is_some()),
        );
        if answers {
            let answer = &mut self.answer;
            take_part(&mut self.answering, |part| answer.extend_from_slice(part));
        }
        if says {
            let said = &mut self.said;
            take_part(&mut self.saying, |part| said.add(part));
        }
    }

    /// Has the answer been read to its end?
    pub(super) fn answered(&self) -> bool {
        self.answering.is_none()
    }

    /// Have both been read to their ends?
    pub(super) fn ended(&self) -> bool {
        self.answering.is_none() && self.saying.is_none()
    }

    /// What a worker that has ended left in its pipe, which cannot be more than a pipe holds: a child of
    /// its own may write to it for as long as it likes.
    pub(super) fn read_rest(&mut self) {
        let before = self.said.total;
        while self.saying.is_some() && self.said.total - before < KEPT {
            let had = self.said.total;
            self.read(Duration::ZERO);
            if self.said.total == had {
                return;
            }
        }
    }

    /// The answer, and the end of what was said.
    pub(super) fn into_parts(self) -> (Vec<u8>, String) {
        // What is not text is of no use here.
        let said = String::from_utf8_lossy(self.said.kept()).into_owned();
        (self.answer, said)
    }
}

/// Reads a part of an output that has one, which is let go at its end.
fn take_part<R: Read>(from: &mut Option<R>, mut with: impl FnMut(&[u8])) {
    let Some(output) = from else {
        return;
    };
    let mut part = [0u8; 1 << 16];
    match output.read(&mut part) {
        Ok(n @ 1..) => with(&part[..n]),
        Err(e) if e.kind() == ErrorKind::Interrupted => {}
        Ok(_) | Err(_) => *from = None,
    }
}

/// The end of a stream of bytes.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    total: usize,
}

impl Tail {
    fn add(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        self.total += part.len();
        // Cut off only now and then, as what is kept is moved each time.
        if self.bytes.len() > 4 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
        }
    }

    fn kept(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(KEPT)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_what_is_said_is_kept() {
        let mut tail = Tail::default();
        for n in 0..100u8 {
            tail.add(&[n; 10_000]);
            assert!(tail.bytes.len() <= 4 * KEPT);
        }
        assert_eq!((tail.total, tail.kept().len()), (1_000_000, KEPT));
        assert_eq!(tail.kept()[KEPT - 10_000..], [99; 10_000]);
    }
}
