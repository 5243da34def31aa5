//! Makes the list of knobs from the files in `src/knobs`, so that adding a knob touches one file.

fn main() {
    whyslow_gather::Gather {
        folder: "src/knobs",
        modules: "pub ",
        list: "/// Every knob, one a file.\npub const KNOBS: &[&crate::Knob]",
        item: "&{}::KNOB",
        out: "knobs.rs",
    }
    .run();
}
