//! Binding at start.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "bind-now",
    what: "The loader resolves all functions at start instead of at their first call.",
    rank: 6,
    change: Change::Variable("LD_BIND_NOW", "1"),
    fits: |place| match place.loader.as_deref() {
        Ok(loader) if loader.contains("musl") => Err("the loader of musl always does".into()),
        _ => Ok(()),
    },
};
