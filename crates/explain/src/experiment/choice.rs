//! Which causes are tried.

use whyslow_model::explanation::{CauseVerdict, Explanation};

use crate::cause::Cause;
use crate::causes::CAUSES;
use crate::switch::Switch;

/// A cause and how it is switched.
pub type Switchable = (&'static Cause, &'static Switch);

/// Why a named cause cannot be tried.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// No cause has that name.
    #[error("'{named}' is no cause; those that can be switched are {}", all.join(", "))]
    Unknown {
        /// As it was typed.
        named: String,
        /// The causes that can be switched.
        all: Vec<&'static str>,
    },
    /// The cause has no switch.
    #[error("'{named}' cannot be switched on a live host; these can: {}", all.join(", "))]
    NoSwitch {
        /// The cause.
        named: String,
        /// The causes that can be switched.
        all: Vec<&'static str>,
    },
}

/// The causes to try: the one that is named, else those that `found` by records leaves open, else all
/// that can be switched without changing the machine.
///
/// # Errors
/// When the named one is no cause, or cannot be switched.
pub fn chosen(
    named: Option<&str>,
    found: Option<&Explanation>,
) -> Result<Vec<Switchable>, ChoiceError> {
    let all = || CAUSES.iter().filter_map(|c| Some((*c, c.switch?)));
    if let Some(named) = named {
        if let Some(found) = all().find(|(c, _)| c.id == named) {
            return Ok(vec![found]);
        }
        let known = CAUSES.iter().any(|c| c.id == named);
        let named = named.to_owned();
        let all = all().map(|(c, _)| c.id).collect();
        return Err(match known {
            true => ChoiceError::NoSwitch { named, all },
            false => ChoiceError::Unknown { named, all },
        });
    }
    let safe = all().filter(|(_, s)| !s.global);
    let Some(found) = found else {
        return Ok(safe.collect());
    };
    // In the order of the explanation: the likeliest first.
    let open = found.causes.iter().filter(|c| {
        let open = c.verdict <= CauseVerdict::CannotTell && c.weight > 0.0;
        open && (c.verdict <= CauseVerdict::Consistent || !c.covers.is_empty())
    });
    let safe: Vec<_> = safe.collect();
    Ok(open
        .filter_map(|f| safe.iter().find(|(c, _)| c.id == f.cause).copied())
        .collect())
}
