//! A pool of pages of known color, from which chosen addresses are filled.
//!
//! The *mechanism* moves a page to an address with its frame ([`Mechanism`]); the *policy* says which
//! color comes next ([`Chooser`]). The pool joins them and counts. Nothing here fails its user: where
//! a color is used up the nearest one serves, and where a page cannot be moved, the address keeps an
//! ordinary page. Both are counted.

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

/// What became of pages that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Pages that got the color wanted.
    pub hits: u64,
    /// Pages that got another color, because the one wanted was used up.
    pub fallbacks: u64,
    /// Pages that stayed ordinary, because nothing was left or could be moved.
    pub ordinary: u64,
    /// Pages placed, by color.
    pub by_color: Vec<u64>,
}

impl Counts {
    /// None yet, of so many colors.
    pub fn none(colors: usize) -> Counts {
        Counts {
            by_color: vec![0; colors],
            ..Counts::default()
        }
    }

    /// Adds those of another object.
    pub fn add(&mut self, more: &Counts) {
        self.hits += more.hits;
        self.fallbacks += more.fallbacks;
        self.ordinary += more.ordinary;
        for (sum, more) in self.by_color.iter_mut().zip(&more.by_color) {
            *sum += more;
        }
    }
}
