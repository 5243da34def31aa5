//! The catalog: figures of machines as they were published, among which those of a record are shown.
//!
//! A machine is one file in `catalog/` at the root: who published what about which CPU and when, and below that the
//! rows as the tool printed them, which `import` reads; of machines that this tool measured, points with their values. What
//! is compared is declared once ([`DEFINITIONS`]): one quantity, however the tools that measure it call it. Nothing is
//! fetched and nothing is sent.

mod definition;
mod entry;

use std::slice;

use whyslow_model::catalog::{Listed, Listing, Peer, Standing};
use whyslow_model::summary::Summary;

pub use definition::{DEFINITIONS, Definition, Values};
pub use entry::{CatalogError, Machine, Source};

/// The files: their names and what they hold.
static FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Fewer machines have no percentiles.
pub const FEWEST: usize = 10;

/// All machines, in the order of their files.
///
/// # Errors
/// When a file lacks a line of its head, or its rows cannot be read; a test of this crate reads them all.
pub fn machines() -> Result<Vec<Machine>, CatalogError> {
    FILES
        .iter()
        .map(|(name, text)| Machine::read(name, text))
        .collect()
}

/// All machines with their values.
///
/// # Errors
/// As [`machines`].
pub fn listing() -> Result<Listing, CatalogError> {
    let listed = machines()?.into_iter().map(|machine| Listed {
        name: machine.name(),
        values: DEFINITIONS
            .iter()
            .map(|definition| machine.values.value(definition))
            .collect(),
        measured: machine.source.measured,
        published: machine.source.published,
        source: machine.source.source,
    });
    let quantity = |d: &Definition| [d.title, d.what, d.unit].map(str::to_owned);
    Ok(Listing {
        quantities: DEFINITIONS.iter().map(quantity).collect(),
        machines: listed.collect(),
    })
}

/// Where the values of a record stand among the machines: a line for each definition that the record has a value of and
/// that enough machines have.
pub fn standings(summary: &Summary) -> Vec<Standing> {
    let own = Values::of(slice::from_ref(summary));
    let found: Vec<(&Definition, f64)> = DEFINITIONS
        .iter()
        .filter_map(|definition| Some((definition, own.value(definition)?)))
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    // The files are part of the program and were read by its tests.
    let machines = machines().unwrap_or_default();
    let standing = |(definition, value): (&Definition, f64)| {
        let others = machines.iter().filter_map(|machine| {
            let value = machine.values.value(definition)?;
            Some(Peer {
                name: machine.name(),
                measured: machine.source.measured.clone(),
                published: machine.source.published.clone(),
                value,
            })
        });
        let others: Vec<Peer> = others.collect();
        (others.len() >= FEWEST).then(|| Standing {
            title: definition.title.to_owned(),
            what: definition.what.to_owned(),
            unit: definition.unit.to_owned(),
            better: definition.better,
            value,
            others,
        })
    };
    found.into_iter().filter_map(standing).collect()
}
