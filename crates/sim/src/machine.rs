//! A simulated machine: caches, TLBs and a policy of placement, and what becomes of accesses on it.

use std::collections::HashMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::cache::{KIND, Tally};
use crate::draw::below;
use crate::error::SimError;
use crate::hierarchy::{BATCH, Hierarchy, LevelSpec, WRITE};
use crate::index::{Colors, Index};
use crate::parallel::in_parallel;
use crate::placement::{HUGE_LOG2, PageTable, Policy};
use crate::stream::Stream;

/// A level of the TLB, with LRU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlbSpec {
    /// Entries.
    pub entries: u32,
    /// Entries in a set.
    pub ways: u32,
}

/// What is simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineSpec {
    /// Caches, nearest first.
    pub caches: Vec<LevelSpec>,
    /// Levels of the TLB, nearest first.
    pub tlbs: Vec<TlbSpec>,
    /// Entries of page tables that a miss of all TLBs reads: one, or one of the guest's tables and one of the host's.
    pub walk: u32,
    /// Placement of pages.
    pub policy: Policy,
    /// Lines of others, none of them twice, that come into the first level for each access: of the kernel, or of another
    /// hardware thread of the core. They are not counted.
    pub others: f64,
}

/// Bytes of a page, log2: pages of 4 KiB are placed, also in sets of 512.
const PAGE_LOG2: u32 = 12;

/// Where page tables lie, each so far apart: above the addresses of programs.
const TABLES: u64 = 1 << 56;

/// Bytes of an entry of a page table.
const ENTRY: u64 = 8;

/// What became of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Counts of the caches, nearest first.
    pub caches: Vec<Tally>,
    /// Lines read from memory and written to it.
    pub memory: Tally,
    /// Counts of the TLBs, nearest first.
    pub tlbs: Vec<Tally>,
}

impl Outcome {
    /// Accesses to the first level.
    pub fn accesses(&self) -> u64 {
        self.caches.first().map_or(0, Tally::accesses)
    }
}

/// Where the misses of one level are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributed {
    /// By color of the frame.
    pub by_color: Vec<u64>,
    /// By page: the address of its first byte, the color of its frame, and the misses; most first.
    pub by_page: Vec<(u64, u32, u64)>,
}

impl MachineSpec {
    /// The level that pages are placed for: the second, whose way is larger than a page, or the first where it is alone.
    pub fn placed_for(&self) -> usize {
        1.min(self.caches.len().saturating_sub(1))
    }

    fn colors(&self, line_log2: u32) -> Result<Colors, SimError> {
        let level = &self.caches[self.placed_for()];
        let spec = &level.cache;
        let sets = u32::try_from(spec.lines / u64::from(spec.ways.max(1))).unwrap_or(u32::MAX);
        let index = Index::new(&spec.index, sets).map_err(|what| SimError::Shape {
            level: level.name.clone(),
            what,
        })?;
        Ok(Colors::new(index, PAGE_LOG2 - line_log2))
    }

    /// Colors of the level that pages are placed for.
    ///
    /// # Errors
    /// When the level cannot be.
    pub fn color_count(&self, line_bytes: u32) -> Result<u32, SimError> {
        Ok(self.colors(line_bytes.max(1).ilog2())?.count())
    }

    /// The TLBs' counts of a stream, after so many passes over it that are not counted. They depend on no placement.
    ///
    /// # Errors
    /// When a TLB cannot be.
    pub fn translate(&self, stream: &Stream, warm: u32) -> Result<Vec<Tally>, SimError> {
        if self.tlbs.is_empty() {
            return Ok(Vec::new());
        }
        let (mut tlbs, shift) = self.translation(stream)?;
        let mut pages = Vec::with_capacity(BATCH);
        for pass in 0..=warm {
            if pass == warm {
                tlbs.reset();
            }
            for batch in stream.accesses.chunks(BATCH) {
                pages.clear();
                pages.extend(batch.iter().map(|asked| u64::from(*asked as u32 >> shift)));
                tlbs.access(&pages);
            }
        }
        Ok(tlbs.tallies().copied().collect())
    }

    /// The stream with the reads of page tables that translating it takes once the TLBs have seen it: of one entry of 8 bytes
    /// of each table for each access that misses all TLBs, as those of the upper levels stay in caches of their own. Tables lie
    /// in pages that are placed like others, and a host's are laid out as a guest's. With it the TLBs' counts of the stream.
    ///
    /// # Errors
    /// When a TLB cannot be, or addresses lie too far apart.
    pub fn walked(&self, stream: &Stream) -> Result<(Stream, Vec<Tally>), SimError> {
        let mut walked = stream.clone();
        if self.tlbs.is_empty() {
            return Ok((walked, Vec::new()));
        }
        let (mut tlbs, shift) = self.translation(stream)?;
        let page = |asked: &u64| u64::from(*asked as u32 >> shift);
        let pages: Vec<u64> = stream.accesses.iter().map(page).collect();
        tlbs.access(&pages);
        tlbs.reset();
        walked.accesses.clear();
        let mut walks = 0;
        for (&asked, &page) in stream.accesses.iter().zip(&pages) {
            tlbs.access(&[page]);
            if tlbs.memory().reads > walks {
                walks = tlbs.memory().reads;
                for table in 1..=u64::from(self.walk) {
                    walked.push(TABLES * table + page * ENTRY, 1, false)?;
                }
            }
            walked.accesses.push(asked);
        }
        Ok((walked, tlbs.tallies().copied().collect()))
    }

