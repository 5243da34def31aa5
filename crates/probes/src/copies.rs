//! Concurrent copies of one measurement: one worker per CPU, with every batch started together. The
//! result combines all of them: the sum of their work over the longest of their times.
#![allow(unsafe_code)]

use std::env;
use std::ffi::c_void;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::thread::futex;
use whyslow_model::job::{Answer, CopyOf, Job, Measured};
use whyslow_model::record::{Failure, FailureKind, Series};

use crate::stop::Stop;

/// Spins at the barrier before sleeping: some microseconds, in which copies on their own CPUs
/// arrive, so that they start within a tenth of a microsecond.
const LOOKS: u32 = 20_000;

/// The number of copies for `job`, if this process is the one to start them.
pub(crate) fn wanted(job: &Job) -> Option<u32> {
    let count = job.point.get("copies")?.parse().ok()?;
    (count > 1 && job.copy.is_none()).then_some(count)
}

/// Starts the other copies, measures as one of them by `measure`, and combines the answers.
pub(crate) fn lead(job: &Job, count: u32, measure: fn(&Job) -> Answer) -> Answer {
    match begin(job, count, measure) {
        Ok(answer) => answer,
        Err(why) => Answer::Failed(Failure {
            how: FailureKind::Unavailable,
            why: format!("{count} copies at once: {why}"),
        }),
    }
}

fn begin(job: &Job, count: u32, measure: fn(&Job) -> Answer) -> Result<Answer, String> {
    let file = shared_file().map_err(|e| format!("shared memory for the copies: {e}"))?;
    let copy = |index: u32| -> Result<Job, String> {
        let mut job = job.clone();
        let cpu = job.randomization.cpus.get(index as usize).copied();
        job.randomization.cpus = cpu.into_iter().collect();
        if let Some(folder) = &mut job.scratch {
            *folder = Path::new(folder.as_str())
                .join(format!("copy{index}"))
                .display()
                .to_string();
            fs::create_dir_all(&folder).map_err(|e| format!("{folder}: {e}"))?;
        }
        job.copy = Some(CopyOf {
            index,
            of: count,
            meeting: file.as_raw_fd(),
        });
        Ok(job)
    };
    let mut others = Others(Vec::new());
    for index in 1..count {
        others.0.push(start(&copy(index)?)?);
    }
    let mut answers = vec![measure(&copy(0)?)];
    for child in &mut others.0 {
        answers.push(listen(child)?);
    }
    together(answers)
}

/// The other copies; they are killed when this process ends in any way.
struct Others(Vec<Child>);

impl Drop for Others {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has exited is only reaped.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A memfd that children inherit, so without close-on-exec.
fn shared_file() -> rustix::io::Result<OwnedFd> {
    let file = memfd_create("whyslow-copies", MemfdFlags::empty())?;
    ftruncate(&file, size_of::<CopiesMemory>() as u64)?;
    Ok(file)
}

/// This program again, given its job as the runner gave us ours.
fn start(job: &Job) -> Result<Child, String> {
    let text = serde_json::to_vec(job).map_err(|e| e.to_string())?;
    let program = env::current_exe().map_err(|e| format!("own program: {e}"))?;
    let mut child = Command::new(program)
        .args(env::args_os().skip(1))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("starting a copy: {e}"))?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(&text)
            .map_err(|e| format!("sending a copy its job: {e}"))?;
    }
    Ok(child)
}

fn listen(child: &mut Child) -> Result<Answer, String> {
    let mut text = Vec::new();
    if let Some(output) = &mut child.stdout {
        output
            .read_to_end(&mut text)
            .map_err(|e| format!("a copy's answer: {e}"))?;
    }
    serde_json::from_slice(&text).map_err(|_| "a copy exited without an answer".to_owned())
}

/// Combines the answers of all copies. A copy that failed fails the whole.
fn together(answers: Vec<Answer>) -> Result<Answer, String> {
    let mut all: Option<Measured> = None;
    for answer in answers {
        match answer {
            failed @ Answer::Failed(_) => return Ok(failed),
            Answer::Measured(one) => match &mut all {
                None => all = Some(one),
                Some(all) => join(all, one)?,
            },
        }
    }
    all.map(Answer::Measured)
        .ok_or_else(|| "no copy measured".to_owned())
}

