//! The counts of a run, read from the shared file after the program has exited.
#![cfg_attr(test, allow(unsafe_code))]

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::library::reason::REASONS;
use crate::library::tally::{Call, KindLine, NAME, PROCESSES, ProcessLine, Tallies, Tally};

/// Pages that stayed ordinary for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The reason, as text.
    pub why: &'static str,
    /// Pages of the base size.
    pub pages: u64,
}

/// Outcome of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    /// Blocks of memory large enough to be considered.
    pub blocks: u64,
    /// Of these, blocks with colored pages.
    pub colored_blocks: u64,
    /// Pages with the requested color.
    pub hits: u64,
    /// Pages with another color.
    pub fallbacks: u64,
    /// Pages that already had a frame, such as reused memory.
    pub present: u64,
    /// Pages that stayed ordinary, by reason.
    pub left: Vec<Left>,
    /// Time spent on them.
    pub took: Duration,
}

impl Pages {
    /// All of them.
    pub fn total(&self) -> u64 {
        let left: u64 = self.left.iter().map(|left| left.pages).sum();
        self.hits + self.fallbacks + self.present + left
    }
}

/// A process that asked for a large block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessCounts {
    /// Its pid; 0 if unknown.
    pub pid: u64,
    /// Its name in the kernel.
    pub name: String,
    /// Outcome of its pages.
    pub pages: Pages,
}

/// Blocks of about one size from one call, in all processes of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// The processes' name.
    pub name: String,
    /// The call that allocated them.
    pub call: &'static str,
    /// The smallest of them, bytes.
    pub least: u64,
    /// The largest.
    pub most: u64,
    /// Outcome of their pages.
    pub pages: Pages,
}

/// All counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Of the whole run.
    pub all: Pages,
    /// By process, in the order of their first large block.
    pub processes: Vec<ProcessCounts>,
    /// Processes without their own row, and the outcome of their pages.
    pub other_processes: (u64, Pages),
    /// By kind of block.
    pub kinds: Vec<Kind>,
    /// Outcome of pages of kinds without their own row.
    pub other_kinds: Pages,
}

/// In the order of `Why`.
const REASON: [&str; REASONS] = [
    "no colors were found",
    "the block is too large for coloring to help",
    "another thread was coloring",
    "the time budget for coloring was used up",
    "the memory that coloring may populate in advance was used up",
    "the system does not let the process move pages",
    "pages matched the colors too rarely",
    "the process set a system-call filter after its start",
    "the search for colors had not finished",
];

/// Reads the counts. Processes still running may add to them meanwhile.
pub(crate) fn read(tallies: &Tallies) -> Counts {
    let processes = tallies.processes.iter().map(process);
    let kinds = tallies.kinds.iter().map(kind);
    let beyond = count(&tallies.taken).saturating_sub(PROCESSES as u64);
    Counts {
        all: pages(&tallies.all),
        processes: processes.filter(|p| p.pages.blocks > 0).collect(),
        other_processes: (beyond, pages(&tallies.other_processes)),
        kinds: kinds.filter(|k| k.pages.blocks > 0).collect(),
        other_kinds: pages(&tallies.other_kinds),
    }
}

fn count(n: &AtomicU64) -> u64 {
    n.load(Relaxed)
}

fn process(line: &ProcessLine) -> ProcessCounts {
    ProcessCounts {
        pid: count(&line.pid),
        name: name(&line.name),
        pages: pages(&line.tally),
    }
}

fn kind(line: &KindLine) -> Kind {
    let call = match count(&line.call) {
        n if n == Call::Malloc as u64 => "malloc",
        n if n == Call::Calloc as u64 => "calloc",
        n if n == Call::Realloc as u64 => "realloc",
        n if n == Call::Aligned as u64 => "aligned_alloc",
        _ => "mmap",
    };
    Kind {
        name: name(&line.name),
        call,
        least: !count(&line.inverted_least),
        most: count(&line.most),
        pages: pages(&line.tally),
    }
}

