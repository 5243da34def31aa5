//! What can be wrong with what is to be simulated.

/// Why nothing is simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A cache or TLB that cannot be.
    #[error("{level}: {what}")]
    Shape {
        /// Name of the level.
        level: String,
        /// What is wrong with it.
        what: String,
    },
    /// Addresses lie in more regions than can be told apart.
    #[error("addresses lie in more than {most} regions of 4 GiB")]
    Spread {
        /// How many there may be.
        most: u32,
    },
    /// No frame is left.
    #[error("more than {most} pages are touched, as many as the simulated memory has frames")]
    Memory {
        /// How many there are.
        most: u32,
    },
    /// A trace that cannot be read.
    #[error("{file}:{line}: {what}")]
    Trace {
        /// Name of the file.
        file: String,
        /// The line, or the record of a binary file, from 1.
        line: u64,
        /// What is wrong there.
        what: String,
    },
    /// A trace that could not be read to its end.
    #[error("cannot read {file}: {why}")]
    Read {
        /// Name of the file.
        file: String,
        /// The system's reason.
        why: std::io::Error,
    },
    /// A file that could not be written.
    #[error("cannot write {file}: {why}")]
    Write {
        /// Name of the file.
        file: String,
        /// The system's reason.
        why: std::io::Error,
    },
    /// A record without what is needed of it.
    #[error("the record {0}")]
    Record(String),
}