fn join(all: &mut Measured, one: Measured) -> Result<(), String> {
    const UNLIKE: &str = "the copies did not measure alike";
    all.notes.extend(one.notes);
    all.notes.dedup();
    if all.draws.len() != one.draws.len() {
        return Err(UNLIKE.to_owned());
    }
    for (into, from) in all.draws.iter_mut().zip(one.draws) {
        if into.series.len() != from.series.len() {
            return Err(UNLIKE.to_owned());
        }
        for (into, from) in into.series.iter_mut().zip(from.series) {
            join_series(into, from).ok_or_else(|| UNLIKE.to_owned())?;
        }
    }
    Ok(())
}

/// Adds the concurrent work of `from`; `None` when the two do not match.
fn join_series(into: &mut Series, from: Series) -> Option<()> {
    if into.name != from.name || into.ns.len() != from.ns.len() {
        return None;
    }
    into.work += from.work;
    for (all, one) in into.ns.iter_mut().zip(from.ns) {
        *all = all.max(one);
    }
    for mark in from.marks {
        match into
            .marks
            .iter_mut()
            .find(|m| m.sample == mark.sample && m.what == mark.what)
        {
            Some(there) => there.count += mark.count,
            None => into.marks.push(mark),
        }
    }
    Some(())
}

/// Shared state of the copies; all zero at the start.
#[repr(C)]
struct CopiesMemory {
    /// Copies that have arrived at the current barrier.
    arrived: AtomicU32,
    /// Completed barriers; the futex word that copies sleep on.
    over: AtomicU32,
    /// Set when a copy cannot go on.
    broken: AtomicU32,
    /// Largest count offered in the current agreement.
    offered: AtomicU64,
}

/// A barrier between copies.
pub(crate) struct Meeting {
    shared: NonNull<CopiesMemory>,
    of: u32,
}

impl Meeting {
    /// Joins the barrier of `copy`.
    ///
    /// # Errors
    /// When the memory cannot be mapped.
    pub(crate) fn join(copy: CopyOf) -> Result<Meeting, Stop> {
        // SAFETY: the number was inherited from the process that starts the copies, which keeps the
        // file open for as long as any copy lives; nothing here closes it.
        let file = unsafe { BorrowedFd::borrow_raw(copy.meeting) };
        // SAFETY: a new mapping at an address chosen by the kernel. The file has the size of
        // `Shared`, whose fields are atomics, so that other processes may write them at any time.
        let at = unsafe {
            mmap(
                null_mut(),
                size_of::<CopiesMemory>(),
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                file,
                0,
            )
        };
        let at = at.map_err(|e| Stop::unavailable("shared memory for the copies", e))?;
        let shared = NonNull::new(at.cast())
            .ok_or_else(|| Stop::Unavailable("no shared memory for the copies".into()))?;
        Ok(Meeting {
            shared,
            of: copy.of,
        })
    }

    fn shared(&self) -> &CopiesMemory {
        // SAFETY: mapped by `join` until `drop`, aligned to a page, and all fields are atomics.
        unsafe { self.shared.as_ref() }
    }