fn name(words: &[AtomicU64; NAME / 8]) -> String {
    let bytes = words.iter().flat_map(|word| count(word).to_ne_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn pages(tally: &Tally) -> Pages {
    let left = REASON.iter().zip(&tally.ordinary).map(|(why, pages)| Left {
        why,
        pages: count(pages),
    });
    Pages {
        blocks: count(&tally.blocks),
        colored_blocks: count(&tally.colored_blocks),
        hits: count(&tally.hits),
        fallbacks: count(&tally.fallbacks),
        present: count(&tally.present),
        left: left.filter(|left| left.pages > 0).collect(),
        took: Duration::from_nanos(count(&tally.ns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::reason::Why;
    use crate::library::sys::Status;
    use crate::library::tally::{Counts as Added, KINDS, NO_LINE, Owner};

    /// Empty tables: every word of them is an atomic.
    fn empty() -> Box<Tallies> {
        // SAFETY: zeros are valid for every atomic, and the shared file starts as zeros.
        unsafe { Box::<Tallies>::new_zeroed().assume_init() }
    }

    fn status(pid: u64, program: &str) -> Status {
        let mut name = [0; NAME];
        name[..program.len()].copy_from_slice(program.as_bytes());
        Status {
            name,
            pid,
            filters: None,
        }
    }

    fn hits(n: u64) -> Added {
        Added {
            blocks: 1,
            colored_blocks: 1,
            hits: n,
            ns: 10,
            ..Added::none()
        }
    }

    #[test]
    fn each_process_and_each_kind_of_block_has_a_line() {
        let tallies = empty();
        let first = tallies.enroll(&status(7, "python3"));
        let second = tallies.enroll(&status(8, "sort-of-long-na"));
        for (owner, call, bytes, n) in [
            (&first, Call::Malloc, 1 << 20, 256),
            // A little larger: the same kind.
            (&first, Call::Malloc, (1 << 20) + 9000, 258),
            (&first, Call::Mmap, 1 << 20, 256),
            (&second, Call::Malloc, 1 << 20, 256),
        ] {
            tallies.add(owner, tallies.kind(owner, call, bytes), &hits(n));
        }
        let mut skipped = Added::none();
        skipped.blocks = 1;
        skipped.skip(Why::Large, 99);
        let kind = tallies.kind(&second, Call::Realloc, 405_504);
        tallies.add(&second, kind, &skipped);
        let counts = read(&tallies);
        let lines: Vec<_> = counts
            .processes
            .iter()
            .map(|p| (p.pid, p.name.as_str(), p.pages.blocks, p.pages.hits))
            .collect();
        assert_eq!(
            lines,
            [(7, "python3", 3, 770), (8, "sort-of-long-na", 2, 256)]
        );
        assert_eq!(counts.processes[1].pages.total(), 256 + 99);
        let mut kinds: Vec<_> = counts
            .kinds
            .iter()
            .map(|k| (k.name.as_str(), k.call, k.least, k.most, k.pages.total()))
            .collect();
        kinds.sort_unstable();
        assert_eq!(
            kinds,
            [
                ("python3", "malloc", 1 << 20, (1 << 20) + 9000, 514),
                ("python3", "mmap", 1 << 20, 1 << 20, 256),
                ("sort-of-long-na", "malloc", 1 << 20, 1 << 20, 256),
                ("sort-of-long-na", "realloc", 405_504, 405_504, 99),
            ]
        );
        assert_eq!(counts.all.total(), 256 + 258 + 256 + 256 + 99);
        assert_eq!(counts.all.took, Duration::from_nanos(40));
    }

    /// More than there is room for: the rows and the overflow row add up to the total.
    #[test]
    fn what_finds_no_line_is_added_up() {
        let tallies = empty();
        for pid in 0..PROCESSES as u64 + 10 {
            // Many names, each with three sizes: more kinds than rows.
            let owner = tallies.enroll(&status(pid, &format!("name{pid}")));
            for size in [1 << 18, 1 << 20, 1 << 22] {
                let kind = tallies.kind(&owner, Call::Malloc, size);
                tallies.add(&owner, kind, &hits(1));
            }
        }
        let counts = read(&tallies);
        let all = 3 * (PROCESSES as u64 + 10);
        assert_eq!(counts.all.hits, all);
        assert_eq!(counts.processes.len(), PROCESSES);
        assert_eq!(counts.other_processes.0, 10);
        assert_eq!(counts.other_processes.1.hits, 30);
        let in_lines: u64 = counts.kinds.iter().map(|k| k.pages.hits).sum();
        assert!(counts.other_kinds.hits > 0 && counts.kinds.len() > KINDS * 9 / 10);
        assert_eq!(in_lines + counts.other_kinds.hits, all);
    }

    /// Two concurrent threads of one process claim one row.
    #[test]
    fn a_line_that_came_second_is_given_back() {
        let tallies = empty();
        let kept = tallies.enroll(&status(1, "a"));
        let second = tallies.enroll(&status(1, "a"));
        tallies.leave(&second);
        let next = tallies.enroll(&status(2, "b"));
        assert_eq!((kept.line, next.line), (0, 1));
        tallies.add(&next, KINDS, &hits(5));
        let unnamed = Owner {
            line: NO_LINE,
            name: [0; 2],
        };
        tallies.add(&unnamed, KINDS, &hits(6));
        let counts = read(&tallies);
        assert_eq!(counts.processes.len(), 1);
        assert_eq!(counts.processes[0].name, "b");
        assert_eq!(counts.other_processes.1.hits, 6);
    }

    #[test]
    fn threads_at_once_lose_nothing() {
        let tallies = empty();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let tallies = &tallies;
                scope.spawn(move || {
                    for i in 0..2000_usize {
                        let owner = tallies.enroll(&status(thread, ["x", "y"][i % 2]));
                        let kind = tallies.kind(&owner, Call::Mmap, 4096 << (i % 7));
                        tallies.add(&owner, kind, &hits(1));
                    }
                });
            }
        });
        let counts = read(&tallies);
        assert_eq!(counts.all.hits, 8000);
        assert_eq!(counts.kinds.len(), 14);
        assert!(counts.kinds.iter().all(|k| k.least == k.most));
        assert_eq!(counts.kinds.iter().map(|k| k.pages.hits).sum::<u64>(), 8000);
    }
}
