//! Why things differ: models of latency curves, causes, and the evidence for and against each.
//!
//! A [`Cause`] is one file in `causes/`: what makes it possible, the signature it leaves (which roles
//! must move, which must not, what a curve or a spread must look like), and what a user can do about
//! it. [`explain`] judges every cause against a [`Case`], which is a comparison with its records, and
//! orders them; [`explain_one`] holds a single machine against its own limits. Nothing here reads a
//! clock, a file or the environment.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod case;
pub mod cases;
mod cause;
pub mod causes;
mod cost;
pub mod curve;
mod experiment;
mod explain;
mod facts;
mod families;
mod machine;
mod next;
pub mod planted;
mod published;
mod role;
mod signature;
mod simulated;
mod switch;
mod words;

pub use case::{Case, Group, Moved};
pub use cause::{Cause, Judgement};
pub use experiment::{
    BLOCKS, ChoiceError, ExperimentError, ExperimentStep, Experiments, Lab, Switchable, chosen,
    try_all,
};
pub use explain::{explain, explain_tried};
pub use facts::{known_by, known_by_words};
pub use families::families;
pub use machine::{explain_one, explain_one_tried};
pub use role::roles;
pub use switch::{NotTaken, Switch};
