//! Why no colors were found: what one try saw, and all of them together.

use std::fmt;
use std::time::Duration;

/// What a try saw instead of colors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Too few pages to push anything out.
    #[error("{have} pages are too few to look for colors: at least {need} are needed")]
    TooFew {
        /// Pages given.
        have: u32,
        /// Pages needed.
        need: u32,
    },
    /// No number of pages made a walk slower.
    #[error(
        "no second-level cache shows: a page is read as fast ({inside} ticks) after {pages} others were loaded ({outside}) as after a few"
    )]
    NoEdge {
        /// Ticks of a walk after a few pages were loaded.
        inside: u32,
        /// The same after `pages`.
        outside: u32,
        /// The most pages tried.
        pages: u32,
    },
    /// Walks in the cache and beyond it take the same time too often.
    #[error(
        "hits ({inside} ticks) and misses ({outside}) of the second-level cache overlap: {percent} % of the walks are on the wrong side"
    )]
    Overlap {
        /// Ticks of a hit.
        inside: u32,
        /// Ticks of a miss.
        outside: u32,
        /// Walks on the wrong side.
        percent: u32,
    },
    /// Sets of pages that should push out a page did not do so again.
    #[error("the colors do not hold still: {}", restless(*strays, *pages))]
    Unsteady {
        /// Pages that fit nowhere.
        strays: u32,
        /// Pages in all.
        pages: u32,
    },
    /// Colors and ways do not make the effective size of the cache.
    #[error(
        "the colors and ways found make {found} pages, but the effective size of the second-level cache is {acts}"
    )]
    Mismatch {
        /// Colors times ways.
        found: u32,
        /// Pages of any color that push out half of all pages.
        acts: u32,
    },
    /// A number of colors that no selection of address bits makes, and that too few tries agree on.
    #[error(
        "{colors} colors were found, not each time: a second-level cache has a power of two, unless some are withheld from this machine"
    )]
    OddCount {
        /// Colors found.
        colors: u32,
    },
    /// What is left of the cache is too little to tell colors apart.
    #[error("the second-level cache has {ways} effective ways, fewer than any cache has")]
    FewWays {
        /// Ways that act.
        ways: u32,
    },
}

/// What did not hold still.
fn restless(strays: u32, pages: u32) -> String {
    match strays {
        0 => "sets of pages that pushed out another page do not do so each time".to_owned(),
        _ => format!("{strays} of {pages} pages fit no color"),
    }
}

impl Refusal {
    /// Could another moment be better?
    pub(super) fn may_be_noise(&self) -> bool {
        !matches!(self, Refusal::TooFew { .. })
    }

    /// What was seen in a few words, without numbers: tries of one kind are counted together.
    fn kind(&self) -> &'static str {
        match self {
            Refusal::TooFew { .. } => "too few pages",
            Refusal::NoEdge { .. } => "no second-level cache showed",
            Refusal::Overlap { .. } => "hits and misses of the second-level cache overlapped",
            Refusal::Unsteady { .. } => "the colors did not hold still",
            Refusal::Mismatch { .. } => {
                "colors and ways did not make the effective size of the cache"
            }
            Refusal::OddCount { .. } => "the number of colors was no power of two",
            Refusal::FewWays { .. } => "the cache acted as fewer ways than any has",
        }
    }
}

/// Why there is no answer: what each try saw.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Refused {
    /// In the order of the tries; never empty.
    pub tries: Vec<Refusal>,
    /// How long they took.
    pub took: Duration,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(last) = self.tries.last() else {
            return f.write_str("no try was made");
        };
        if self.tries.len() > 1 {
            let took = self.took.as_secs_f64();
            write!(f, "{} tries in {took:.1} s: ", self.tries.len())?;
            let mut kinds: Vec<(&str, usize)> = Vec::new();
            for kind in self.tries.iter().map(Refusal::kind) {
                match kinds.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, times)) => *times += 1,
                    None => kinds.push((kind, 1)),
                }
            }
            for (i, (kind, times)) in kinds.iter().enumerate() {
                let comma = if i == 0 { "" } else { "; " };
                write!(f, "{comma}in {times} {kind}")?;
            }
            write!(f, ". In the last, {last}")?;
        } else {
            write!(f, "{last}")?;
        }
        if last.may_be_noise() {
            f.write_str(
                ". Noise of neighbors, a cache that is shared or does not replace its oldest lines, or pages that are \
                 moved may do that; try again on an idle machine",
            )?;
        }
        Ok(())
    }
}
