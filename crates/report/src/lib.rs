//! Terminal tables and plots from records alone.

use whyslow_model::host::Host;
use whyslow_model::record::Record;
use whyslow_model::state::State;
use whyslow_model::summary::Summary;

/// How wide and how colorful the output may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: usize,
    /// May it have colors?
    pub color: bool,
}

/// Summary.
pub fn summary(_record: &Record, summary: &Summary, _look: Look) -> String {
    let mut s = String::new();
    for l in &summary.levels {
        s += &format!("{l:?}\n");
    }
    for p in &summary.points {
        s += &format!(
            "{:60} {:?} {:?} n={} left={} {:?}\n",
            p.point.to_string(),
            p.value.map(|v| v.value),
            p.value.and_then(|v| v.range),
            p.samples,
            p.left_out,
            p.from
        );
        for c in &p.classes {
            s += &format!("    {c:?}\n");
        }
        for f in &p.failures {
            s += &format!("    {f:?}\n");
        }
    }
    for n in &_record.notes {
        s += &format!("{n:?}\n");
    }
    s
}
/// Table.
pub fn table(r: &Record, s: &Summary, l: Look) -> String {
    summary(r, s, l)
}
/// CSV.
pub fn csv(_s: &Summary) -> String {
    String::new()
}
/// Host.
pub fn host(_h: &Host, _s: &State, _l: Look) -> String {
    String::new()
}
/// Paragraph.
pub fn paragraph(name: &str, value: &str, _width: usize) -> String {
    format!("    {name:9} {value}\n")
}
