//! Patterns of points as they are typed: what is no pattern, or selects nothing, is an error.

use anyhow::{Result, anyhow, bail};
use whyslow_model::Point;
use whyslow_model::glob::Globs;

/// The patterns of an option; without it, those that select everything.
pub(crate) fn typed(text: Option<&str>) -> Result<Globs> {
    text.map_or_else(
        || Ok(Globs::default()),
        |t| Globs::typed(t).map_err(|why| anyhow!(why)),
    )
}

/// Refuses a pattern that selects none of the `points` of some records, which `of` names.
pub(crate) fn all_select<'a>(
    globs: &Globs,
    points: impl Iterator<Item = &'a Point> + Clone,
    of: &str,
) -> Result<()> {
    if let Some(glob) = globs.idle(points.clone()) {
        let nothing = glob.selects_nothing(points.map(|point| point.probe.as_str()));
        bail!("{nothing} of {of}");
    }
    Ok(())
}
