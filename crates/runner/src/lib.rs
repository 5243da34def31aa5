//! Plans a run, has workers measure it round by round, and journals what they bring.
//!
//! The runner draws nothing on the terminal: it reports [`Event`]s, and only between workers, so
//! that nothing is drawn while a batch is timed.

mod book;
mod context;
mod errors;
mod event;
mod failures;
mod jobs;
mod levels;
pub mod load;
mod open;
mod outlook;
mod patience;
mod plan;
mod randomization;
mod request;
mod rounds;
mod run;
mod scratch;
mod spawn;
mod trial;
mod under;
mod workers;

pub use errors::{LookError, ScratchError, SpawnError};
pub use event::Event;
pub use outlook::{Outlook, outlook};
pub use request::{Baseline, Finished, Request, RunError, Target, WorkerCommand};
pub use run::run;
pub use trial::{LEAST_BLOCKS, TrialPlan, TrialPoint, TrialStep, trial};
pub use under::{SENSE, UNDER, look_around};
