//! Processes in a ring connected by pipes that pass a token, optionally after summing an array of
//! their own.
#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::pipe::{PipeFlags, pipe_with};
use whyslow_model::record::MarkKind;

use crate::buffer::{Buffer, Pages};
use crate::clock::Moment;
use crate::marks::{Happened, Watch, between};
use crate::peer::Peer;
use crate::pin;
use crate::stop::Stop;
use crate::sum::Sum;
use crate::via::Via;

/// A ring of processes: this one and its children, which exit when the ring is dropped.
#[derive(Debug)]
pub struct Ring {
    /// The pipe ends of this process: token out and token back.
    out: OwnedFd,
    back: OwnedFd,
    children: Vec<libc::pid_t>,
    memory: Memory,
    /// How all its processes make their calls.
    via: Via,
}

/// The array that a process sums when it has the token, if any.
#[derive(Debug)]
struct Memory(Option<(Sum, Buffer)>);

impl Memory {
    /// `bytes` bytes, starting `offset` bytes into a page.
    fn of(bytes: usize, offset: usize) -> Result<Memory, Stop> {
        if bytes == 0 {
            return Ok(Memory(None));
        }
        let buffer = Buffer::new(bytes, Pages::Small, offset)?;
        Ok(Memory(Some((Sum::widest()?, buffer))))
    }

    fn work(&self) {
        if let Some((sum, buffer)) = &self.0 {
            sum.of(buffer);
        }
    }
}

/// Takes one end of each.
type Pipe = (OwnedFd, OwnedFd);

fn pipe() -> Result<Pipe, Stop> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|e| Stop::unavailable("a pipe", e))
}

impl Ring {
    /// A ring of `processes` including this one, the k-th pinned to `cpus[k % len]`, or unpinned if
    /// `cpus` is empty; they make their calls as `via` says. Call before starting any thread.
    ///
    /// # Errors
    /// When a process or a pipe cannot be created.
    pub fn of(processes: usize, cpus: &[u32], via: Via) -> Result<Ring, Stop> {
        Ring::new(processes, cpus, via, || Memory::of(0, 0))
    }

    /// A ring, by bare calls, in which each process, on receiving the token, sums `bytes` bytes (a multiple of 512)
    /// of its own, `offset` bytes into a page, before passing the token on.
    ///
    /// # Errors
    /// When a process, a pipe or the memory cannot be allocated.
    pub fn at_work(
        processes: usize,
        cpus: &[u32],
        bytes: usize,
        offset: usize,
    ) -> Result<Ring, Stop> {
        Ring::new(processes, cpus, Via::Bare, || Memory::of(bytes, offset))
    }

    fn new(
        processes: usize,
        cpus: &[u32],
        via: Via,
        memory: impl Fn() -> Result<Memory, Stop>,
    ) -> Result<Ring, Stop> {
        let (first, out) = pipe()?;
        let mut ring = Ring {
            out,
            back: first,
            children: Vec::new(),
            memory: Memory(None),
            via,
        };
        for k in 1..processes {
            let (next, pass_on) = pipe()?;
            // SAFETY: no other thread exists, so the child may call anything; it passes tokens and
            // ends by _exit.
            match unsafe { libc::fork() } {
                -1 => return Err(Stop::unavailable("fork", std::io::Error::last_os_error())),
                0 => child(
                    &ring,
                    &next,
                    &pass_on,
                    cpus.get(k % cpus.len().max(1)).copied(),
                    &memory,
                ),
                pid => ring.children.push(pid),
            }
            ring.back = next;
        }
        // After the forks, so that each process has its own pages.
        ring.memory = memory()?;
        Ok(ring)
    }

    /// Sends the token round `laps` times.
    ///
    /// # Errors
    /// When a process of the ring has exited.
    pub fn laps(&self, laps: u64) -> Result<(), Stop> {
        for _ in 0..laps {
            pass(&self.out, &self.back, self.via)?;
            self.memory.work();
        }
        Ok(())
    }

