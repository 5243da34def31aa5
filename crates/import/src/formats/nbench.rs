//! nbench (BYTEmark).

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "nbench",
    what: "nbench (NUMERIC SORT : 1234.5 : 31.66 : 10.40, and its indexes)",
    repeats: "nbench runs",
    silent: "machine, compiler and its flags",
    roles: &[
        ("nbench.memory", "", Roles::All(Role::L1)),
        ("nbench.", "", Roles::All(Role::Compute)),
    ],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[
        "TEST ",
        "Iterations/sec",
        "Old Index",
        "baseline",
        "Baseline",
        "Pentium",
        "BYTEmark",
        "CPU  ",
        "L2 Cache",
        "MEMORY INDEX  :",
        "libc",
        "OS  ",
    ],
    read,
};

/// Its tests and indexes.
const NAMES: [&str; 14] = [
    "NUMERIC SORT",
    "STRING SORT",
    "BITFIELD",
    "FP EMULATION",
    "FOURIER",
    "ASSIGNMENT",
    "IDEA",
    "HUFFMAN",
    "NEURAL NET",
    "LU DECOMPOSITION",
    "INTEGER INDEX",
    "FLOATING-POINT INDEX",
    "MEMORY INDEX",
    "FLOATING POINT INDEX",
];

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 2
}

/// The name, and the first figure: what follows are indexes of it.
fn row(line: &str) -> Option<(&'static str, f64)> {
    let mut cells = line.split(':').map(str::trim);
    let first = cells.next()?;
    let name = NAMES.iter().find(|name| name.eq_ignore_ascii_case(first))?;
    Some((*name, cells.next().and_then(plain)?))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // Indexes are printed for two machines of old: the same name below another heading.
    for (number, line) in text.lines() {
        if let Some((name, value)) = row(line) {
            let index = name.ends_with("INDEX");
            let unit = if index { "index" } else { "iterations/s" };
            sheet.add("", Row::new("nbench", name, unit, Higher), value, number)?;
        } else if line.contains("====") {
            sheet.apart();
        }
    }
    Ok(())
}
