//! Cheap counters around a timed batch, which show disturbances.

use std::fs::File;

use rustix::io::pread;
use whyslow_model::host::Known;

use crate::file::reason;
use crate::parse::steal_of;
use crate::root::HostRoot;

/// Bytes of `/proc/stat` up to the end of a CPU's line: a line has at most ten
/// numbers of 20 digits, their spaces and the CPU's name; one more line is for all.
const STAT_LINE: usize = 10 * 21 + 10;

/// Handles that stay open, for one thread.
///
/// The run delay is that of the opening thread, whichever thread reads.
#[derive(Debug)]
pub struct BatchCounters {
    schedstat: Option<File>,
    stat: Option<File>,
    is_live: bool,
    buffer: Vec<u8>,
}

/// Readings at one moment. A counter that cannot be read is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Run-queue delay of the thread, ns since it started.
    pub run_delay_ns: Option<u64>,
    /// Time stolen by the hypervisor from the CPU in `cpu`, ticks since boot (a tick is usually 10
    /// ms).
    pub steal_ticks: Option<u64>,
    /// The CPU that the reading thread ran on.
    pub cpu: Option<u32>,
}

/// Changes between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Run-queue delay of the thread, ns.
    pub run_delay_ns: Option<u64>,
    /// Time stolen by the hypervisor from the CPU, ticks; none if the thread was on different CPUs
    /// at the two readings.
    pub steal_ticks: Option<u64>,
    /// Whether the thread was on different CPUs at the two readings.
    pub moved: Option<bool>,
}

impl Counters {
    /// Changes since an earlier reading.
    pub fn since(&self, before: &Self) -> Delta {
        let moved = self.cpu.zip(before.cpu).map(|(now, then)| now != then);
        let less = |now: Option<u64>, then: Option<u64>| {
            now.zip(then).map(|(now, then)| now.saturating_sub(then))
        };
        Delta {
            run_delay_ns: less(self.run_delay_ns, before.run_delay_ns),
            steal_ticks: match moved {
                Some(false) => less(self.steal_ticks, before.steal_ticks),
                _ => None,
            },
            moved,
        }
    }
}

impl BatchCounters {
    /// Opens what can be opened for the calling thread, and says why the rest
    /// could not: one line for each counter that will be none.
    pub fn open(root: &HostRoot) -> (Self, Vec<String>) {
        let mut reasons = vec![];
        let mut open = |what: &str, path: &str| {
            let file = root
                .locate(path)
                .and_then(|place| File::open(place).map_err(|error| reason(&error, path)));
            file.map_err(|why| reasons.push(format!("{what}: {why}")))
                .ok()
        };
        let mut counters = Self {
            schedstat: open("run delay", "/proc/thread-self/schedstat"),
            stat: open("steal", "/proc/stat"),
            is_live: root.is_live(),
            buffer: vec![0; 2 * STAT_LINE],
        };
        if !counters.is_live {
            reasons.push("CPU number: a recorded tree runs on none".to_owned());
        }
        // A file that opens may still say nothing of use.
        if counters.schedstat.is_some()
            && let Known::Unknown(unknown) = counters.run_delay()
        {
            reasons.push(format!("run delay: {}", unknown.unknown));
            counters.schedstat = None;
        }
        if let Some(cpu) = counters.cpu()
            && counters.stat.is_some()
            && counters.steal(cpu).is_none()
        {
            reasons.push(format!("steal: no CPU {cpu} in /proc/stat"));
            counters.stat = None;
        }
        (counters, reasons)
    }

    /// Reads all. Three system calls, no allocation after the first reading on
    /// the highest CPU; some microseconds, more on hosts with many CPUs, so it
    /// belongs before and after a batch and never into it.
    pub fn read(&mut self) -> Counters {
        let cpu = self.cpu();
        Counters {
            run_delay_ns: self.run_delay().into_value(),
            steal_ticks: cpu.and_then(|cpu| self.steal(cpu)),
            cpu,
        }
    }

    fn cpu(&self) -> Option<u32> {
        self.is_live
            .then(rustix::thread::sched_getcpu)
            .and_then(|cpu| u32::try_from(cpu).ok())
    }

    /// The second number of `schedstat`: time on a CPU, time waiting, times run.
    fn run_delay(&self) -> Known<u64> {
        let Some(file) = &self.schedstat else {
            return Known::unknown("not open");
        };
        let mut bytes = [0; 64];
        let count = match pread(file, &mut bytes[..], 0) {
            Ok(count) => count,
            Err(error) => return Known::unknown(error.to_string()),
        };
        let text = std::str::from_utf8(&bytes[..count]).unwrap_or_default();
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        match (numbers.next(), numbers.next(), numbers.next()) {
            // A thread that reads has run, so a kernel that counts says so.
            (_, _, Some(Ok(0))) => Known::unknown("the kernel does not count it"),
            (_, Some(Ok(delay)), Some(Ok(_))) => Known::Is(delay),
            _ => Known::unknown("not understood: /proc/thread-self/schedstat"),
        }
    }

    fn steal(&mut self, cpu: u32) -> Option<u64> {
        let file = self.stat.as_ref()?;
        // Offline CPUs have no line, so that a line is never further down than this.
        let needed = (cpu as usize + 2) * STAT_LINE;
        if self.buffer.len() < needed {
            self.buffer.resize(needed, 0);
        }
        let mut filled = 0;
        // The kernel returns a page at a time.
        while filled < needed {
            let part = self.buffer.get_mut(filled..needed)?;
            match pread(file, part, filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(_) => return None,
            }
            if let Some(steal) = steal_of(self.buffer.get(..filled)?, cpu) {
                return Some(steal);
            }
        }
        None
    }
}
