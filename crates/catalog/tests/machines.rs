//! The files of the catalog: each can be read, names its source, and has figures that make sense.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::BTreeSet;

use whyslow_catalog::{DEFINITIONS, Machine, machines};

#[test]
fn every_machine_names_its_source_and_has_a_value() {
    let machines = machines().unwrap();
    assert!(machines.len() >= 20, "{}", machines.len());
    for machine in &machines {
        let source = &machine.source;
        let (year, month) = source.measured.split_once('-').unwrap();
        let (year, month): (u32, u32) = (year.parse().unwrap(), month.parse().unwrap());
        assert!(
            (1995..2100).contains(&year) && (1..=12).contains(&month),
            "{machine:?}"
        );
        let named =
            source.source.starts_with("https://") || source.published.starts_with("whyslow");
        assert!(named && !source.published.is_empty(), "{machine:?}");
        assert!(
            DEFINITIONS
                .iter()
                .any(|d| machine.values.value(d).is_some()),
            "no value of any definition: {machine:?}"
        );
    }
    let names: BTreeSet<String> = machines.iter().map(Machine::name).collect();
    assert_eq!(names.len(), machines.len(), "a machine is there twice");
}

#[test]
fn values_are_of_the_size_that_machines_have() {
    for definition in DEFINITIONS {
        let mut values = Vec::new();
        for machine in machines().unwrap() {
            if let Some(value) = machine.values.value(definition) {
                let sane = match definition.unit {
                    "ns" => 30.0..600.0,
                    _ => 1.0..200.0,
                };
                assert!(
                    sane.contains(&value),
                    "{}: {value} {}",
                    machine.name(),
                    definition.unit
                );
                values.push(value);
            }
        }
        assert!(
            values.len() >= whyslow_catalog::FEWEST,
            "{}: {}",
            definition.title,
            values.len()
        );
    }
}

/// Pages are as small as the definition says: huge ones are faster, by more than noise, wherever both were measured.
#[test]
fn huge_pages_are_not_slower() {
    for machine in machines().unwrap() {
        let of = |at: usize| machine.values.value(&DEFINITIONS[at]);
        if let Some((small, huge)) = of(0).zip(of(1)) {
            assert!(huge <= small * 1.05, "{}: {small} {huge}", machine.name());
        }
    }
}

#[test]
fn the_page_of_the_catalog_says_how_many_there_are() {
    let machines = machines().unwrap();
    let years: BTreeSet<&str> = machines.iter().map(|m| &m.source.measured[..4]).collect();
    let (first, last) = (years.first().unwrap(), years.last().unwrap());
    let said = format!("{} machines, measured {first} to {last}", machines.len());
    let page = include_str!("../../../docs/catalog.md");
    assert!(page.contains(&said), "docs/catalog.md does not say: {said}");
}
