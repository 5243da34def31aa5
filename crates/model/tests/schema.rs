//! The checked-in schema matches the types.
#![allow(clippy::unwrap_used)] // test helpers

use std::fs;
use std::path::Path;

use schemars::{Schema, schema_for};
use whyslow_model::color::{ColorBench, ColorMap, ColorRun, NoColors};
use whyslow_model::comparison::Comparison;
use whyslow_model::doctor::Diagnosis;
use whyslow_model::document::Document;
use whyslow_model::explanation::Explanation;
use whyslow_model::fleet::FleetReport;
use whyslow_model::history::NodeHistory;
use whyslow_model::simulation::{CurveSimulation, TraceSimulation};
use whyslow_model::tune::{LibcTuning, SettingsTuning};

/// Set to `1`, it writes the schema instead of comparing it.
const UPDATE: &str = "UPDATE_SCHEMA";

#[test]
fn the_schema_of_records_is_up_to_date() {
    check("record.schema.json", &schema_for!(Document));
}

#[test]
fn the_schema_of_comparisons_is_up_to_date() {
    check("comparison.schema.json", &schema_for!(Comparison));
}

#[test]
fn the_schema_of_explanations_is_up_to_date() {
    check("explanation.schema.json", &schema_for!(Explanation));
}

#[test]
fn the_schema_of_diagnoses_is_up_to_date() {
    check("doctor.schema.json", &schema_for!(Diagnosis));
}

#[test]
fn the_schema_of_fleets_is_up_to_date() {
    check("fleet.schema.json", &schema_for!(FleetReport));
}

#[test]
fn the_schema_of_histories_is_up_to_date() {
    check("history.schema.json", &schema_for!(NodeHistory));
}

#[test]
fn the_schemas_of_tuning_are_up_to_date() {
    check("tune-libc.schema.json", &schema_for!(LibcTuning));
    check("tune.schema.json", &schema_for!(SettingsTuning));
}

/// The output of the commands: one of these.
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(title = "Colors")]
#[expect(dead_code, reason = "only its schema is used")]
enum Colors {
    Map(ColorMap),
    Bench(ColorBench),
    Run(ColorRun),
    None(NoColors),
}

#[test]
fn the_schema_of_colors_is_up_to_date() {
    check("color.schema.json", &schema_for!(Colors));
}

/// The output of `whyslow sim`: one of these.
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(title = "Simulation")]
#[expect(dead_code, reason = "only its schema is used")]
enum Simulation {
    Trace(Box<TraceSimulation>),
    Curve(CurveSimulation),
}

#[test]
fn the_schema_of_simulations_is_up_to_date() {
    check("sim.schema.json", &schema_for!(Simulation));
}

fn check(name: &str, schema: &Schema) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../schema")
        .join(name);
    let wanted = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var(UPDATE).is_ok_and(|v| v == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "schema/{name} does not match the types; if the change is intended, write it with\n\
         \n    {UPDATE}=1 cargo test -p whyslow-model --test schema\n\n\
         and raise the SCHEMA of the type if older versions of whyslow could not read it"
    );
}
