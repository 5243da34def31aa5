//! The performance log of ReFrame, by which centers check their machines: a figure a line.

use whyslow_model::Better;

use crate::direction::{of_unit, of_words};
use crate::number::plain;
use crate::posted::ROLES;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "reframe",
    what: "the performance log of ReFrame (...|reframe 3.3|Test on system:partition using environment|...|name=1.5|unit|...)",
    repeats: "runs of a check",
    silent: "nodes, compilers, or what else ran",
    roles: ROLES,
    looks,
    part: Some(|line| logged(line).is_some()),
    known: &[],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| logged(line).is_some()) * 4
}

/// What a line says.
#[derive(Debug, PartialEq)]
struct Logged<'a> {
    check: &'a str,
    name: &'a str,
    value: f64,
    unit: &'a str,
}

/// `2020-10-14T09:33:34|reframe 3.3|Check on box:part-env using env|jobid=7|Rate=66.139|Gflops|ref=None (l=None, u=None)`,
/// where the unit may also stand behind the reference.
fn logged(line: &str) -> Option<Logged<'_>> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let tool = fields
        .iter()
        .position(|field| field.starts_with("reframe "))?;
    let behind = &fields[tool + 1..];
    let (check, _) = behind.first()?.split_once(" on ")?;
    let figure = behind.iter().enumerate().find_map(|(at, field)| {
        let (name, value) = field.split_once('=')?;
        let own = matches!(name, "jobid" | "ref" | "num_tasks");
        let value = plain(value).filter(|_| !own)?;
        Some((at, name, value))
    });
    let (at, name, value) = figure?;
    let mut others = behind[at + 1..].iter();
    let unit = others.find(|field| !field.is_empty() && !field.contains('='));
    Some(Logged {
        check,
        name,
        value,
        unit: unit.copied().unwrap_or_default(),
    })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some(Logged {
            check,
            name,
            value,
            unit,
        }) = logged(line)
        {
            let better = of_unit(unit)
                .or_else(|| of_words(name))
                .unwrap_or(Better::Unsaid);
            let row = Row::new("columns", &format!("{check} {name}"), unit, better);
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_a_line() {
        let found = logged("9:33|reframe 3.3 (rev: 3b)|Hpl on a:b using c|jobid=7|Rate=66.5|Gflops|ref=None (l=None)").unwrap();
        assert_eq!(
            found,
            Logged {
                check: "Hpl",
                name: "Rate",
                value: 66.5,
                unit: "Gflops"
            }
        );
        let found =
            logged("9:33|reframe 4|Osu on a:b using c|jobid=7|p2p=1.5|ref=1.7 (l=-0.1, u=0.1)|us")
                .unwrap();
        assert_eq!((found.name, found.unit), ("p2p", "us"));
        for other in [
            "9:33|reframe 3.3|Hpl on a:b using c|jobid=7",
            "a|b|c=1.5",
            "reframe 3",
        ] {
            assert_eq!(logged(other), None, "{other}");
        }
    }
}
