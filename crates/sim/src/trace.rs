//! Traces: what a program accessed, as other tools write it.
//!
//! - plain text: `R` or `W`, the address in hexadecimal, and the size in bytes where it is known; `#` begins a comment.
//! - the text of `valgrind --tool=lackey --trace-mem=yes`: ` L`, ` S` and ` M` are loads, stores and both, `I` is an
//!   instruction, which is counted and not simulated; lines of `==` are valgrind's own.
//! - the records of ChampSim, 64 bytes each, little-endian: the instruction's address (8 bytes), is it a branch (1), was it
//!   taken (1), registers written (2 of 1), registers read (4 of 1), addresses written (2 of 8), addresses read (4 of 8). An
//!   address of 0 is none. Sizes are not told.
//! - the text of QEMU's plugin `execlog`: a line an instruction, `CPU, 0xADDRESS, 0xCODE, "DISASSEMBLY"`, then of each access
//!   `load` or `store`, the address, and where the whole system is emulated, which makes addresses physical, a device: what
//!   is not `RAM` is left out. CPUs are taken as one; sizes are not told.

use std::io::{self, BufRead, Read};

use whyslow_model::shell::quote;

use crate::error::SimError;
use crate::stream::Stream;

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// `R|W HEXADDRESS [SIZE]`.
    Plain,
    /// Valgrind's lackey.
    Lackey,
    /// ChampSim's records.
    ChampSim,
    /// QEMU's plugin `execlog`.
    Execlog,
}

/// Bytes of a record of ChampSim.
const RECORD: usize = 64;

/// Longest line of a text that is read, bytes: those of traces have some dozens.
const LONGEST: u64 = 4096;

/// Most bytes of one access: more is a broken line, as the largest saved state of a CPU has 11 KiB.
const MOST_BYTES: u32 = 1 << 16;

/// Reads a trace to its end. Without a format it is told by how it begins.
///
/// # Errors
/// When a line or record cannot be understood, which names it, or the file cannot be read.
pub fn read(
    mut input: impl BufRead,
    name: &str,
    format: Option<TraceFormat>,
    line_bytes: u32,
) -> Result<Stream, SimError> {
    let mut stream = Stream::new(line_bytes)?;
    let cannot = |why: io::Error| SimError::Read {
        file: name.to_owned(),
        why,
    };
    let begin = input.fill_buf().map_err(cannot)?;
    for (magic, tool) in [
        (&b"\xfd7zXZ"[..], "xz"),
        (b"\x1f\x8b", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
    ] {
        if begin.starts_with(magic) {
            let what = format!(
                "compressed; give it as `{tool} -dc {} | whyslow sim --trace -`",
                quote(name)
            );
            return Err(broken(name, 1, what));
        }
    }
    let format = format.unwrap_or_else(|| looks(begin));
    let at = match format {
        TraceFormat::ChampSim => records(input, name, &mut stream)?,
        _ => lines(input, name, format, &mut stream)?,
    };
    if stream.is_empty() {
        return Err(broken(
            name,
            at.max(1),
            "the trace ends without an access".to_owned(),
        ));
    }
    Ok(stream)
}

fn broken(name: &str, line: u64, what: String) -> SimError {
    SimError::Trace {
        file: name.to_owned(),
        line,
        what,
    }
}

/// The format by how a file begins.
fn looks(begin: &[u8]) -> TraceFormat {
    if begin.iter().take(RECORD).any(|byte| *byte == 0) {
        return TraceFormat::ChampSim;
    }
    match begin {
        [b'=', ..] | [b'I', b' ', ..] | [b' ', b'L' | b'S' | b'M', ..] => TraceFormat::Lackey,
        [b'0'..=b'9', ..] => TraceFormat::Execlog,
        _ => TraceFormat::Plain,
    }
}

fn lines(
    mut input: impl BufRead,
    name: &str,
    format: TraceFormat,
    stream: &mut Stream,
) -> Result<u64, SimError> {
    let (mut line, mut at) = (Vec::new(), 0);
    let mut instructions = 0;
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        let read = read.map_err(|why| SimError::Read {
            file: name.to_owned(),
            why,
        })?;
        if read == 0 {
            break;
        }
        at += 1;
        if read as u64 == LONGEST {
            return Err(broken(
                name,
                at,
                format!("a line of {LONGEST} bytes and more"),
            ));
        }
        let parsed = match format {
            TraceFormat::Lackey => lackey(&line),
            TraceFormat::Execlog => executed(&line, stream)?,
            _ => plain(&line),
        };
        let what = match parsed {
            Some(Line::Access(kind, address, bytes)) => {
                if kind != Kind::Write {
                    stream.push(address, bytes, false)?;
                }
                if kind != Kind::Read {
                    stream.push(address, bytes, true)?;
                }
                continue;
            }
            Some(Line::Instruction) => {
                instructions += 1;
                continue;
            }
            Some(Line::Nothing) => continue,
            None => match format {
                TraceFormat::Lackey => "expected `I`, ` L`, ` S` or ` M` and ADDRESS,SIZE",
                TraceFormat::Execlog => {
                    "expected `CPU, 0xADDRESS, 0xCODE, \"DISASSEMBLY\"`, then `load` or `store` and an address"
                }
                _ => {
                    "expected `R` or `W`, an address in hexadecimal, and a size in bytes or nothing"
                }
            },
        };
        let text = String::from_utf8_lossy(&line);
        let shown: String = text.trim_end().chars().take(40).collect();
        return Err(broken(name, at, format!("{what}; found `{shown}`")));
    }
    stream.instructions = (instructions > 0).then_some(instructions);
    Ok(at)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Read,
    Write,
    Both,
}

