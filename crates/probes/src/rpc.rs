//! The part of ONC RPC (RFC 5531, version 2) that a null procedure needs: call and reply messages in
//! XDR, and the record marks that separate them on a stream. No portmapper: both ends know the port.

use std::io::{self, Read};

/// Our program number, in the RFC's transient range (from 0x40000000).
pub const PROGRAM: u32 = 0x4000_7768;
/// Its only version.
pub const VERSION: u32 = 1;
/// The null procedure of every program: no arguments, no action, no result.
const NULL: u32 = 0;

/// RPC protocol version.
const RPC_VERSION: u32 = 2;
/// Message types.
const CALL: u32 = 0;
const REPLY: u32 = 1;
/// Reply status.
const ACCEPTED: u32 = 0;
const DENIED: u32 = 1;
/// Status of an accepted call.
const SUCCESS: u32 = 0;
const PROG_UNAVAIL: u32 = 1;
const PROG_MISMATCH: u32 = 2;
const PROC_UNAVAIL: u32 = 3;
const GARBAGE_ARGS: u32 = 4;
/// Reason for a denied call.
const RPC_MISMATCH: u32 = 0;

/// Bytes of a call of the null procedure without credentials.
pub const CALL_BYTES: usize = 40;
/// Longest body of credentials or a verifier allowed by the RFC.
const AUTH_BYTES: usize = 400;
/// Longest accepted message: a call with the longest credentials and verifier.
pub const MESSAGE_BYTES: usize = CALL_BYTES + 2 * AUTH_BYTES;

/// A call of the null procedure, numbered `xid`, without credentials.
pub fn call(xid: u32) -> [u8; CALL_BYTES] {
    let words = [xid, CALL, RPC_VERSION, PROGRAM, VERSION, NULL, 0, 0, 0, 0];
    let mut message = [0; CALL_BYTES];
    for (bytes, word) in message.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    message
}

/// A reply: at most eight words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    bytes: [u8; 32],
    len: usize,
}

impl Reply {
    fn of(words: &[u32]) -> Reply {
        let mut reply = Reply {
            bytes: [0; 32],
            len: 4 * words.len(),
        };
        for (bytes, word) in reply.bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        reply
    }

    /// The message.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The server's reply to `message`; none if it is not a call.
pub fn answer(message: &[u8]) -> Option<Reply> {
    let mut words = Words(message);
    let xid = words.next()?;
    if words.next()? != CALL {
        return None;
    }
    if words.next()? != RPC_VERSION {
        let only = RPC_VERSION;
        return Some(Reply::of(&[xid, REPLY, DENIED, RPC_MISMATCH, only, only]));
    }
    // Without credentials of our own, an accepted reply has an empty verifier.
    let accepted = |what: &[u32]| {
        let mut reply = vec![xid, REPLY, ACCEPTED, 0, 0];
        reply.extend(what);
        Some(Reply::of(&reply))
    };
    let (program, version, procedure) = (words.next()?, words.next()?, words.next()?);
    if words.skip_auth().and_then(|()| words.skip_auth()).is_none() {
        return accepted(&[GARBAGE_ARGS]);
    }
    match (program, version, procedure) {
        (PROGRAM, VERSION, NULL) if words.0.is_empty() => {
            Some(Reply::of(&[xid, REPLY, ACCEPTED, 0, 0, SUCCESS]))
        }
        (PROGRAM, VERSION, NULL) => accepted(&[GARBAGE_ARGS]),
        (PROGRAM, VERSION, _) => accepted(&[PROC_UNAVAIL]),
        (PROGRAM, _, _) => accepted(&[PROG_MISMATCH, VERSION, VERSION]),
        _ => accepted(&[PROG_UNAVAIL]),
    }
}

/// True if `message` is a successful null-procedure reply to the call `xid`.
pub fn done(message: &[u8], xid: u32) -> bool {
    let mut words = Words(message);
    let mut head = || {
        let to = (words.next()?, words.next()?, words.next()?);
        words.skip_auth()?;
        Some((to, words.next()?))
    };
    head() == Some(((xid, REPLY, ACCEPTED), SUCCESS)) && words.0.is_empty()
}

/// The rest of a message, read word by word.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*word))
    }

    /// Credentials or a verifier: a flavor, a length, and the bytes, padded to a word.
    fn skip_auth(&mut self) -> Option<()> {
        let _flavor = self.next()?;
        let bytes = self.next()? as usize;
        if bytes > AUTH_BYTES {
            return None;
        }
        self.0 = self.0.get(bytes.next_multiple_of(4)..)?;
        Some(())
    }
}

/// Set in the mark of a record's last fragment; the other bits are the fragment's length.
const LAST: u32 = 1 << 31;

/// Writes `message` to `into` as a record of one fragment. Returns the record.
///
/// # Errors
/// When `into` is too small.
pub fn record<'a>(message: &[u8], into: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let whole = 4 + message.len();
    let record = into
        .get_mut(..whole)
        .ok_or_else(|| io::Error::other("the record is longer than its buffer"))?;
    record[..4].copy_from_slice(&(LAST | message.len() as u32).to_be_bytes());
    record[4..].copy_from_slice(message);
    Ok(record)
}

/// Reads records from a stream, with one read for a record that has arrived completely.
#[derive(Debug)]
pub struct Records {
    buffer: Vec<u8>,
    filled: usize,
    message: Vec<u8>,
}

impl Default for Records {
    fn default() -> Self {
        Records {
            // Twice the longest message is enough: no real sender marks every few bytes.
            buffer: vec![0; 2 * MESSAGE_BYTES],
            filled: 0,
            message: Vec::with_capacity(MESSAGE_BYTES),
        }
    }
}

impl Records {
    /// The next message of `stream`; none at its end.
    ///
    /// # Errors
    /// When the stream ends within a record, or a record is too long.
    pub fn next(&mut self, stream: &mut impl Read) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(used) = self.take()? {
                self.buffer.copy_within(used..self.filled, 0);
                self.filled -= used;
                return Ok(Some(&self.message));
            }
            match stream.read(&mut self.buffer[self.filled..])? {
                0 if self.filled == 0 => return Ok(None),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => self.filled += n,
            }
        }
    }

    /// Assembles the message if all of its fragments have arrived. Returns the bytes consumed.
    fn take(&mut self) -> io::Result<Option<usize>> {
        let too_long = || io::Error::other("an RPC record is longer than any message");
        self.message.clear();
        let mut at = 0;
        loop {
            let rest = &self.buffer[at..self.filled];
            let Some((mark, rest)) = rest.split_first_chunk() else {
                break;
            };
            let mark = u32::from_be_bytes(*mark);
            let bytes = (mark & !LAST) as usize;
            if self.message.len() + bytes > MESSAGE_BYTES {
                return Err(too_long());
            }
            let Some(fragment) = rest.get(..bytes) else {
                break;
            };
            self.message.extend(fragment);
            at += 4 + bytes;
            if mark & LAST != 0 {
                return Ok(Some(at));
            }
        }
        if self.filled == self.buffer.len() {
            return Err(too_long());
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
