//! mbw, the memory bandwidth benchmark of Debian.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::labelled;
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "mbw",
    what: "mbw (MEMCPY, DUMB, MCBLOCK)",
    repeats: "passes of mbw",
    silent: "machine, compiler, or size of the blocks; bytes copied are counted once",
    roles: &[
        ("mbw.", "method=DUMB", Roles::All(Role::MemoryBandwidth)),
        ("mbw.", "", Roles::All(Role::MemoryRoutines)),
    ],
    looks,
    part: Some(|line| pass(line).is_some()),
    known: &["Long uses", "Allocating", "Using ", "Getting down"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| pass(line).is_some()) * 2
}

/// `0  Method: MEMCPY  Elapsed: 0.39  MiB: 1024.00000  Copy: 2571.889 MiB/s` in parts.
struct Pass<'a> {
    mean: bool,
    method: &'a str,
    array: &'a str,
    elapsed: Option<f64>,
    rate: f64,
    unit: &'a str,
}

fn pass(line: &str) -> Option<Pass<'_>> {
    let (begin, rest) = line.split_once("Method:")?;
    let (_, sizes) = line
        .split_once("MiB:")
        .or_else(|| line.split_once("Size:"))?;
    let (_, rate) = line.split_once("Copy:")?;
    let mut rate = rate.split_whitespace();
    let elapsed = line
        .split_once("Elapsed:")
        .and_then(|(_, rest)| labelled(rest, ""));
    Some(Pass {
        mean: begin.trim() == "AVG",
        method: rest.split_whitespace().next()?,
        array: labelled(sizes, "")?,
        elapsed: elapsed.and_then(plain),
        rate: plain(rate.next()?)?,
        unit: rate.next()?,
    })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let passes = || {
        text.lines()
            .filter_map(|(n, line)| pass(line).map(|p| (n, p)))
    };
    let has_passes = passes().any(|(_, p)| !p.mean);
    for (number, pass) in passes() {
        if pass.mean && has_passes {
            sheet.aside(number);
            sheet.note("mbw", "the lines AVG are left out: the passes are here");
            continue;
        }
        let array = pass.array.trim_end_matches('0').trim_end_matches('.');
        let row = |what: &str, unit: &str, better| {
            let row = Row::new("mbw", &format!("{} {what}", pass.method), unit, better);
            let row = row.id("mbw", &slug(what)).with("method", pass.method);
            row.with("array", &format!("{array}MiB"))
        };
        sheet.add("", row("copy", pass.unit, Higher), pass.rate, number)?;
        if let Some(elapsed) = pass.elapsed {
            sheet.add("", row("elapsed", "s", Lower), elapsed, number)?;
        }
    }
    Ok(())
}
