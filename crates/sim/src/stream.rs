//! Accesses of a program, and those of our own probes.

use crate::draw::cycle;
use crate::error::SimError;
use crate::hierarchy::WRITE;
use crate::space::Space;

/// Accesses in order, as numbers of lines in the address space of a program; 8 bytes each.
#[derive(Debug, Clone)]
pub struct Stream {
    pub(crate) space: Space,
    pub(crate) line_log2: u32,
    pub(crate) accesses: Vec<u64>,
    /// Instructions, where the source tells.
    pub instructions: Option<u64>,
}

/// Lines of these sizes are simulated, log2 of bytes: those of all caches of the last decades.
pub(crate) const LINE_LOG2: std::ops::RangeInclusive<u32> = 4..=8;

impl Stream {
    /// No accesses yet, on lines of `line_bytes`.
    ///
    /// # Errors
    /// When there are no such lines.
    pub fn new(line_bytes: u32) -> Result<Stream, SimError> {
        let line_log2 = line_bytes.max(1).ilog2();
        if !line_bytes.is_power_of_two() || !LINE_LOG2.contains(&line_log2) {
            return Err(SimError::Shape {
                level: "caches".to_owned(),
                what: format!("lines of {line_bytes} bytes; a power of two from 16 to 256"),
            });
        }
        Ok(Stream {
            space: Space::new(line_log2),
            line_log2,
            accesses: Vec::new(),
            instructions: None,
        })
    }

    /// Adds an access of so many bytes; one that crosses lines is one access to each.
    ///
    /// # Errors
    /// When addresses lie too far apart.
    pub fn push(&mut self, address: u64, bytes: u32, write: bool) -> Result<(), SimError> {
        let kind = if write { WRITE } else { 0 };
        let last = address.saturating_add(u64::from(bytes.max(1)) - 1);
        let mut at = address;
        loop {
            self.accesses.push(u64::from(self.space.line(at)?) | kind);
            match (at | ((1 << self.line_log2) - 1)).checked_add(1) {
                Some(next) if next <= last => at = next,
                _ => return Ok(()),
            }
        }
    }

    /// How many accesses there are.
    pub fn len(&self) -> usize {
        self.accesses.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.accesses.is_empty()
    }
}

/// Accesses as our probes make them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// One random cycle over all lines, as `mem.latency` follows.
    Chase,
    /// Reads forward, so many bytes apart.
    Stride(u64),
    /// Reads of 8 bytes, forward.
    Read,
    /// Writes of 8 bytes, forward.
    Write,
    /// Reads of 8 bytes of the first half, each written to its place in the second.
    Copy,
}

/// Bytes of one access of the forward patterns: a register.
const WORD: u64 = 8;

/// Where the pattern's memory begins: a page that no program has, far from 0.
const START: u64 = 0x1000_0000;

impl Pattern {
    /// One pass over `bytes`, the order drawn by the seed.
    ///
    /// # Errors
    /// When there is no such pattern in so many bytes.
    pub fn pass(self, bytes: u64, line_bytes: u32, seed: u64) -> Result<Stream, SimError> {
        let mut stream = Stream::new(line_bytes)?;
        let line = u64::from(line_bytes);
        let wrong = |what: String| SimError::Shape {
            level: "pattern".to_owned(),
            what,
        };
        if bytes < 2 * line || bytes > MOST_BYTES {
            return Err(wrong(format!(
                "{bytes} bytes; at least two lines and at most {MOST_BYTES}"
            )));
        }
        let mut step = |stride: u64, end: u64, copy: bool, write: bool| {
            for offset in (0..end).step_by(stride as usize) {
                stream.push(START + offset, 1, write)?;
                if copy {
                    stream.push(START + end + offset, 1, true)?;
                }
            }
            Ok::<(), SimError>(())
        };
        match self {
            Pattern::Stride(0) => return Err(wrong("a stride of 0 bytes".to_owned())),
            Pattern::Stride(stride) => step(stride, bytes, false, false)?,
            Pattern::Read => step(WORD, bytes, false, false)?,
            Pattern::Write => step(WORD, bytes, false, true)?,
            Pattern::Copy => step(WORD, bytes / 2, true, false)?,
            Pattern::Chase => {
                let next = cycle((bytes / line) as u32, seed);
                let mut at = 0;
                for _ in 0..next.len() {
                    stream.push(START + u64::from(at) * line, 1, false)?;
                    at = next[at as usize];
                }
            }
        }
        Ok(stream)
    }
}

/// Most bytes of a pattern: 4 GiB, whose order takes half a GiB.
const MOST_BYTES: u64 = 4 << 30;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lines(stream: &Stream) -> Vec<u64> {
        let line = |asked: &u64| stream.space.address(*asked as u32) | (asked & WRITE) >> 32;
        stream.accesses.iter().map(line).collect()
    }

    #[test]
    fn an_access_across_lines_is_one_to_each() {
        let mut stream = Stream::new(64).unwrap();
        stream.push(0x103c, 8, true).unwrap();
        stream.push(0x1000, 0, false).unwrap();
        stream.push(u64::MAX - 3, 64, false).unwrap();
        assert_eq!(lines(&stream), [0x1001, 0x1041, 0x1000, !63]);
        assert!(Stream::new(48).is_err() && Stream::new(0).is_err());
    }

    #[test]
    fn patterns_touch_what_they_say() {
        let of = |pattern: Pattern| pattern.pass(4096, 64, 1).unwrap();
        let chase = of(Pattern::Chase);
        let distinct: BTreeSet<u64> = chase.accesses.iter().copied().collect();
        assert_eq!((chase.len(), distinct.len()), (64, 64));
        assert_ne!(
            chase.accesses,
            Pattern::Chase.pass(4096, 64, 2).unwrap().accesses
        );
        assert_eq!(of(Pattern::Stride(128)).len(), 32);
        assert_eq!(of(Pattern::Read).len(), 512);
        assert!(
            of(Pattern::Write)
                .accesses
                .iter()
                .all(|asked| asked & WRITE != 0)
        );
        let copy = lines(&of(Pattern::Copy));
        assert_eq!(copy[..2], [START, START + 2048 + 1]);
        for (pattern, bytes) in [
            (Pattern::Chase, 64),
            (Pattern::Stride(0), 4096),
            (Pattern::Read, 1 << 40),
        ] {
            assert!(pattern.pass(bytes, 64, 1).is_err(), "{pattern:?}");
        }
    }
}
