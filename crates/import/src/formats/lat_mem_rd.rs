//! What lmbench's `lat_mem_rd` prints when it is run by itself.

use whyslow_model::Better;
use whyslow_model::role::Roles;

use crate::lmbench::curve::at_size;
use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "lat_mem_rd",
    what: "memory latency curves by lmbench's lat_mem_rd",
    repeats: "lat_mem_rd runs",
    silent: "machine, order of the accesses (strided, or random with -t), or page size",
    roles: &[("mem_rd.latency", "", Roles::LatencyBySize)],
    looks,
    part: None,
    known: &["lat_mem_rd "],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| line.starts_with("\"stride=")) * 2
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut stride: Option<&str> = None;
    for (number, line) in text.lines() {
        if let Some(rest) = line.strip_prefix("\"stride=") {
            stride = Some(rest.trim_end_matches('"'));
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match (stride, words.as_slice()) {
            (_, []) => stride = None,
            (Some(stride), [mb, latency]) => {
                if let (Some(bytes), Some(value)) = (plain(mb), plain(latency)) {
                    sheet.add("", row(stride, mb, bytes), value, number)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn row(stride: &str, printed: &str, mb: f64) -> Row {
    let row = Row::new("mem_rd", "latency", "ns", Better::Lower);
    at_size(row, printed, mb).with("stride", stride)
}