    /// Returns when all copies have arrived.
    ///
    /// # Errors
    /// When a copy has given up.
    pub(crate) fn wait(&self) -> Result<(), Stop> {
        let shared = self.shared();
        let turn = shared.over.load(Ordering::Acquire);
        if shared.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.of {
            shared.arrived.store(0, Ordering::Release);
            self.open();
        } else {
            self.until_over(turn);
        }
        match shared.broken.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => Err(Stop::Unavailable("another copy gave up".into())),
        }
    }

    fn until_over(&self, turn: u32) {
        let shared = self.shared();
        for _ in 0..LOOKS {
            if shared.over.load(Ordering::Acquire) != turn {
                return;
            }
            std::hint::spin_loop();
        }
        while shared.over.load(Ordering::Acquire) == turn
            && shared.broken.load(Ordering::Acquire) == 0
        {
            // Woken, interrupted, or the word has changed: the loop checks again in every case.
            let _ = futex::wait(&shared.over, futex::Flags::empty(), turn, None);
        }
    }

    /// Completes the current barrier.
    fn open(&self) {
        self.shared().over.fetch_add(1, Ordering::AcqRel);
        // There may be no sleeper.
        let _ = futex::wake(&self.shared().over, futex::Flags::empty(), i32::MAX as u32);
    }

    /// One count for all: the largest that any copy offers, so that the fastest has enough work.
    ///
    /// # Errors
    /// As for [`Meeting::wait`].
    pub(crate) fn agree(&self, count: u64) -> Result<u64, Stop> {
        self.shared().offered.fetch_max(count, Ordering::AcqRel);
        self.wait()?;
        let agreed = self.shared().offered.load(Ordering::Acquire);
        // All copies read it before it is cleared, and it is cleared before the next offer.
        self.wait()?;
        self.shared().offered.store(0, Ordering::Release);
        self.wait()?;
        Ok(agreed)
    }
}

impl Drop for Meeting {
    /// A copy that leaves will not arrive at another barrier, so the waiting copies must be
    /// released.
    fn drop(&mut self) {
        self.shared().broken.store(1, Ordering::Release);
        self.open();
        // SAFETY: the mapping of `join`, which nothing refers to any more.
        let _ = unsafe {
            munmap(
                self.shared.as_ptr().cast::<c_void>(),
                size_of::<CopiesMemory>(),
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn series(ns: &[f64]) -> Series {
        Series {
            name: String::new(),
            work: 10.0,
            ns: ns.to_vec(),
            marks: Vec::new(),
            handover_ns: Vec::new(),
            slots: Vec::new(),
        }
    }

    #[test]
    fn work_adds_up_over_the_longest_time() {
        let mut all = series(&[5.0, 7.0]);
        join_series(&mut all, series(&[6.0, 4.0])).unwrap();
        assert_eq!((all.work, all.ns), (20.0, vec![6.0, 7.0]));
        assert!(join_series(&mut series(&[1.0]), series(&[1.0, 2.0])).is_none());
    }

    fn three() -> (OwnedFd, Vec<Meeting>) {
        let file = shared_file().unwrap();
        let meeting = file.as_raw_fd();
        let join = |index| {
            Meeting::join(CopyOf {
                index,
                of: 3,
                meeting,
            })
            .unwrap()
        };
        let all = (0..3).map(join).collect();
        (file, all)
    }

    // SAFETY: only for tests: the memory is shared between processes by design, its fields are atomics.
    unsafe impl Send for Meeting {}

    #[test]
    fn copies_wait_for_each_other_and_agree() {
        let (_file, meetings) = three();
        let agreed: Vec<_> = thread::scope(|scope| {
            let started: Vec<_> = meetings
                .into_iter()
                .enumerate()
                .map(|(i, meeting)| {
                    scope.spawn(move || {
                        let mut agreed = Vec::new();
                        for turn in 0..200u64 {
                            agreed.push(meeting.agree(turn + i as u64).unwrap());
                        }
                        // All wait for each other, as in `Bench::finish`.
                        let _ = meeting.wait();
                        agreed
                    })
                })
                .collect();
            started.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let expected: Vec<u64> = (0..200).map(|turn| turn + 2).collect();
        assert!(agreed.iter().all(|a| *a == expected), "{agreed:?}");
    }

    #[test]
    fn copies_do_not_wait_for_one_that_gave_up() {
        let (_file, mut meetings) = three();
        let last = meetings.pop().unwrap();
        let gave_up = thread::scope(|scope| {
            let others: Vec<_> = meetings
                .drain(..)
                .map(|meeting| scope.spawn(move || meeting.wait().is_err()))
                .collect();
            drop(last);
            others.into_iter().all(|other| other.join().unwrap())
        });
        assert!(gave_up);
    }
}
