//! Measuring many nodes on an engine that exists: one job a node, with all its records inside.
//!
//! A [plan](whyslow_model::fleet::FleetPlan) says what is measured; which of its records are there says what is left, so
//! that a launch that was interrupted is gone on with by the same command. [`launch()`] keeps as many nodes at work as
//! it may, through an [`Engine`]: Slurm, Kubernetes, ssh, or a launcher of the user's. A node that fails, hangs or is
//! lost costs one node.

mod armor;
pub mod engine;
mod hosts;
mod order;
mod plan;
mod run;
mod task;
mod turns;

pub use armor::{armor, unarmor};
pub use engine::{Engine, EngineError};
pub use hosts::{HostsError, hosts, hosts_of_file, name_of_node};
pub use order::{Order, order};
pub use plan::{Held, PlanError, Wanted, add, hold, plan, unfinished};
pub use run::{Event, Launched, Rules, Surroundings, launch};
pub use task::{Missing, Offered, Setup, State, Task, is_whole, partial};
pub use turns::{in_turns, turns};
