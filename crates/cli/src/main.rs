//! The whyslow command.
fn main() {}