    /// Processes in the ring.
    pub fn len(&self) -> usize {
        self.children.len() + 1
    }

    /// A ring is never empty.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// The same work without context switches: one process writes the token to as many pipes as a ring has,
/// in turn, and reads it back.
///
/// This needs a separate process. If the ring's leader did it, the scheduler would owe the other
/// processes run time after some milliseconds, they would preempt the leader when woken, and a lap of
/// eight would take a tenth less.
#[derive(Debug)]
pub struct Alone {
    orders: OwnedFd,
    answers: OwnedFd,
    _peer: Peer,
}

/// What an answer reports of each batch besides its time.
const TOLD: [MarkKind; 6] = [
    MarkKind::Switches,
    MarkKind::Migrations,
    MarkKind::Faults,
    MarkKind::RunDelayNs,
    MarkKind::StealTicks,
    MarkKind::StolenNs,
];

/// Bytes of an answer: the time in ns, and a count for each of [`TOLD`].
const ANSWER: usize = 8 * (1 + TOLD.len());

impl Alone {
    /// With the pipes of a ring of `processes` that work on `bytes` bytes each. Call before
    /// starting any thread.
    ///
    /// # Errors
    /// When a process or a pipe cannot be created.
    pub fn of(processes: usize, bytes: usize, offset: usize) -> Result<Alone, Stop> {
        let pipes: Vec<Pipe> = (0..processes).map(|_| pipe()).collect::<Result<_, _>>()?;
        let (taken, orders) = pipe()?;
        let (answers, given) = pipe()?;
        let peer = Peer::start(None, move || {
            // Without memory it exits, which the other end detects.
            if let Ok(memory) = Memory::of(bytes, offset) {
                serve(&taken, &given, &pipes, &memory);
            }
        })?;
        Ok(Alone {
            orders,
            answers,
            _peer: peer,
        })
    }