enum Line {
    Access(Kind, u64, u32),
    Instruction,
    Nothing,
}

/// A number in hexadecimal, with or without `0x`; its length is checked by the caller's type.
fn hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0u64, |value, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(value << 4 | u64::from(digit))
    })
}

fn decimal(text: &[u8]) -> Option<u32> {
    let value: u32 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (1..=MOST_BYTES).contains(&value).then_some(value)
}

fn plain(line: &[u8]) -> Option<Line> {
    let line = line.split(|byte| *byte == b'#').next()?;
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let kind = match words.next() {
        None => return Some(Line::Nothing),
        Some(b"R") => Kind::Read,
        Some(b"W") => Kind::Write,
        Some(_) => return None,
    };
    let address = hexadecimal(words.next()?)?;
    let bytes = words.next().map_or(Some(1), decimal)?;
    words
        .next()
        .is_none()
        .then_some(Line::Access(kind, address, bytes))
}

fn lackey(line: &[u8]) -> Option<Line> {
    if line.starts_with(b"==") {
        return Some(Line::Nothing);
    }
    let line = line.trim_ascii();
    let (&kind, rest) = match line.split_first() {
        None => return Some(Line::Nothing),
        Some(parts) => parts,
    };
    let comma = rest.iter().position(|byte| *byte == b',')?;
    let address = hexadecimal(rest[..comma].trim_ascii())?;
    let bytes = decimal(&rest[comma + 1..])?;
    Some(match kind {
        b'I' => Line::Instruction,
        b'L' => Line::Access(Kind::Read, address, bytes),
        b'S' => Line::Access(Kind::Write, address, bytes),
        b'M' => Line::Access(Kind::Both, address, bytes),
        _ => return None,
    })
}

/// An instruction of `execlog`, with its accesses added to the stream.
fn executed(line: &[u8], stream: &mut Stream) -> Result<Option<Line>, SimError> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(Some(Line::Nothing));
    }
    // The disassembly has commas of its own.
    let Some(end) = line.iter().rposition(|byte| *byte == b'"') else {
        return Ok(None);
    };
    let cpu = line.split(|byte| *byte == b',').next().map(decimal_or_none);
    if cpu.flatten().is_none() {
        return Ok(None);
    }
    let mut rest = line[end + 1..]
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .peekable();
    while let Some(word) = rest.next() {
        let write = match word {
            b"load" => false,
            b"store" => true,
            // Nothing before the first comma; registers, which newer versions add.
            _ => continue,
        };
        let Some(address) = rest.next().and_then(hexadecimal) else {
            return Ok(None);
        };
        let named = |word: &&[u8]| !matches!(*word, b"load" | b"store" | b"RAM");
        // `NAME -> 0xVALUE` is a register.
        let device = rest.peek().filter(|word| named(word));
        if device.is_none_or(|word| word.windows(2).any(|two| two == b"->")) {
            stream.push(address, 1, write)?;
        }
    }
    Ok(Some(Line::Instruction))
}

fn decimal_or_none(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}

