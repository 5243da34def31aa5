//! Reading: frame by frame and line by line, within limits that a hostile file cannot pass.

use std::io::{self, BufReader, Read};
use std::path::Path;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::StoreError;
use super::place::open_file;
use crate::record::{Line, Record, SCHEMA};

/// Largest record that is read, bytes of text: some 40,000 processes with hundreds of samples each. The writer ends a
/// run before that.
const MOST_BYTES: u64 = 96 << 20;

/// Largest file, bytes: text is compressed to a tenth, and a frame of its own a line costs little.
const MOST_FILE: u64 = MOST_BYTES;

/// Longest line, bytes: the plan of an import of a hundred thousand figures stays under it.
const LONGEST_LINE: usize = 32 << 20;

/// Most that the lines may take once they are values, by [`cost`]. Beside the text of the longest line, and with
/// a copy of the record, that stays under 512 MiB.
pub(super) const MOST_COST: u64 = 160 << 20;

/// Largest window of a frame, bytes: what the compressor of records uses at most.
const MOST_WINDOW: u64 = 8 << 20;

/// Bytes decoded at a time.
const PIECE: usize = 64 << 10;

/// About the memory that a line takes once it is a value, bytes. A number takes as much as it is long; what is
/// short as text and large as a value is separated by commas; and each line has a part that does not depend on it.
pub(super) fn cost(line: &[u8]) -> u64 {
    let commas = line.iter().filter(|&&b| b == b',').count() as u64;
    line.len() as u64 + 16 * commas + 256
}

/// Powers of ten beyond which nothing is measured: what is computed from numbers within stays a number.
const MOST_EXPONENT: u32 = 30;

/// A number of a line of JSON that nothing can have measured.
fn beyond_measure(line: &[u8]) -> Option<String> {
    let (mut quoted, mut escaped, mut start) = (false, false, None);
    for (at, &b) in line.iter().enumerate() {
        let part = !quoted && (b.is_ascii_digit() || b"+-.eE".contains(&b));
        match (part, start) {
            (true, None) if b.is_ascii_digit() || b == b'-' => start = Some(at),
            (false, Some(from)) => {
                let number = std::str::from_utf8(&line[from..at]).unwrap_or_default();
                let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
                let exponent = exponent
                    .trim_start_matches(['+', '-'])
                    .parse()
                    .unwrap_or(u32::MAX);
                if exponent > MOST_EXPONENT || mantissa.len() > MOST_EXPONENT as usize {
                    return Some(number.chars().take(MOST_EXPONENT as usize).collect());
                }
                start = None;
            }
            _ => {}
        }
        match b {
            b'"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && b == b'\\' && !escaped;
    }
    None
}

/// What was read of a file.
pub(super) struct Lines {
    /// The record.
    pub(super) record: Record,
    /// The text of all lines but the footer, where it was asked for.
    pub(super) text: Vec<u8>,
    /// Where the last whole frame ends, bytes from the start of the file.
    pub(super) whole: u64,
}

/// Reads a record, finished or not.
///
/// # Errors
/// When the file cannot be read, is not a record, is of a newer format, holds something that its hash does not
/// cover, or is larger than any record.
pub fn read(path: &Path) -> Result<Record, StoreError> {
    let file = open_file(path, false)?;
    // A file that grows while it is read stays within the limit on lines.
    if file.metadata().map_err(StoreError::io(path))?.len() > MOST_FILE {
        return Err(too_large(path, &format!("is over {} MiB", MOST_FILE >> 20)));
    }
    Ok(lines(path, file, false)?.record)
}

/// Reads the lines of a record from `source`, with their text if `keep` is set.
pub(super) fn lines(path: &Path, source: impl Read, keep: bool) -> Result<Lines, StoreError> {
    let mut source = Counted {
        source: BufReader::new(source),
        count: 0,
    };
    let mut parser = Parser::new(path, keep);
    let mut whole = 0;
    loop {
        let (begun, bytes) = (parser.number, parser.bytes);
        match frame(&mut source, &mut parser)? {
            // No frame of a record is empty, and millions of them would be read for nothing.
            Frame::Whole if parser.bytes == bytes => {
                return Err(StoreError::bad(
                    path,
                    "has an empty frame; the file was altered",
                ));
            }
            Frame::Whole => whole = source.count,
            Frame::None => break,
            // What a killed run leaves behind: the frame of a line that was not written whole.
            Frame::Torn if parser.number == begun => {
                parser.line.clear();
                break;
            }
            Frame::Torn => {
                return Err(StoreError::bad(
                    path,
                    format!(
                        "is damaged or cut off after line {}; copy it again from where it is whole",
                        parser.number
                    ),
                ));
            }
        }
    }
    // Nothing may come after the last line of a closed record, not even what is no frame.
    let closed = parser.record.as_ref().is_some_and(|r| r.footer.is_some());
    if closed && source.count > whole {
        return Err(parser.beyond());
    }
    let (record, text) = parser.finish()?;
    Ok(Lines {
        record,
        text,
        whole,
    })
}

/// How a frame ended.
enum Frame {
    Whole,
    /// There was none.
    None,
    /// Not whole, or no frame.
    Torn,
}

/// Decodes the next frame into `parser`.
fn frame<R: Read>(source: &mut Counted<R>, parser: &mut Parser<'_>) -> Result<Frame, StoreError> {
    let begun = source.count;
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MOST_WINDOW);
    let Ok(mut decoder) = StreamingDecoder::new_with_decoder(&mut *source, decoder) else {
        let empty = source.count == begun;
        return Ok(if empty { Frame::None } else { Frame::Torn });
    };
    let mut piece = [0; PIECE];
    loop {
        match decoder.read(&mut piece) {
            // The decoder leaves it to its caller to compare them. The record's hash does not cover the footer.
            Ok(0) => {
                let decoder = &decoder.decoder;
                let written = decoder.get_checksum_from_data();
                if written.is_some() && written != decoder.get_calculated_checksum() {
                    return Err(parser.damaged());
                }
                return Ok(Frame::Whole);
            }
            Ok(n) => parser.take(&piece[..n])?,
            Err(_) => return Ok(Frame::Torn),
        }
    }
}

