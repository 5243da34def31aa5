//! Which of many nodes is slow, in what, and why.
//!
//! A folder of records is the truth ([`folder`]); an [`index`] of it keeps what a report needs of each. Nodes of the same
//! hardware ([`hardware`]) are held against each other by families of points ([`FAMILIES`],
//! `whyslow_stats::peers`), with three verdicts: slow, same, not known ([`report()`]). A slow node is explained beside an
//! ordinary one of its group ([`why`]). Records come from a [`launch`] over the nodes, or from anywhere. One node over
//! time has steps and drifts ([`history()`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod conditions;
mod families;
pub mod folder;
mod hardware;
mod history;
pub mod index;
pub mod launch;
mod measurement;
mod report;
mod settings;
mod value;
mod why;

pub use families::{FAMILIES, family_of};
pub use hardware::hardware;
pub use history::{Wanted, history, nodes};
pub use index::{Index, IndexError, Synced, sync};
pub use measurement::{Indexed, Measurement, PointValue, measurement, read};
pub use report::{Assembled, Options, ValueRow, report, rows};
pub use why::why;