    /// Empty TLBs, and how many bits of a line's number are within a page.
    fn translation(&self, stream: &Stream) -> Result<(Hierarchy, u32), SimError> {
        let level = |(at, tlb): (usize, &TlbSpec)| {
            LevelSpec::lru(&format!("TLB {}", at + 1), tlb.entries.into(), tlb.ways)
        };
        let levels: Vec<LevelSpec> = self.tlbs.iter().enumerate().map(level).collect();
        let huge = match self.policy {
            Policy::Huge => HUGE_LOG2,
            _ => 0,
        };
        let tlbs = Hierarchy::new(&levels, 0)?;
        Ok((tlbs, PAGE_LOG2 - stream.line_log2 + huge))
    }

    /// What becomes of a stream under one placement, after so many passes over it that are not counted.
    ///
    /// # Errors
    /// When a cache cannot be, or memory runs out.
    pub fn place(&self, stream: &Stream, warm: u32, seed: u64) -> Result<Outcome, SimError> {
        let mut run = Run::new(self, stream, seed)?;
        for _ in 0..warm {
            run.pass(stream, &mut |_, _| {})?;
        }
        run.reset();
        run.pass(stream, &mut |_, _| {})?;
        Ok(run.outcome())
    }

    /// As [`MachineSpec::place`] under many placements, the seed of each counted up from the first, on so many threads.
    ///
    /// # Errors
    /// As for one.
    pub fn place_all(
        &self,
        stream: &Stream,
        warm: u32,
        seeds: std::ops::Range<u64>,
        threads: usize,
    ) -> Result<Vec<Outcome>, SimError> {
        let seeds: Vec<u64> = seeds.collect();
        in_parallel(&seeds, threads, |seed| self.place(stream, warm, *seed))
    }

    /// One placement looked at closely: where the misses of the level are that pages are placed for. What reaches the
    /// memory in the counted pass is shown to `memory`: the physical address, and whether it is written.
    ///
    /// # Errors
    /// As for [`MachineSpec::place`], or what `memory` fails with.
    pub fn attribute(
        &self,
        stream: &Stream,
        warm: u32,
        seed: u64,
        memory: Option<&mut dyn FnMut(u64, bool) -> Result<(), SimError>>,
    ) -> Result<Attributed, SimError> {
        let mut run = Run::new(self, stream, seed)?;
        for _ in 0..warm {
            run.pass(stream, &mut |_, _| {})?;
        }
        if memory.is_some() {
            run.caches.keep_log();
        }
        let (page_log2, wanted) = (PAGE_LOG2 - stream.line_log2, self.placed_for());
        let mut by_frame: HashMap<u32, u64> = HashMap::new();
        run.pass(stream, &mut |level, requests| {
            if level == wanted {
                let fetches = requests.iter().filter(|asked| **asked >> 32 & KIND == 0);
                for &fetch in fetches {
                    *by_frame.entry(fetch as u32 >> page_log2).or_default() += 1;
                }
            }
        })?;
        if let Some(memory) = memory {
            for (line, written) in run.caches.take_log() {
                memory(u64::from(line) << stream.line_log2, written)?;
            }
        }
        let colors = self.colors(stream.line_log2)?;
        let mut found = Attributed {
            by_color: vec![0; colors.count() as usize],
            by_page: Vec::new(),
        };
        let mut pages: Vec<u32> = stream
            .accesses
            .iter()
            .map(|a| *a as u32 >> page_log2)
            .collect();
        pages.sort_unstable();
        pages.dedup();
        for page in pages {
            let frame = run.table.frame(page)?;
            let misses = by_frame.get(&frame).copied().unwrap_or(0);
            let color = colors.of(frame);
            found.by_color[color as usize] += misses;
            if misses > 0 {
                let address = stream.space.address(page << page_log2);
                found.by_page.push((address, color, misses));
            }
        }
        found
            .by_page
            .sort_by_key(|(address, _, misses)| (u64::MAX - misses, *address));
        Ok(found)
    }
}

/// Caches and a page table of one placement.
struct Run {
    caches: Hierarchy,
    table: PageTable,
    page_log2: u32,
    batch: Vec<u64>,
    others: Others,
}

/// Accesses of others to lines of their own.
struct Others {
    /// For each access.
    rate: f64,
    /// What is due of the next.
    due: f64,
    draw: Xoshiro256PlusPlus,
    /// Those of the passes that are counted.
    made: u64,
}

