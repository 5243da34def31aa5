//! Frames and their colors: finds which pages conflict in a cache, and places pages so that they do
//! not.
//!
//! | module | answers |
//! |---|---|
//! | [`discovery`] | which pages have the same color, by timing alone |
//! | [`frames`] | whether frame numbers, where shown, determine colors |
//! | [`huge`] | whether a huge page is contiguous in host memory |
//! | [`sharing`] | other users of this cache |
//! | [`survey`] | all of these together |
//! | [`mod@bench`] | measured cost and benefit of placement |
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
pub mod pool;
pub mod sharing;
pub mod survey;