    /// Has it write and read `times` times. Returns its time in ns and the events meanwhile.
    ///
    /// # Errors
    /// When the process has exited, or a pipe failed in it.
    pub fn pass(&self, times: u64) -> Result<(f64, Happened), Stop> {
        let gone = |e: &dyn std::fmt::Display| Stop::unavailable("the single-process reference", e);
        let by = Via::Bare;
        by.write(&self.orders, &times.to_ne_bytes())
            .map_err(|e| gone(&e))?;
        let mut answer = [0u8; ANSWER];
        match by.read(&self.answers, &mut answer) {
            Ok(ANSWER) => {}
            Ok(_) => return Err(gone(&"it exited")),
            Err(e) => return Err(gone(&e)),
        }
        let mut numbers = answer
            .as_chunks::<8>()
            .0
            .iter()
            .copied()
            .map(u64::from_ne_bytes);
        let ns = numbers.next().unwrap_or(0) as f64;
        let happened = TOLD
            .into_iter()
            .zip(numbers)
            .filter(|(_, count)| *count > 0);
        Ok((ns, happened.collect()))
    }
}

/// Passes the ordered number of tokens and answers, until there are no more orders.
fn serve(taken: &OwnedFd, given: &OwnedFd, pipes: &[Pipe], memory: &Memory) {
    let (mut watch, _) = Watch::open();
    let mut order = [0u8; 8];
    while matches!(Via::Bare.read(taken, &mut order), Ok(8)) {
        let before = watch.read();
        let start = Moment::now();
        for (_, (back, out)) in (0..u64::from_ne_bytes(order)).zip(pipes.iter().cycle()) {
            if pass(out, back, Via::Bare).is_err() {
                return;
            }
            memory.work();
        }
        let ns = Moment::now().since(start);
        let happened = between(&before, &watch.read());
        let count = |kind| {
            happened
                .iter()
                .find(|(k, _)| *k == kind)
                .map_or(0, |(_, n)| *n)
        };
        let numbers = std::iter::once(ns as u64).chain(TOLD.into_iter().map(count));
        let answer: Vec<u8> = numbers.flat_map(u64::to_ne_bytes).collect();
        if Via::Bare.write(given, &answer).is_err() {
            return;
        }
    }
}

/// Writes the token to `out` and waits until it is in `back`.
fn pass(out: &OwnedFd, back: &OwnedFd, via: Via) -> Result<(), Stop> {
    let mut token = [0u8; 1];
    let broken = |e: &dyn std::fmt::Display| Stop::unavailable("the ring broke", e);
    via.write(out, &token).map_err(|e| broken(&e))?;
    match via.read(back, &mut token) {
        Ok(1) => Ok(()),
        Ok(_) => Err(broken(&"a process of the ring has exited")),
        Err(e) => Err(broken(&e)),
    }
}

/// Main loop of a child: passes tokens until end of file.
fn child(
    ring: &Ring,
    next: &OwnedFd,
    pass_on: &OwnedFd,
    cpu: Option<u32>,
    memory: impl FnOnce() -> Result<Memory, Stop>,
) -> ! {
    let from = &ring.back;
    // Closes the ends of other processes, which would keep their pipes open. SAFETY: closing
    // descriptors that this process no longer uses; it ends by _exit, so no owner closes them
    // again.
    unsafe {
        libc::close(ring.out.as_raw_fd());
        libc::close(next.as_raw_fd());
    }
    // Failure ends this process, which the others see as the end of the ring.
    if let Ok(memory) = cpu.map_or(Ok(()), pin::to).and_then(|()| memory()) {
        let mut token = [0u8; 1];
        while matches!(ring.via.read(from, &mut token), Ok(1)) {
            memory.work();
            if ring.via.write(pass_on, &token).is_err() {
                break;
            }
        }
    }
    // SAFETY: ends the process without running the parent's clean-up.
    unsafe { libc::_exit(0) }
}

impl Drop for Ring {
    fn drop(&mut self) {
        for &pid in &self.children {
            // SAFETY: signals and collects a child of our own that nothing else waits for.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, std::ptr::null_mut(), 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_comes_round() {
        for (n, via) in [
            (2, Via::Bare),
            (2, Via::Libc),
            (3, Via::Bare),
            (8, Via::Libc),
        ] {
            let ring = Ring::of(n, &[], via).unwrap();
            assert_eq!(ring.len(), n);
            ring.laps(100).unwrap();
            Alone::of(n, 0, 0).unwrap().pass(100).unwrap();
        }
    }

    #[test]
    fn each_process_works_before_passing_on() {
        // ns: the ring's laps, and the same turns in one process.
        let time = |bytes| {
            let ring = Ring::at_work(3, &[], bytes, 64).unwrap();
            let alone = Alone::of(3, bytes, 64).unwrap();
            ring.laps(3).unwrap();
            let start = Moment::now();
            ring.laps(20).unwrap();
            [Moment::now().since(start), alone.pass(60).unwrap().0]
        };
        // 60 turns at 4 MiB read 240 MiB, which takes milliseconds on any host. Passing tokens takes
        // microseconds, but on a busy machine any attempt may be delayed, hence the minimum of
        // several.
        let mut least = [[f64::MAX; 2]; 2];
        let worked = (0..20).any(|_| {
            for (least, bytes) in least.iter_mut().zip([0, 4 << 20]) {
                let took = time(bytes);
                *least = [least[0].min(took[0]), least[1].min(took[1])];
            }
            let [idle, busy] = least;
            (0..2).all(|of| busy[of] > 2.0 * idle[of])
        });
        assert!(worked, "{least:?}");
    }

    #[test]
    fn a_broken_ring_is_an_error_and_not_a_hang() {
        let ring = Ring::of(3, &[], Via::Bare).unwrap();
        // SAFETY: kills a child of the ring.
        unsafe { libc::kill(ring.children[0], libc::SIGKILL) };
        assert!((0..100).any(|_| ring.laps(1).is_err()));
    }
}
