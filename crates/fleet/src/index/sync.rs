//! Brings an index up to its folder: files that are new or changed are read, those that are gone are forgotten.

use std::path::Path;
use std::sync::mpsc;
use std::thread;

use super::{Index, IndexError};
use crate::folder::{self, RecordFile};
use crate::measurement::{Indexed, read};

/// Files that are written to the index at once.
const BATCH: usize = 200;

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Synced {
    /// Files in the folder.
    pub files: usize,
    /// Of these read, as they were new or changed.
    pub read: usize,
    /// Forgotten.
    pub removed: usize,
}

/// Brings `index` up to `folder`, reading with `threads` threads, and with `again` also files that it knows; `progress` is told how
/// many files of how many were read. What others read of the index meanwhile is of one version of a file or the other.
///
/// # Errors
/// When the folder cannot be read, or the index not be written.
pub fn sync(
    index: &mut dyn Index,
    folder: &Path,
    threads: usize,
    again: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Synced, IndexError> {
    let files = folder::files(folder)?;
    let mut known = index.stamps()?;
    let is_new = |file: &&RecordFile| again || known.get(&file.path) != Some(&file.stamp);
    let new: Vec<&RecordFile> = files.iter().filter(is_new).collect();
    for file in &files {
        known.remove(&file.path);
    }
    let gone: Vec<String> = known.into_keys().collect();
    index.remove(&gone)?;
    let threads = threads.clamp(1, new.len().max(1));
    let (send, received) = mpsc::sync_channel::<Indexed>(BATCH);
    thread::scope(|scope| {
        for first in 0..threads {
            let (send, new) = (send.clone(), &new);
            scope.spawn(move || {
                for file in new.iter().skip(first).step_by(threads) {
                    // The index could not be written, and its error is returned.
                    if send.send(read(folder, file)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let (mut batch, mut done) = (Vec::with_capacity(BATCH), 0);
        // Owned here, so that readers end where writing fails.
        for file in received {
            batch.push(file);
            if batch.len() == BATCH {
                index.put(&batch)?;
                done += batch.len();
                progress(done, new.len());
                batch.clear();
            }
        }
        index.put(&batch)
    })?;
    Ok(Synced {
        files: files.len(),
        read: new.len(),
        removed: gone.len(),
    })
}
