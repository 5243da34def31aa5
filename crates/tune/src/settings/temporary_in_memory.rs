//! Temporary files in memory.

use crate::setting::{Change, Setting};

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "tmp-in-memory",
    what: "Temporary files lie in memory (TMPDIR on a tmpfs).",
    rank: 5,
    change: Change::TemporaryFolder,
    fits: |_| Ok(()),
};
