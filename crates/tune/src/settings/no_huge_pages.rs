//! No huge pages.

use crate::setting::{Change, Setting};
use crate::shows::Shows;

/// The declaration.
pub const SETTING: Setting = Setting {
    name: "no-huge-pages",
    what: "Denies the program transparent huge pages (prctl).",
    rank: 17,
    change: Change::Condition {
        condition: "thp=off",
        shows: Shows::Status("THP_enabled"),
        value: "0",
        lasting: "prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) in a wrapper, such as: python3 -c 'import ctypes,os,sys; \
                  ctypes.CDLL(None).prctl(41,1,0,0,0); os.execvp(sys.argv[1],sys.argv[1:])' COMMAND",
    },
    fits: |place| match place.huge_pages.as_deref() {
        Some("never") | None => Err("there are no transparent huge pages here".into()),
        _ => Ok(()),
    },
};
