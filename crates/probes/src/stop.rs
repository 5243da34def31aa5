//! Why a probe has no number.

/// Why a probe stopped without a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// Not possible on this host: a permission, device, tool or kernel feature is missing.
    #[error("{0}")]
    Unavailable(String),
    /// A guard found the number impossible.
    #[error("{0}")]
    Refused(String),
    /// A guard found a batch too short for the clock.
    #[error("{0}")]
    Short(String),
}

impl Stop {
    /// The host refused `what`.
    pub fn unavailable(what: &str, error: impl std::fmt::Display) -> Stop {
        Stop::Unavailable(format!("{what}: {error}"))
    }
}
