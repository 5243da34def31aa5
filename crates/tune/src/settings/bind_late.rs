//! Binding at the first call.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "bind-late",
    what: "The loader resolves functions at their first call instead of at start.",
    rank: 7,
    change: Change::Variable("LD_BIND_NOW", ""),
    fits: |place| match place.bind_now {
        None => Err("it is so already, but for programs that are linked to bind at start".into()),
        Some(_) => Ok(()),
    },
};
