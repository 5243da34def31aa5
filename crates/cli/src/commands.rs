//! One file a command.

pub(crate) mod against;
pub(crate) mod card;
pub(crate) mod color;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod fleet;
pub(crate) mod host;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod page;
pub(crate) mod plot;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod run;
pub(crate) mod selfcheck;
pub(crate) mod show;
pub(crate) mod sides;
pub(crate) mod sim;
pub(crate) mod tune;
pub(crate) mod under;
pub(crate) mod worker;
