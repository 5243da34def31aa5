//! `whyslow fleet index`, and the index that a report rests on.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::{Result, bail};
use whyslow_fleet::index::MemoryIndex;
use whyslow_fleet::{Index, Synced, sync};

use crate::args::{FleetFolder, FleetIndex};
use crate::output;

/// The index of a folder where nothing else is said.
const FILE: &str = ".whyslow-index.db";

/// Brings it up to date.
pub(crate) fn index(args: &FleetIndex) -> Result<ExitCode> {
    let mut index = open(&args.place)?;
    if args.rebuild {
        index.clear()?;
    }
    let synced = up_to_date(&mut *index, &args.place.folder)?;
    output::print(&format!(
        "{} records, of which {} were read and {} are gone\n",
        synced.files, synced.read, synced.removed
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The index of a folder, up to date; one in memory where none can be written.
pub(super) fn opened(place: &FleetFolder) -> Result<Box<dyn Index>> {
    let mut index: Box<dyn Index> = match open(place) {
        Ok(index) => index,
        // What was named is used or refused.
        Err(why) if place.index.is_none() && place.folder.is_dir() => {
            output::warn(&format!("no index is kept, all records are read: {why:#}"));
            Box::new(MemoryIndex::default())
        }
        Err(why) => return Err(why),
    };
    up_to_date(&mut *index, &place.folder)?;
    Ok(index)
}

fn up_to_date(index: &mut dyn Index, folder: &Path) -> Result<Synced> {
    let threads = available_parallelism().map_or(1, usize::from);
    let mut progress =
        |done: usize, all: usize| output::note(&format!("indexed {done} of {all} records"));
    Ok(sync(index, folder, threads, &mut progress)?)
}

fn file(place: &FleetFolder) -> Result<PathBuf> {
    if !place.folder.is_dir() {
        bail!(
            "{} is no folder; name a folder of records, FOLDER/NODE/TIME.whyslow",
            place.folder.display()
        );
    }
    let given = place.index.clone();
    Ok(given.unwrap_or_else(|| place.folder.join(FILE)))
}

fn open(place: &FleetFolder) -> Result<Box<dyn Index>> {
    open_file(&file(place)?)
}

#[cfg(feature = "sqlite")]
fn open_file(file: &Path) -> Result<Box<dyn Index>> {
    Ok(Box::new(whyslow_fleet::index::SqliteIndex::open(file)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_file(_file: &Path) -> Result<Box<dyn Index>> {
    bail!("this whyslow was built without SQLite")
}
