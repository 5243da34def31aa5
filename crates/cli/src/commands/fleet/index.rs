//! `whyslow fleet index`, and the index that a report rests on.

use std::path::Path;
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::{Result, bail};
use whyslow_fleet::index::{MemoryIndex, anew, open};
use whyslow_fleet::{Index, IndexError, Synced, sync};

use crate::args::{FleetFolder, FleetIndex};
use crate::output;

/// The index of a folder where nothing else is said.
const FILE: &str = ".whyslow-index.db";

/// Brings it up to date.
pub(crate) fn index(args: &FleetIndex) -> Result<ExitCode> {
    let place = &args.place;
    let synced = repaired(place, |mut index| {
        up_to_date(&mut *index, &place.folder, args.rebuild)
    })?;
    output::print(&format!(
        "{} records, of which {} were read and {} are gone\n",
        synced.files, synced.read, synced.removed
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// What `ask` makes of the index of a folder, which is up to date; of one in memory where none can be written.
pub(super) fn asked<T>(
    place: &FleetFolder,
    ask: impl Fn(&mut dyn Index) -> Result<T, IndexError>,
) -> Result<T> {
    let whole = |mut index: Box<dyn Index>| {
        up_to_date(&mut *index, &place.folder, false)?;
        ask(&mut *index)
    };
    match repaired(place, whole) {
        // What was named is used or refused.
        Err(why) if place.index.is_none() && place.folder.is_dir() => {
            output::warn(&format!("no index is kept, all records are read: {why:#}"));
            Ok(whole(Box::<MemoryIndex>::default())?)
        }
        other => other,
    }
}

/// What `ask` makes of an index; where its file is damaged and ours, of one that is made again.
fn repaired<T>(
    place: &FleetFolder,
    ask: impl Fn(Box<dyn Index>) -> Result<T, IndexError>,
) -> Result<T> {
    if !place.folder.is_dir() {
        bail!(
            "{} is no folder; name a folder of records, FOLDER/NODE/TIME.whyslow",
            place.folder.display()
        );
    }
    let given = place.index.clone();
    let file = given.unwrap_or_else(|| place.folder.join(FILE));
    // As the programs of PostgreSQL take it.
    let password = std::env::var("PGPASSWORD").ok();
    match open(&file, password.as_deref()).and_then(&ask) {
        Err(why) if why.is_damage() => match anew(&file) {
            Some(made) => {
                let file = file.display();
                output::warn(&format!(
                    "the index {file} is damaged, and is made again from the records"
                ));
                Ok(ask(made?)?)
            }
            None => Err(why.into()),
        },
        other => Ok(other?),
    }
}

/// Threads that read records.
pub(super) fn threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn up_to_date(index: &mut dyn Index, folder: &Path, again: bool) -> Result<Synced, IndexError> {
    let mut progress =
        |done: usize, all: usize| output::note(&format!("indexed {done} of {all} records"));
    sync(index, folder, threads(), again, &mut progress)
}
