//! The data model of whyslow: points, units, host facts, jobs and the record.
//!
//! All serialized types are declared here, so that the schema of a record is the schema of this
//! crate. The only I/O is reading and writing a record ([`store`]).

pub mod cases;
pub mod catalog;
pub mod change;
pub mod color;
pub mod comparison;
pub mod cost;
pub mod doctor;
pub mod document;
pub mod experiment;
pub mod explanation;
pub mod fleet;
pub mod glob;
pub mod history;
pub mod host;
pub mod id;
pub mod job;
pub mod load;
mod named_unit;
pub mod planted;
pub mod point;
pub mod record;
pub mod role;
pub mod share;
pub mod shell;
pub mod simulation;
pub mod size;
pub mod state;
pub mod store;
pub mod summary;
pub mod text;
pub mod time;
pub mod tunables;
pub mod tune;
pub mod unit;

pub use point::Point;
pub use record::Record;
pub use unit::{Better, Unit};
