//! One file a command.

pub(crate) mod host;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod worker;
