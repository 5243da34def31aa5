//! Makes the list of formats from the files in `src/formats`, so that adding one touches one file.

fn main() {
    whyslow_gather::Gather {
        folder: "src/formats",
        modules: "",
        list: "/// Every format, by name.\npub(crate) static READERS: &[crate::Reader]",
        item: "{}::READER",
        out: "formats.rs",
    }
    .run();
}
