//! The checked-in schema is that of the types.

use std::fs;
use std::path::Path;

use schemars::schema_for;
use whyslow_model::document::Document;

/// Set to `1`, it writes the schema instead of comparing it.
const UPDATE: &str = "UPDATE_SCHEMA";

#[test]
fn the_schema_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/record.schema.json");
    let wanted = serde_json::to_string_pretty(&schema_for!(Document)).unwrap() + "\n";
    if std::env::var(UPDATE).is_ok_and(|v| v == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "schema/record.schema.json is not that of the types; if the change is meant, write it with\n\
         \n    {UPDATE}=1 cargo test -p whyslow-model --test schema\n\n\
         and raise record::SCHEMA if older versions of whyslow could not read the new records"
    );
}
