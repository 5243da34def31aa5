//! The folder for files that probes need.

use std::path::Path;

use rustix::fs::{StatVfsMountFlags, statvfs};
use whyslow_leftovers::{Kind, OwnFolder, places, sweep, sweep_all};

use crate::errors::ScratchError;

/// A folder of our own, removed when dropped; what killed runs left behind goes when it is made.
#[derive(Debug)]
pub(crate) struct Scratch(OwnFolder);

impl Scratch {
    /// Makes the folder in the first place that takes it and lets programs be run from it; failing
    /// that, in the first that takes it at all.
    pub(crate) fn make() -> Result<Scratch, ScratchError> {
        sweep_all();
        let mut places = places();
        // A stable sort: places that run programs first, else in their own order.
        places.sort_by_key(|place| !runs_programs(place));
        let mut why = None;
        for place in places {
            match Scratch::within(&place) {
                Ok(made) => return Ok(made),
                Err(error) => why = why.or(Some(error)),
            }
        }
        Err(why.unwrap_or(ScratchError::NoPlace))
    }

    /// Makes the folder in `place`.
    pub(crate) fn make_in(place: &Path) -> Result<Scratch, ScratchError> {
        sweep(place);
        Scratch::within(place)
    }

    fn within(place: &Path) -> Result<Scratch, ScratchError> {
        OwnFolder::make(place, Kind::Run)
            .map(Scratch)
            .map_err(|error| ScratchError::Make {
                place: place.to_owned(),
                error,
            })
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

fn runs_programs(place: &Path) -> bool {
    statvfs(place).is_ok_and(|fs| !fs.f_flag.contains(StatVfsMountFlags::NOEXEC))
}
