//! Makes the list of causes from the files in `src/causes`, so that adding a cause touches one file.

fn main() {
    whyslow_gather::Gather {
        folder: "src/causes",
        modules: "pub ",
        list: "/// Every cause, one a file.\npub const CAUSES: &[&crate::Cause]",
        item: "&{}::CAUSE",
        out: "causes.rs",
    }
    .run();
}