fn records(mut input: impl BufRead, name: &str, stream: &mut Stream) -> Result<u64, SimError> {
    let mut at = 0;
    let mut record = [0u8; RECORD];
    loop {
        let mut have = 0;
        while have < RECORD {
            match input.read(&mut record[have..]) {
                Ok(0) => break,
                Ok(read) => have += read,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => {
                    return Err(SimError::Read {
                        file: name.to_owned(),
                        why,
                    });
                }
            }
        }
        if have == 0 {
            break;
        }
        at += 1;
        if have < RECORD {
            let what = format!("a record of {have} bytes; those of ChampSim have {RECORD}");
            return Err(broken(name, at, what));
        }
        if record[8] > 1 || record[9] > 1 {
            let what = "no record of ChampSim: its bytes for branches are neither 0 nor 1";
            return Err(broken(name, at, what.to_owned()));
        }
        let (addresses, _) = record[16..].as_chunks::<8>();
        let (written, loaded) = addresses.split_at(2);
        for (list, write) in [(loaded, false), (written, true)] {
            for address in list.iter().map(|bytes| u64::from_le_bytes(*bytes)) {
                if address != 0 {
                    stream.push(address, 1, write)?;
                }
            }
        }
    }
    stream.instructions = Some(at);
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::WRITE;

    fn accesses(stream: &Stream) -> Vec<(u64, bool)> {
        let one = |asked: &u64| (stream.space.address(*asked as u32), asked & WRITE != 0);
        stream.accesses.iter().map(one).collect()
    }

    fn of(text: &[u8]) -> Result<Stream, SimError> {
        read(text, "t", None, 64)
    }

    #[test]
    fn each_format_is_told_and_read() {
        let plain = of(b"# made by hand\nR 1000\nW 0x1040 8 # a store\n\nR 103c 8\n").unwrap();
        assert_eq!(
            accesses(&plain),
            [
                (0x1000, false),
                (0x1040, true),
                (0x1000, false),
                (0x1040, false)
            ]
        );
        assert_eq!(plain.instructions, None);

        let text = b"==7== Lackey\nI  0023C790,2\n L 04222C48,4\nI  0023C792,5\n S 04222C80,4\n M 0421C7CC,4\n";
        let lackey = of(text).unwrap();
        let wanted = [
            (0x0422_2c40, false),
            (0x0422_2c80, true),
            (0x0421_c7c0, false),
            (0x0421_c7c0, true),
        ];
        assert_eq!(accesses(&lackey), wanted);
        assert_eq!(lackey.instructions, Some(2));

        let text = b"0, 0x401000, 0xf3, \"movq %rax, (%rbx, %rcx)\", store, 0x00002000, RAM\n\
            0, 0x401004, 0x90, \"nop\"\n\
            1, 0x401005, 0xa5, \"movsl (%rsi), (%rdi)\", load, 0x00001040, store, 0x00003000\n\
            0, 0x401006, 0x8b, \"movl (%rax), %ecx\", load, 0xfee00000, apic-msi, load, 0x00001000, rcx -> 0x1\n";
        let execlog = of(text).unwrap();
        let wanted = [
            (0x2000, true),
            (0x1040, false),
            (0x3000, true),
            (0x1000, false),
        ];
        assert_eq!(accesses(&execlog), wanted);
        assert_eq!(execlog.instructions, Some(4));

        let mut record = [0u8; 64];
        record[..8].copy_from_slice(&0x40_1000u64.to_le_bytes());
        record[16..24].copy_from_slice(&0x7f00_0000_0040u64.to_le_bytes());
        record[40..48].copy_from_slice(&0x2000u64.to_le_bytes());
        let champsim = of(&[record, record].concat()).unwrap();
        assert_eq!(
            accesses(&champsim)[..2],
            [(0x2000, false), (0x7f00_0000_0040, true)]
        );
        assert_eq!((champsim.len(), champsim.instructions), (4, Some(2)));
    }

    #[test]
    fn what_is_broken_is_named_by_its_line() {
        let cut = [&[0u8; 64][..], &[1, 0, 0]].concat();
        let branch = [[0u8; 64], [7; 64]].concat();
        let long = [&b"R 10\n"[..], &[b'0'; 5000]].concat();
        for (text, wanted) in [
            (&b"R 1000\nX 2000\n"[..], "t:2: expected `R` or `W`"),
            (b"R 1000\nR\n", "t:2: "),
            (b"R 1000 0\n", "t:1: "),
            (b"R 1000 8 9\n", "t:1: "),
            (b"R zz\n", "t:1: "),
            (b"R 11112222333344445\n", "t:1: "),
            (b" L 1000,4\n L 1000\n", "t:2: expected `I`, ` L`"),
            (b" L 1000,99999999\n", "t:1: "),
            (b"0, 0x1, 0x2, nop\n", "t:1: expected `CPU, 0xADDRESS"),
            (b"0, 0x1, 0x2, \"mov\", load\n", "t:1: expected `CPU"),
            (b"", "t:1: the trace ends without an access"),
            (b"# nothing\n", "t:1: the trace ends"),
            (&cut, "t:2: a record of 3 bytes"),
            (&branch, "t:2: no record of ChampSim"),
            (&long, "t:2: a line of 4096 bytes"),
            (b"\x1f\x8b\x08", "t:1: compressed; give it as `gzip -dc"),
        ] {
            let said = of(text).err().unwrap().to_string();
            assert!(said.starts_with(wanted), "{said}");
        }
    }
}
