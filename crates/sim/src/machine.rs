//! A simulated machine: caches, TLBs and a policy of placement, and what becomes of accesses on it.

use std::collections::HashMap;
use std::thread;

use crate::cache::{CacheSpec, KIND, Replacement, Tally, Writes};
use crate::error::SimError;
use crate::hierarchy::{BATCH, Hierarchy, Inclusion, LevelSpec, WRITE};
use crate::index::{Colors, Index, IndexKind};
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineSpec {
    /// Caches, nearest first.
    pub caches: Vec<LevelSpec>,
    /// Levels of the TLB, nearest first.
    pub tlbs: Vec<TlbSpec>,
    /// Placement of pages.
    pub policy: Policy,
}

/// Bytes of a page, log2: pages of 4 KiB are placed, also in sets of 512.
const PAGE_LOG2: u32 = 12;

/// Where page tables lie: above the addresses of programs.
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
    /// for each access that misses all TLBs, as those of the upper levels stay in caches of their own. Tables lie in pages that
    /// are placed like others. With it the TLBs' counts of the stream.
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
                walked.push(TABLES + page * ENTRY, 1, false)?;
            }
            walked.accesses.push(asked);
        }
        Ok((walked, tlbs.tallies().copied().collect()))
    }

    /// Empty TLBs, and how many bits of a line's number are within a page.
    fn translation(&self, stream: &Stream) -> Result<(Hierarchy, u32), SimError> {
        let level = |(at, tlb): (usize, &TlbSpec)| LevelSpec {
            name: format!("TLB {}", at + 1),
            cache: CacheSpec {
                lines: u64::from(tlb.entries),
                ways: tlb.ways,
                index: IndexKind::Linear,
                replacement: Replacement::Lru,
                writes: Writes::Back,
            },
            inclusion: Inclusion::Neither,
            pairs: false,
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
        run.caches.reset();
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
        let each = seeds.len().div_ceil(threads.max(1)).max(1);
        thread::scope(|scope| {
            let work = |part: &[u64]| -> Result<Vec<Outcome>, SimError> {
                part.iter()
                    .map(|seed| self.place(stream, warm, *seed))
                    .collect()
            };
            let parts: Vec<_> = seeds
                .chunks(each)
                .map(|part| scope.spawn(move || work(part)))
                .collect();
            let mut all = Vec::with_capacity(seeds.len());
            for part in parts {
                match part.join() {
                    Ok(outcomes) => all.extend(outcomes?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(all)
        })
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
}

impl Run {
    fn new(spec: &MachineSpec, stream: &Stream, seed: u64) -> Result<Run, SimError> {
        Ok(Run {
            caches: Hierarchy::new(&spec.caches, seed)?,
            table: PageTable::new(spec.policy.clone(), spec.colors(stream.line_log2)?, seed),
            page_log2: PAGE_LOG2 - stream.line_log2,
            batch: Vec::with_capacity(BATCH),
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
            }
            self.caches.access_seen(&self.batch, missed);
        }
        Ok(())
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            caches: self.caches.tallies().copied().collect(),
            memory: *self.caches.memory(),
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
            policy: Policy::Random,
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
    }
}
