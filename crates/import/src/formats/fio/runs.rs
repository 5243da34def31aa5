//! Several runs of fio in one text, whose jobs have one name: told apart by what each was told to do.

use std::collections::{BTreeMap, BTreeSet};

use super::{job, rates, status};
use crate::{Row, Text};

/// What each run was told to do, by the line that says it; empty where names tell the jobs apart, or nothing does.
pub(super) struct Runs<'a>(BTreeMap<usize, &'a str>);

impl<'a> Runs<'a> {
    pub(super) fn of(text: &'a Text<'_>) -> Self {
        let mut found: BTreeMap<usize, &str> = BTreeMap::new();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        // Jobs of one run are all defined before any of them has a result.
        let mut open: Option<&str> = None;
        let mut one_each = true;
        for (number, line) in text.lines() {
            if let Some((name, told)) = defined(line) {
                names.insert(name);
                one_each &= open.is_none_or(|above| above == told);
                open = Some(told);
                found.insert(number, told);
            } else if job(line).is_some() || rates(line).is_some() || status(line).is_some() {
                open = None;
            }
        }
        let distinct: BTreeSet<&&str> = found.values().collect();
        if distinct.len() < 2 || names.len() > 1 || !one_each {
            found.clear();
        }
        Runs(found)
    }

    /// What the run that `line` begins was told to do.
    pub(super) fn at(&self, line: usize) -> Option<&'a str> {
        self.0.get(&line).copied()
    }
}

/// `row` of the run that was told to do this.
pub(super) fn of_run(row: Row, told: &str) -> Row {
    match told {
        "" => row,
        told => {
            let title = format!("{told}: {}", row.title);
            row.with("told", told).titled(&title)
        }
    }
}

/// `file1: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16`: the name
/// of the job, and what it does with which blocks.
fn defined(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim().split_once(": (g=")?;
    let (_, told) = rest.split_once("): ")?;
    let end = [", (W)", "/", ", ioengine"];
    let end = end.iter().filter_map(|end| told.find(end)).min();
    told.starts_with("rw=")
        .then_some((name, &told[..end.unwrap_or(told.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_name_are_told_apart() {
        let of = |lines: &[&str]| {
            let text = lines.join("\n");
            let text = Text::read(text.as_bytes()).unwrap();
            Runs::of(&text)
                .0
                .into_values()
                .map(str::to_owned)
                .collect::<Vec<String>>()
        };
        let small = "f: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine=libaio, iodepth=9";
        let large =
            "f: (g=0): rw=randread, bs=(R) 128KiB-128KiB, (W) 128KiB-128KiB, ioengine=libaio";
        let old = "f: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=9";
        let other = "g: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=9";
        let done = "   READ: bw=105MiB/s (110MB/s), io=92.5GiB (99.3GB), run=9-9msec";
        assert_eq!(
            of(&[small, done, large, done, old, done]),
            [
                "rw=randread, bs=(R) 4096B-4096B",
                "rw=randread, bs=(R) 128KiB-128KiB",
                "rw=read, bs=4K-4K"
            ]
        );
        for one in [
            vec![small, done, small, done],
            vec![small, large, done, done],
            vec![small, done, other, done],
            vec![done],
        ] {
            assert!(of(&one).is_empty(), "{one:?}");
        }
    }
}