/// Counts what is read.
struct Counted<R> {
    source: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(buffer)?;
        self.count += n as u64;
        Ok(n)
    }
}

/// Puts lines together to a record and checks the hash of a closed one.
struct Parser<'p> {
    path: &'p Path,
    keep: bool,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// Lines that have.
    number: usize,
    bytes: u64,
    cost: u64,
    hash: blake3::Hasher,
    text: Vec<u8>,
    record: Option<Record>,
}

impl<'p> Parser<'p> {
    fn new(path: &'p Path, keep: bool) -> Parser<'p> {
        Parser {
            path,
            keep,
            line: Vec::new(),
            number: 0,
            bytes: 0,
            cost: 0,
            hash: blake3::Hasher::new(),
            text: Vec::new(),
            record: None,
        }
    }

    fn bad(&self, what: impl Into<String>) -> StoreError {
        StoreError::bad(self.path, what)
    }

    /// The line being read is at fault.
    fn at(&self, what: impl std::fmt::Display) -> StoreError {
        self.bad(format!("line {}: {what}", self.number + 1))
    }

    fn too_large(&self, what: &str) -> StoreError {
        too_large(self.path, what)
    }

    fn beyond(&self) -> StoreError {
        self.bad(
            "something follows the end of the record, which its hash does not cover; the file was altered: copy it again \
             from where it is whole",
        )
    }

    fn damaged(&self) -> StoreError {
        self.bad(format!(
            "is damaged before line {}: a checksum does not match; copy it again from where it is whole",
            self.number + 1
        ))
    }

    /// The next bytes of the text.
    fn take(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        self.bytes += bytes.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(self.too_large(&format!("over {} MiB of text", MOST_BYTES >> 20)));
        }
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            self.line.extend_from_slice(&bytes[..=end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.add(&line)?;
            self.line = line;
            self.line.clear();
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > LONGEST_LINE {
            let what = format!(
                "line {} is over {} MiB",
                self.number + 1,
                LONGEST_LINE >> 20
            );
            return Err(self.too_large(&what));
        }
        Ok(())
    }

    fn add(&mut self, line: &[u8]) -> Result<(), StoreError> {
        self.cost += cost(line);
        if line.len() > LONGEST_LINE || self.cost > MOST_COST {
            return Err(self.too_large(&format!("at line {}", self.number + 1)));
        }
        if self.record.as_ref().is_some_and(|r| r.footer.is_some()) {
            return Err(self.beyond());
        }
        if let Some(number) = beyond_measure(line) {
            return Err(self.at(format!(
                "{number} is beyond all that is measured; the file was altered"
            )));
        }
        if self.record.is_none() {
            check_version(line).map_err(|what| self.at(what))?;
        }
        let parsed: Line = serde_json::from_slice(line)
            .map_err(|e| self.at(format!("not a line of a record: {e}")))?;
        match (&mut self.record, parsed) {
            (None, Line::Header(header)) => self.record = Some(Record::new(header)),
            (None, _) => return Err(self.at("a record begins with a header")),
            (Some(_), Line::Header(_)) => return Err(self.at("a second header; a record has one")),
            (Some(record), Line::Footer(footer)) => {
                if footer.hash != self.hash.finalize().to_hex().as_str() {
                    return Err(self.at(
                        "the content does not match its hash; the file was changed or damaged",
                    ));
                }
                record.footer = Some(footer);
                self.number += 1;
                return Ok(());
            }
            (Some(record), parsed) => record.add(parsed),
        }
        self.number += 1;
        self.hash.update(line);
        if self.keep {
            self.text.extend_from_slice(line);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(Record, Vec<u8>), StoreError> {
        if !self.line.is_empty() {
            let what = "the last line has no end; the file was changed or damaged";
            return Err(self.at(what));
        }
        match self.record.take() {
            Some(record) => Ok((record, self.text)),
            None => Err(self.bad("is not a whyslow record (no zstd frame of JSON lines in it)")),
        }
    }
}

fn too_large(path: &Path, what: &str) -> StoreError {
    StoreError::bad(
        path,
        format!("{what}: larger than any record that whyslow writes"),
    )
}

/// Refuses a format newer than ours before its content is looked at.
fn check_version(line: &[u8]) -> Result<(), String> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema: u32,
        version: String,
    }
    match serde_json::from_slice::<Version>(line) {
        Ok(v) if v.schema > SCHEMA => Err(format!(
            "written by whyslow {} in format {}, this one reads up to {SCHEMA}; update whyslow",
            v.version, v.schema
        )),
        _ => Ok(()),
    }
}
