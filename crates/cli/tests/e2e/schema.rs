//! What programs read of us is what the checked-in schema says.

use std::path::Path;

use serde_json::Value;

use crate::env::{Said, TestEnv};

fn schema() -> jsonschema::Validator {
    named("record")
}

fn named(name: &str) -> jsonschema::Validator {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../schema/{name}.schema.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// What is wrong with `document` by the schema of that name.
pub(crate) fn errors(name: &str, document: &Value) -> Vec<String> {
    let schema = named(name);
    let errors = schema.iter_errors(document);
    errors
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect()
}

/// Holds that `document` is what the commands about colors print.
pub(crate) fn valid_color(document: &Value) {
    let errors: Vec<String> = named("color")
        .iter_errors(document)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?} {document:#}");
}

#[test]
fn what_is_printed_of_colors_is_valid() {
    let env = TestEnv::new();
    for (args, has) in [
        ("color map --format json", "population"),
        ("color bench --draws 2 --format json", "gains"),
    ] {
        let said = env.run(args);
        let document: Value = serde_json::from_str(&said.out).unwrap();
        valid_color(&document);
        // On a busy machine, or one without such a cache, both say why there is nothing.
        let refused = said.code == Some(3) && document["refused"].is_string();
        assert!(refused || document[has].is_array(), "{said:?}");
    }
    assert!(!named("color").is_valid(&serde_json::json!({"colors": 16})));
}

fn valid(said: &Said) -> Value {
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let errors: Vec<String> = schema()
        .iter_errors(&document)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

#[test]
fn what_is_printed_is_valid() {
    let env = TestEnv::new();
    // Each kind of line and value: a curve, several variants, pairs of CPUs, a point that cannot be
    // measured, and one that is skipped.
    let only = "cpu.*,os.*,proc.*,ctx.*,ipc.*,mem.latency{size=1*KiB,*order=random*},mem.line,mem.bandwidth{op=read,size=16KiB,*}";
    let ran = env.run(&format!("run --only {only} --rounds 2 --json -o r"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let document = valid(&ran);
    let shown = valid(&env.run("show r --format json"));
    assert_eq!(document, shown);
    assert!(document["record"]["processes"].as_array().unwrap().len() > 20);
}

#[test]
fn what_is_printed_of_an_interrupted_run_is_valid() {
    let env = TestEnv::new();
    assert_eq!(
        env.run("run --only os.null_call,os.read --rounds 3 -o r")
            .code,
        Some(0)
    );
    let record = whyslow_model::store::read(&env.path("r")).unwrap();
    let mut journal = whyslow_model::store::Journal::create(&env.path("cut")).unwrap();
    journal
        .add(&whyslow_model::record::Line::Header(record.header))
        .unwrap();
    valid(&env.run("show cut --format json"));
}

/// A validator that takes anything would prove nothing.
#[test]
fn what_is_not_a_document_is_refused() {
    let env = TestEnv::new();
    let mut document: Value = serde_json::from_str(
        &env.run("run --only os.null_call --rounds 1 --json -o r")
            .out,
    )
    .unwrap();
    let schema = schema();
    assert!(schema.is_valid(&document));
    document["record"]["processes"][0]["round"] = "first".into();
    assert!(!schema.is_valid(&document));
    assert!(!schema.is_valid(&serde_json::json!({})));
}
