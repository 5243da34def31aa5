//! slab_test, the kernel's test of its allocator: cycles of kmalloc and kfree by size, on one CPU and on all at once.

use whyslow_model::Better::Lower;

use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "slab_test",
    what: "slab_test of the kernel (10000 times kmalloc(8) -> 85 cycles kfree -> 92 cycles)",
    repeats: "runs of slab_test",
    silent: "the machine, or how often each was repeated",
    roles: &[],
    looks,
    part: Some(|line| single(line).is_some() || concurrent(line).is_some()),
    known: &["Kmalloc: ", "slab_test", "modprobe"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        single(line).is_some() || concurrent(line).is_some()
    }) * 2
}

/// The figure in `-> 85 cycles`, whose arrow may have been taken for a gap, and what follows it.
fn cycles(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let text = text.strip_prefix("->").unwrap_or(text).trim_start();
    let (figure, rest) = text.split_once(" cycles")?;
    Some((plain(figure.trim())?, rest))
}

/// `10000 times kmalloc(8) -> 85 cycles kfree -> 92 cycles`, `10000 times kmalloc(8)/kfree -> 85 cycles`: what was called,
/// with its cycles.
fn single(line: &str) -> Option<(&str, f64, Option<f64>)> {
    let line = line.trim();
    let (times, call) = line.split_once(" times ")?;
    times.trim().parse::<u32>().ok()?;
    let end = call.find(')')? + 1;
    let (called, rest) = call.split_at(end);
    let (called, rest) = match rest.strip_prefix("/kfree") {
        Some(rest) => (&call[..end + "/kfree".len()], rest),
        None => (called, rest),
    };
    if !called.starts_with("kmalloc(") && !called.starts_with("kmem_cache_alloc(") {
        return None;
    }
    let all = &line[..line.len() - call.len() + called.len()];
    let (value, rest) = cycles(rest)?;
    if rest.trim().is_empty() {
        return Some((all, value, None));
    }
    let (freed, rest) = cycles(rest.trim_start().strip_prefix("kfree")?)?;
    rest.trim().is_empty().then_some((all, value, Some(freed)))
}

/// A CPU or `Average`, its cycles, and those of the second half of the test.
type Of<'a> = (&'a str, f64, Option<f64>);

/// `Kmalloc N*alloc N*free(8): 0=143/214 1=152/231 Average=147/222`, `1 alloc N free(8): 0=12 1=13 Average=12`: the name of
/// the test, and what each CPU took.
fn concurrent(line: &str) -> Option<(&str, Vec<Of<'_>>)> {
    let (name, rest) = line.trim().split_once("): ")?;
    let (test, size) = name.rsplit_once('(')?;
    size.parse::<u32>().ok()?;
    if !["alloc", "free"].iter().any(|word| test.contains(word)) {
        return None;
    }
    let all: Option<Vec<Of>> = rest
        .split_whitespace()
        .map(|word| {
            let (of, figures) = word.split_once('=')?;
            if of != "Average" {
                of.parse::<u32>().ok()?;
            }
            Some(match figures.split_once('/') {
                Some((first, second)) => (of, plain(first)?, Some(plain(second)?)),
                None => (of, plain(figures)?, None),
            })
        })
        .collect();
    let all = all.filter(|all| !all.is_empty())?;
    // With its closing bracket.
    let end = line.find(name)? + name.len() + 1;
    Some((line[..end].trim(), all))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let row = |title: &str| Row::new("slab_test", title, "cycles", Lower);
    for (number, line) in text.lines() {
        if let Some((called, value, freed)) = single(line) {
            sheet.add("", row(called), value, number)?;
            if let Some(freed) = freed {
                sheet.add("", row(&format!("{called} kfree")), freed, number)?;
            }
        } else if let Some((test, all)) = concurrent(line) {
            for (of, first, second) in all {
                let halves = match second {
                    Some(second) => vec![("alloc", first), ("free", second)],
                    None => vec![("", first)],
                };
                for (half, value) in halves {
                    let title = match of {
                        "Average" => format!("{test} Average {half}"),
                        cpu => format!("{test} CPU {cpu} {half}"),
                    };
                    sheet.add("", row(&title), value, number)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_kinds() {
        assert_eq!(
            single("10000 times kmalloc(8) -> 85 cycles kfree -> 92 cycles"),
            Some(("10000 times kmalloc(8)", 85.0, Some(92.0)))
        );
        assert_eq!(
            single(" 10000 times kmalloc(8)/kfree    85 cycles"),
            Some(("10000 times kmalloc(8)/kfree", 85.0, None))
        );
        // Columns of two kernels.
        assert_eq!(
            single("10 times kmalloc(8)/kfree  3 cycles  3 cycles"),
            None
        );
        assert_eq!(
            concurrent("Kmalloc N*alloc N*free(8): 0=14/21 Average=15/22"),
            Some((
                "Kmalloc N*alloc N*free(8)",
                vec![("0", 14.0, Some(21.0)), ("Average", 15.0, Some(22.0))]
            ))
        );
        for line in [
            "Kmalloc N*alloc N*free(8):",
            "see free(8): it is 5=6 or so",
            "Kmalloc N*alloc N*free(8)  Average=1/2  Average=2/3",
        ] {
            assert_eq!(concurrent(line), None, "{line}");
        }
    }
}
