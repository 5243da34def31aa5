//! Every list names every file in its directory.

use std::fs;
use std::path::Path;

use whyslow_gather::LISTS;

#[test]
fn lists_name_every_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut written = Vec::new();
    for list in LISTS {
        let file = root.join(list.file());
        let text = list
            .text(&root)
            .expect("the directory is part of the repository");
        if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            fs::write(&file, text).expect("the repository is writable");
            written.push(list.file());
        }
    }
    assert!(
        written.is_empty(),
        "{} did not name every file in its directory and was rewritten; commit it, and run the tests again",
        written.join(", ")
    );
}