impl Others {
    /// Lines that come now. Among 2^32 lines hardly one is met twice, so that each misses all levels.
    fn next(&mut self, batch: &mut Vec<u64>) {
        self.due += self.rate;
        while self.due >= 1.0 {
            self.due -= 1.0;
            self.made += 1;
            batch.push(below(&mut self.draw, 1 << 32));
        }
    }

    /// A level's counts without them.
    fn taken_from(&self, tally: &Tally) -> Tally {
        Tally {
            reads: tally.reads.saturating_sub(self.made),
            read_misses: tally.read_misses.saturating_sub(self.made),
            ..*tally
        }
    }
}

impl Run {
    fn new(spec: &MachineSpec, stream: &Stream, seed: u64) -> Result<Run, SimError> {
        Ok(Run {
            caches: Hierarchy::new(&spec.caches, seed)?,
            table: PageTable::new(spec.policy.clone(), spec.colors(stream.line_log2)?, seed),
            page_log2: PAGE_LOG2 - stream.line_log2,
            batch: Vec::with_capacity(BATCH),
            others: Others {
                rate: spec.others,
                due: 0.0,
                draw: Xoshiro256PlusPlus::seed_from_u64(!seed),
                made: 0,
            },
        })
    }

    fn pass(
        &mut self,
        stream: &Stream,
        missed: &mut dyn FnMut(usize, &[u64]),
    ) -> Result<(), SimError> {
        let within = (1u32 << self.page_log2) - 1;
        for part in stream.accesses.chunks(BATCH) {
            self.batch.clear();
            for &asked in part {
                let line = asked as u32;
                let frame = self.table.frame(line >> self.page_log2)?;
                let placed = frame << self.page_log2 | line & within;
                self.batch.push(asked & WRITE | u64::from(placed));
                self.others.next(&mut self.batch);
            }
            self.caches.access_seen(&self.batch, missed);
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.caches.reset();
        self.others.made = 0;
    }

    fn outcome(&self) -> Outcome {
        let own = |tally: &Tally| self.others.taken_from(tally);
        Outcome {
            caches: self.caches.tallies().map(own).collect(),
            memory: own(self.caches.memory()),
            tlbs: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Pattern;

    #[test]
    fn what_misses_all_tlbs_reads_an_entry_first() {
        let spec = |pages: u32| MachineSpec {
            caches: Vec::new(),
            tlbs: [16, pages]
                .map(|entries| TlbSpec {
                    entries,
                    ways: entries,
                })
                .to_vec(),
            walk: 1,
            policy: Policy::Random,
            others: 0.0,
        };
        let stream = Pattern::Stride(64).pass(64 << 12, 64, 1).unwrap();
        // 64 pages in turn: 64 entries hold them, and with 63 each page misses once.
        let (fits, tlbs) = spec(64).walked(&stream).unwrap();
        assert_eq!(
            (fits.len(), tlbs[0].misses(), tlbs[1].misses()),
            (4096, 64, 0)
        );
        let (walked, tlbs) = spec(63).walked(&stream).unwrap();
        assert_eq!((walked.len(), tlbs[1].misses()), (4096 + 64, 64));
        // An entry lies before the page's first access, and eight entries lie in a line.
        let first = |at: usize| walked.space.address(walked.accesses[at * 65] as u32);
        assert!(first(0) > TABLES && first(7) == first(0) && first(8) == first(0) + 64);
        assert_eq!(walked.accesses[1], stream.accesses[0]);
        // A guest's walk reads the host's table too, of which eight entries lie in a line as well.
        let guest = MachineSpec {
            walk: 2,
            ..spec(63)
        };
        let (nested, _) = guest.walked(&stream).unwrap();
        assert_eq!(nested.len(), 4096 + 2 * 64);
        let host = |at: usize| nested.space.address(nested.accesses[at * 66 + 1] as u32);
        assert_eq!(host(0) - first(0), TABLES);
        assert!(host(7) == host(0) && host(8) == host(0) + 64);
    }

    #[test]
    fn lines_of_others_evict_and_are_not_counted() {
        let full = MachineSpec {
            caches: vec![LevelSpec::lru("L1", 512, 8)],
            tlbs: Vec::new(),
            walk: 1,
            policy: Policy::Random,
            others: 0.0,
        };
        let beside = MachineSpec {
            others: 0.01,
            ..full.clone()
        };
        let misses = |spec: &MachineSpec, bytes: u64| {
            let stream = Pattern::Chase.pass(bytes, 64, 1).unwrap();
            let outcome = spec.place(&stream, 50, 1).unwrap();
            assert_eq!(outcome.accesses(), stream.len() as u64);
            assert_eq!(outcome.memory.reads, outcome.caches[0].misses());
            outcome.caches[0].misses()
        };
        assert_eq!(misses(&full, 32 << 10), 0);
        // Five lines come in a pass, and each costs a miss of the eight in its set.
        let found = misses(&beside, 32 << 10);
        assert!((20..=80).contains(&found), "{found}");
        // With a way to spare they evict each other.
        assert!(misses(&beside, 16 << 10) <= 8);
    }
}
