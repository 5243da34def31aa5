//! A file of the catalog: who published what about which machine, and the figures.

use std::collections::BTreeMap;

use thiserror::Error;
use whyslow_import::{Format, ImportError};
use whyslow_model::summary::Summary;
use whyslow_stats::record::summarise;

use crate::definition::Values;

/// How a file begins: the version of its layout.
const HEAD: &str = "# whyslow catalog 1";

/// How the figures of machines begin that this tool measured: points with their values below.
const OWN: &str = "whyslow values";

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// It does not begin as such a file.
    #[error("catalog/{0}: the first line is not '{HEAD}'")]
    Head(String),
    /// A line of its head is missing.
    #[error("catalog/{0}: no line '# {1}: ...' in its head")]
    Missing(String, &'static str),
    /// A figure of this tool is no point with a value.
    #[error("catalog/{0}: '{1}' is no point with a value; write it as 'POINT VALUE'")]
    Value(String, String),
    /// The format that its head names is none.
    #[error("catalog/{0}: no format is called '{1}'; see `whyslow import --help`")]
    Format(String, String),
    /// The rows are of no tool that is known.
    #[error("catalog/{0}")]
    Import(#[from] ImportError),
}

/// Where figures are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// When it was measured: year and month.
    pub measured: String,
    /// Who published it, and what with.
    pub published: String,
    /// Where it is published; empty of machines that this tool measured.
    pub source: String,
}

/// A machine of the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Its CPU.
    pub cpu: String,
    /// What it is, where the source says it.
    pub machine: Option<String>,
    /// Where the figures are from.
    pub source: Source,
    /// The figures.
    pub values: Values,
}

impl Machine {
    /// CPU and machine in a line.
    pub fn name(&self) -> String {
        match &self.machine {
            Some(machine) => format!("{}, {machine}", self.cpu),
            None => self.cpu.clone(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When its head lacks a line, or its rows cannot be read.
    pub(crate) fn read(name: &str, text: &str) -> Result<Machine, CatalogError> {
        if text.lines().next() != Some(HEAD) {
            return Err(CatalogError::Head(name.to_owned()));
        }
        let head: BTreeMap<&str, &str> = text
            .lines()
            .map_while(|line| line.strip_prefix("# "))
            .filter_map(|line| line.split_once(": "))
            .collect();
        let said = |key: &'static str| match head.get(key) {
            Some(said) => Ok((*said).to_owned()),
            None => Err(CatalogError::Missing(name.to_owned(), key)),
        };
        let (_, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let own = body.strip_prefix(OWN);
        let values = match own {
            Some(lines) => values(name, lines)?,
            None => published(name, body, head.get("format").copied())?,
        };
        Ok(Machine {
            cpu: said("cpu")?,
            machine: head.get("machine").map(|said| (*said).to_owned()),
            source: Source {
                measured: said("measured")?,
                published: said("published")?,
                source: match own {
                    Some(_) => String::new(),
                    None => said("source")?,
                },
            },
            values,
        })
    }
}

/// Rows as another tool printed them.
fn published(name: &str, body: &str, format: Option<&str>) -> Result<Values, CatalogError> {
    // Named, as telling a format from all others takes longer than reading it, and every screen of a record reads all files.
    let format = match format {
        Some(format) => Some(
            Format::named(format)
                .ok_or_else(|| CatalogError::Format(name.to_owned(), format.to_owned()))?,
        ),
        None => None,
    };
    let imported = whyslow_import::import(body.as_bytes(), name, format)?;
    let systems = imported.systems.iter();
    let summaries: Vec<Summary> = systems.map(summarise).collect();
    Ok(Values::of(&summaries))
}

/// `POINT VALUE` on each line, times in ns.
fn values(name: &str, lines: &str) -> Result<Values, CatalogError> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    let values = lines.map(|line| {
        let read = line.rsplit_once(' ').and_then(|(point, value)| {
            let value: f64 = value.parse().ok()?;
            (value > 0.0).then(|| (point.to_owned(), value))
        });
        read.ok_or_else(|| CatalogError::Value(name.to_owned(), line.to_owned()))
    });
    let values: Vec<(String, f64)> = values.collect::<Result<_, _>>()?;
    Ok(Values::new(values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFINITIONS;

    const ENTRY: &str = "# whyslow catalog 1\n# cpu: A\n# measured: 2020-01\n# published: P\n\
        # source: https://example.org/a\n\n";

    #[test]
    fn a_file_that_lacks_something_says_what() {
        let refused = |text: &str| Machine::read("a.txt", text).unwrap_err().to_string();
        assert!(refused("cpu: A").contains("first line"));
        assert!(refused("# whyslow catalog 1\n# cpu: A\n\nwhyslow values\n").contains("measured"));
        let unknown = refused(&format!("{ENTRY}nothing of any tool\n"));
        assert!(unknown.contains("a.txt"), "{unknown}");
        let unnamed = ENTRY.replace("\n\n", "\n# format: none\n\n");
        assert!(refused(&unnamed).contains("'none'"));
        let odd = refused(&format!("{ENTRY}whyslow values\nmem.latency fast\n"));
        assert!(odd.contains("'mem.latency fast'"), "{odd}");
    }

    #[test]
    fn both_kinds_of_rows_have_one_definition() {
        let rows = "block size : single random read / dual random read, [MADV_NOHUGEPAGE]\n\
            \x20 33554432 :   85.9 ns          /   105.5 ns\n\
            \x20 67108864 :   97.4 ns          /   112.2 ns\n";
        let published = Machine::read("a.txt", &format!("{ENTRY}{rows}")).unwrap();
        assert_eq!(published.values.value(&DEFINITIONS[0]), Some(97.4));
        assert_eq!(published.values.value(&DEFINITIONS[1]), None);
        let own = "whyslow values\nmem.latency{size=1KiB,order=random,pages=4k} 1.5\n\
            mem.latency{size=64MiB,order=random,pages=4k} 101.5\n";
        let own = Machine::read("a.txt", &format!("{ENTRY}{own}")).unwrap();
        assert_eq!(own.values.value(&DEFINITIONS[0]), Some(100.0));
        assert_eq!(own.name(), "A");
    }
}
