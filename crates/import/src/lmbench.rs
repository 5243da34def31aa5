//! What the formats of lmbench share: the names of its rows, and its summary tables by position.

pub(crate) mod curve;
pub(crate) mod names;
pub(crate) mod table;
