//! A pool of pages of known color, used to fill given addresses.
//!
//! The *mechanism* moves a page with its frame to an address ([`Mechanism`]); the *policy* chooses
//! the next color ([`Chooser`]). The pool combines them and counts. Placement never fails: if a color
//! is used up, the nearest one is used, and if a page cannot be moved, the address keeps an ordinary
//! page. Both are counted.

mod chooser;
mod mechanism;
mod remap;
mod stock;
#[cfg(test)]
mod tests;
mod userfault;

pub use chooser::{Chooser, ColorSet, Order, Policy};
pub use mechanism::{Mechanism, Unavailable, mechanism};
pub use remap::Remap;
pub(crate) use stock::look;
pub use stock::{Options, Pool, Reason, Region};
pub use userfault::Userfault;

/// Outcome of requested pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Pages with the requested color.
    pub hits: u64,
    /// Pages with another color, because the requested one was used up.
    pub fallbacks: u64,
    /// Pages that stayed ordinary, because none was left or could be moved.
    pub ordinary: u64,
    /// Pages placed, by color.
    pub by_color: Vec<u64>,
}

impl Counts {
    /// No pages yet, with the given number of colors.
    pub fn none(colors: usize) -> Counts {
        Counts {
            by_color: vec![0; colors],
            ..Counts::default()
        }
    }

    /// Adds the counts of another object.
    pub fn add(&mut self, more: &Counts) {
        self.hits += more.hits;
        self.fallbacks += more.fallbacks;
        self.ordinary += more.ordinary;
        for (sum, more) in self.by_color.iter_mut().zip(&more.by_color) {
            *sum += more;
        }
    }
}
