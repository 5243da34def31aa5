//! Makes the registry from the files in `src/families`, so that adding a probe touches one file.

fn main() {
    whyslow_gather::Gather {
        folder: "src/families",
        modules: "pub ",
        list: "/// Every family's probes.\npub(crate) const FAMILIES: &[&[crate::Probe]]",
        item: "{}::PROBES",
        out: "families.rs",
    }
    .run();
}
