//! Work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::error::SimError;

/// What is made of each, in their order, on so many threads, each of which takes the next when it is done.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    all: &[T],
    threads: usize,
    make: impl Fn(&T) -> Result<R, SimError> + Sync,
) -> Result<Vec<R>, SimError> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, R)>, SimError> {
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(own) = all.get(at) else {
                return Ok(made);
            };
            made.push((at, make(own)?));
        }
    };
    let mut made = thread::scope(|scope| {
        let count = threads.min(all.len()).max(1);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let mut made = Vec::with_capacity(all.len());
        for thread in threads {
            match thread.join() {
                Ok(own) => made.extend(own?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok::<_, SimError>(made)
    })?;
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, own)| own).collect())
}
