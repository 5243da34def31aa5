//! What a launch needs of an engine, and the engines that there are.

mod children;
pub mod kubernetes;
mod slurm;
mod ssh;
mod steps;
mod template;
mod tool;

use super::task::{Offered, State, Task};

pub use children::{Children, Starts};
pub use kubernetes::Kubernetes;
pub use slurm::Slurm;
pub use ssh::Ssh;
pub use steps::Steps;
pub use template::Template;

/// Why an engine did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It did not answer, and may do so later.
    #[error("{0}")]
    Unanswered(String),
    /// It takes no further job for now.
    #[error("{0}")]
    Full(String),
    /// It will not do this.
    #[error("{0}")]
    Refused(String),
}

/// A program that runs jobs on nodes.
pub trait Engine {
    /// The nodes that it has, those first that were named; with a node that was named and is unknown as unusable.
    ///
    /// # Errors
    /// When it does not say.
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError>;

    /// Submits the task of a node. One that is there already, from a launch before, is taken for it.
    ///
    /// # Errors
    /// When it is not taken.
    fn submit(&mut self, task: &Task) -> Result<(), EngineError>;

    /// The states of all tasks that it has of this launch, by node. One that is no longer there is left out.
    ///
    /// # Errors
    /// When it does not say.
    fn look(&mut self) -> Result<Vec<(String, State)>, EngineError>;

    /// Ends the task of a node.
    ///
    /// # Errors
    /// When it does not take that.
    fn cancel(&mut self, node: &str) -> Result<(), EngineError>;

    /// The command or the manifest that [`submit`](Self::submit) would use.
    fn shown(&self, task: &Task) -> String;

    /// Does it take another task of a node whose task has ended?
    fn again(&self) -> bool {
        true
    }
}
