//! Frames and their colors: finding out which pages collide in a cache, and placing pages so that
//! they do not.
//!
//! | module | answers |
//! |---|---|
//! | [`discovery`] | which pages have the same color, by timing alone |
//! | [`frames`] | do frame numbers, where they are shown, tell colors |
//! | [`huge`] | is a huge page one piece of memory underneath |
//! | [`sharing`] | who else uses this cache |
//! | [`survey`] | all of these together |
//! | [`mod@bench`] | what placement costs and gains, measured |
//! | [`buffer`] | a buffer on colored pages |
//! | [`pool`] | pages of chosen colors at chosen addresses |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod alone;
pub mod arena;
pub mod bench;
pub mod buffer;
pub mod discovery;
pub mod frames;
pub mod huge;
pub mod pin;
pub mod pool;
pub mod sharing;
pub mod survey;
