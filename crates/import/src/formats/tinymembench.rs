//! tinymembench: bandwidths of copies and fills, and latencies of random reads.

use whyslow_model::Better::{Higher, Lower};

use crate::pattern::{holds, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "tinymembench",
    what: "tinymembench, its bandwidths and latencies",
    repeats: "tinymembench runs",
    silent: "machine, compiler, or CPU; latencies are over that of the first cache, not whole",
    roles: &[],
    looks,
    part: Some(|line| bandwidth(line).is_some() || is_latency_header(line)),
    known: &["tinymembench v", "=="],
    read,
};

const FAMILY: &str = "tinymembench";

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        bandwidth(line).is_some() || is_latency_header(line) || holds(line, "tinymembench v")
    }) * 2
}

/// ` C copy backwards      :   7153.3 MB/s (3.7%)` in parts; the first letter stands behind a space.
fn bandwidth(line: &str) -> Option<(&str, f64)> {
    if !line.starts_with(' ') {
        return None;
    }
    let (name, rest) = line
        .rsplit_once(" : ")
        .or_else(|| line.rsplit_once("  :"))?;
    let (value, unit) = number_first(rest)?;
    (unit.split_whitespace().next() == Some("MB/s")).then_some((name.trim(), value))
}

/// `block size : single random read / dual random read, [MADV_NOHUGEPAGE]`
fn is_latency_header(line: &str) -> bool {
    line.trim_start().starts_with("block size") && holds(line, "single random read")
}

/// `   1024 :    0.0 ns          /     0.1 ns` in parts.
fn latency(line: &str) -> Option<(&str, f64, Option<f64>)> {
    let (block, rest) = line.split_once(':')?;
    let (single, rest) = number_first(rest)?;
    let rest = rest.strip_prefix("ns")?.trim_start();
    let dual = rest.strip_prefix('/').and_then(number_first);
    let block = block.trim();
    block
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| (block, single, dual.map(|d| d.0)))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut pages: Option<&str> = None;
    for (number, line) in text.lines() {
        if is_latency_header(line) {
            let option = line.rsplit_once('[').and_then(|(_, o)| o.split_once(']'));
            pages = Some(match option.map(|o| o.0) {
                Some("MADV_NOHUGEPAGE") => "nohuge",
                Some("MADV_HUGEPAGE") => "huge",
                Some(other) => other,
                None => "",
            });
        } else if let Some((name, value)) = bandwidth(line) {
            sheet.add("", Row::new(FAMILY, name, "MB/s", Higher), value, number)?;
        } else if let (Some(pages), Some((block, single, dual))) = (pages, latency(line)) {
            for (what, value) in [
                ("single random read", Some(single)),
                ("dual random read", dual),
            ] {
                if let Some(value) = value {
                    let row = Row::new(FAMILY, what, "ns", Lower).with("block", block);
                    let row = if pages.is_empty() {
                        row
                    } else {
                        row.with("pages", pages)
                    };
                    sheet.add("", row, value, number)?;
                }
            }
        }
    }
    Ok(())
}
