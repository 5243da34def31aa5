//! Models of a latency curve: the same cache gives a step when pages are spread evenly over its sets
//! and a soft shoulder when they fall where they may, so the shape tells the policy of placement.

mod fit;
mod placement;
mod read;
mod rises;

pub use fit::{CurvePoint, Fit, Placement, Setting, Trouble, fit};
pub use placement::{Cache, missing};
pub(crate) use read::{half, known, on_curve};
pub use rises::{Known, Rise, rises};
