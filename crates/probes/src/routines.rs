//! Memory and string routines of the C library, called by address on blocks of memory.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::hint::black_box;

use whyslow_kernels::bandwidth::{Op, shapes};

use crate::buffer::{Buffer, Pages};
use crate::guard::{self, FILL};
use crate::stop::Stop;

/// Places within pages of this size decide how a copy's loads and stores meet.
const PAGE: usize = 4096;

/// From one overlapping block to the other: four lines, so that no vector load meets the store of the same step.
pub(crate) const SHIFT: usize = 256;

/// Every character of a text but its end.
const LETTER: u8 = b'x';

type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
type Fill = unsafe extern "C" fn(*mut c_void, c_int, usize) -> *mut c_void;
type Compare = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;
type Find = unsafe extern "C" fn(*const c_void, c_int, usize) -> *mut c_void;
type Length = unsafe extern "C" fn(*const c_char) -> usize;
type CopyText = unsafe extern "C" fn(*mut c_char, *const c_char) -> *mut c_char;

/// A function called through an opaque address: the compiler would replace a function it knows with
/// its own code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Routine {
    Copy(Copy),
    Fill(Fill),
    Compare(Compare),
    /// Looks for the end of a text.
    Find(Find),
    Length(Length),
    CopyText(CopyText),
}

impl Routine {
    pub(crate) fn named(op: &str) -> Result<Routine, Stop> {
        match op {
            "memcpy" => Ok(Routine::Copy(black_box(libc::memcpy as Copy))),
            "memmove" => Ok(Routine::Copy(black_box(libc::memmove as Copy))),
            "memset" => Ok(Routine::Fill(black_box(libc::memset as Fill))),
            "memcmp" => Ok(Routine::Compare(black_box(libc::memcmp as Compare))),
            "memchr" => Ok(Routine::Find(black_box(libc::memchr as Find))),
            "strlen" => Ok(Routine::Length(black_box(libc::strlen as Length))),
            "strcpy" => Ok(Routine::CopyText(black_box(libc::strcpy as CopyText))),
            other => Err(Stop::Unavailable(format!("op={other} is not known"))),
        }
    }

    /// Has it a second block, half of the working set?
    pub(crate) fn has_two_blocks(self) -> bool {
        use Routine::{Compare, Copy, CopyText};
        matches!(self, Copy(_) | Compare(_) | CopyText(_))
    }

    /// Does it work on a text, which ends in the last byte of its block?
    pub(crate) fn of_text(self) -> bool {
        use Routine::{CopyText, Find, Length};
        matches!(self, Find(_) | Length(_) | CopyText(_))
    }

    /// Runs once. Returns what a comparison gives, and where a search has ended.
    ///
    /// # Safety
    /// `to` and `from` are valid for `bytes` bytes, initialized, and nothing else refers to them; they overlap only for a
    /// routine that permits it. Where it reads a text, that ends within its block. A routine of one block has
    /// its block at `to`, and `from` is not used.
    unsafe fn run(self, to: *mut u8, from: *const u8, bytes: usize) -> usize {
        let (at, source) = (to.cast::<c_void>(), from.cast::<c_void>());
        // SAFETY: the contract of each routine is this function's.
        unsafe {
            match self {
                Routine::Copy(copy) => {
                    copy(at, source, bytes);
                    0
                }
                Routine::Fill(fill) => {
                    fill(at, FILL as u8 as c_int, bytes);
                    0
                }
                Routine::Compare(compare) => compare(at, source, bytes) as usize,
                Routine::Find(find) => find(at, 0, bytes).addr().wrapping_sub(to.addr()),
                Routine::Length(length) => length(to.cast()),
                Routine::CopyText(copy) => {
                    copy(to.cast(), from.cast());
                    0
                }
            }
        }
    }

    /// The port limit for such work, bytes per cycle.
    pub(crate) fn port_limit(self) -> Option<u32> {
        let op = match self {
            Routine::Copy(_) | Routine::CopyText(_) => Op::Copy,
            Routine::Fill(_) => Op::Write,
            Routine::Compare(_) | Routine::Find(_) | Routine::Length(_) => Op::Read,
        };
        shapes(op)
            .iter()
            .filter_map(|s| s.bytes_per_cycle_limit())
            .max()
    }
}

/// How the second block lies to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a mapping of its own; the destination so many bytes after the source within pages.
    Apart(usize),
    /// In the same mapping, the destination a few lines above the source.
    Above,
    /// Likewise, below it.
    Below,
}

/// One or two blocks of memory and the routine.
pub(crate) struct Blocks {
    routine: Routine,
    /// Bytes in a block.
    bytes: usize,
    first: Buffer,
    second: Option<Buffer>,
    /// Where in its buffer the destination begins; also the source, in a buffer that has both.
    starts: [usize; 2],
}

impl Blocks {
    /// A working set of `bytes`, whose source lies `offset` bytes into its pages.
    pub(crate) fn of(
        routine: Routine,
        bytes: usize,
        offset: usize,
        place: Place,
    ) -> Result<Blocks, Stop> {
        let two = routine.has_two_blocks();
        let bytes = if two { bytes / 2 } else { bytes };
        let block = |offset: usize| Buffer::new(bytes, Pages::Small, offset % PAGE);
        let over = || Buffer::new(bytes + SHIFT, Pages::Small, offset % PAGE);
        let (first, second, starts) = match place {
            Place::Apart(distance) => {
                let second = two.then(|| block(offset)).transpose()?;
                (block(offset + distance)?, second, [0, 0])
            }
            Place::Above | Place::Below if bytes <= SHIFT => {
                let why = format!("blocks of {bytes} bytes do not overlap, {SHIFT} bytes apart");
                return Err(Stop::Unavailable(why));
            }
            Place::Above => (over()?, None, [SHIFT, 0]),
            Place::Below => (over()?, None, [0, SHIFT]),
        };
        let mut blocks = Blocks {
            routine,
            bytes,
            first,
            second,
            starts,
        };
        if routine.of_text() {
            blocks.write_text();
        }
        Ok(blocks)
    }

    fn write_text(&mut self) {
        for buffer in self.second.iter_mut().chain([&mut self.first]) {
            buffer.bytes().fill(LETTER);
            if let Some(last) = buffer.bytes().last_mut() {
                *last = 0;
            }
        }
    }

    /// Bytes credited to one pass.
    pub(crate) fn counted(&self) -> usize {
        self.bytes * (1 + usize::from(self.routine.has_two_blocks()))
    }

    /// The memory under the blocks.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        std::iter::once(&self.first).chain(&self.second)
    }

    fn overlap(&self) -> bool {
        self.starts != [0, 0]
    }

    /// The first bytes of destination and source.
    fn ends(&self) -> [*mut u8; 2] {
        let source = self.second.as_ref().unwrap_or(&self.first);
        [
            self.first.start().wrapping_add(self.starts[0]),
            source.start().wrapping_add(self.starts[1]),
        ]
    }

    pub(crate) fn pass(&mut self) -> usize {
        let [to, from] = self.ends();
        // SAFETY: both blocks lie in mappings of `self`, which is borrowed exclusively, and were written; they overlap
        // only where `place` asked for it, which `measure` does for memmove alone. `of` has ended the texts.
        black_box(unsafe { self.routine.run(to, from, self.bytes) })
    }

    /// Verifies that a pass processes every byte it is credited with, and that what it works on was written.
    pub(crate) fn prove(&mut self) -> Result<(), Stop> {
        match self.routine {
            Routine::Copy(_) if self.overlap() => self.prove_overlap(),
            Routine::Copy(_) => self.prove_copy(0),
            Routine::CopyText(_) => self.prove_copy(FILL as u8),
            Routine::Fill(_) => self.prove_fill(),
            Routine::Compare(_) => self.prove_compare(),
            Routine::Find(_) | Routine::Length(_) => self.prove_search(),
        }?;
        // A proven search has found each byte of its text written; one of one byte is zero.
        match self.routine.of_text() {
            true => Ok(()),
            false => guard::written(self.first.bytes()),
        }
    }

    /// Over a destination full of `before`.
    fn prove_copy(&mut self, before: u8) -> Result<(), Stop> {
        self.first.bytes().fill(before);
        self.pass();
        let second = self.second.as_mut().map(Buffer::bytes);
        if second.as_deref() != Some(self.first.bytes()) {
            return refuse("copy did not copy every byte");
        }
        Ok(())
    }

    fn prove_overlap(&mut self) -> Result<(), Stop> {
        let [to, from] = self.starts.map(|start| start..start + self.bytes);
        let source = self.first.bytes().get(from).map(<[u8]>::to_vec);
        self.pass();
        match (source, self.first.bytes().get(to)) {
            (Some(source), Some(copy)) if source == copy => Ok(()),
            _ => refuse("memmove did not move every byte"),
        }
    }

    fn prove_fill(&mut self) -> Result<(), Stop> {
        self.pass();
        if self.first.bytes().iter().any(|&b| b != FILL as u8) {
            return refuse("memset did not fill every byte");
        }
        Ok(())
    }

    fn prove_compare(&mut self) -> Result<(), Stop> {
        for at in self.places() {
            if self.pass() != 0 {
                return refuse("memcmp found a difference where there is none");
            }
            self.first.bytes()[at] ^= 1;
            if self.pass() == 0 {
                return refuse("memcmp did not find a byte that differs");
            }
            self.first.bytes()[at] ^= 1;
        }
        Ok(())
    }

    fn prove_search(&mut self) -> Result<(), Stop> {
        let last = self.bytes - 1;
        for at in self.places() {
            self.first.bytes()[at] = 0;
            if self.pass() != at {
                return refuse("search did not end where the text does");
            }
            if at < last {
                self.first.bytes()[at] = LETTER;
            }
        }
        Ok(())
    }

    /// The first, a middle and the last byte.
    fn places(&self) -> [usize; 3] {
        let last = self.bytes - 1;
        [0, last / 2, last]
    }
}

fn refuse(what: &str) -> Result<(), Stop> {
    Err(Stop::Refused(format!("the C library's {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 7] = [
        "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcpy",
    ];

    #[test]
    fn the_routines_do_their_work() {
        for op in ALL {
            let routine = Routine::named(op).unwrap();
            for bytes in [2, 16, 62, 4098, 64 << 10] {
                let mut blocks = Blocks::of(routine, bytes, 64, Place::Apart(0)).unwrap();
                blocks.prove().unwrap();
                assert_eq!(blocks.counted(), bytes, "{op}");
            }
        }
        assert!(Routine::named("memfrob").is_err());
        // The smallest text is its end alone.
        for op in ["memchr", "strlen", "memset"] {
            let routine = Routine::named(op).unwrap();
            let mut blocks = Blocks::of(routine, 1, 64, Place::Apart(0)).unwrap();
            blocks.prove().unwrap();
        }
    }

    #[test]
    fn the_distance_is_exact() {
        let routine = Routine::named("memcpy").unwrap();
        for (offset, distance) in [(0, 0), (64, 16), (4032, 64), (4032, 2048), (2112, 32)] {
            let mut blocks = Blocks::of(routine, 8 << 10, offset, Place::Apart(distance)).unwrap();
            let [to, from] = blocks.ends().map(|at| at.addr());
            assert_eq!(to.wrapping_sub(from) % PAGE, distance);
            assert!(to.abs_diff(from) >= 4 << 10, "no overlap");
            blocks.prove().unwrap();
        }
    }

    #[test]
    fn overlapping_blocks_move_whole() {
        let routine = Routine::named("memmove").unwrap();
        for (place, above) in [(Place::Above, true), (Place::Below, false)] {
            let mut blocks = Blocks::of(routine, 8 << 10, 64, place).unwrap();
            let [to, from] = blocks.ends().map(|at| at.addr());
            assert_eq!(to > from, above);
            assert_eq!(to.abs_diff(from), SHIFT);
            assert_eq!(blocks.counted(), 8 << 10);
            blocks.prove().unwrap();
            assert!(Blocks::of(routine, 2 * SHIFT, 64, place).is_err());
        }
    }

    #[test]
    fn a_routine_that_does_nothing_is_refused() {
        unsafe extern "C" fn no_copy(to: *mut c_void, _: *const c_void, _: usize) -> *mut c_void {
            to
        }
        unsafe extern "C" fn no_fill(to: *mut c_void, _: c_int, _: usize) -> *mut c_void {
            to
        }
        unsafe extern "C" fn all_equal(_: *const c_void, _: *const c_void, _: usize) -> c_int {
            0
        }
        unsafe extern "C" fn at_once(at: *const c_void, _: c_int, _: usize) -> *mut c_void {
            at.cast_mut()
        }
        unsafe extern "C" fn no_length(_: *const c_char) -> usize {
            0
        }
        unsafe extern "C" fn no_text(to: *mut c_char, _: *const c_char) -> *mut c_char {
            to
        }
        for idle in [
            Routine::Copy(no_copy),
            Routine::Fill(no_fill),
            Routine::Compare(all_equal),
            Routine::Find(at_once),
            Routine::Length(no_length),
            Routine::CopyText(no_text),
        ] {
            let mut blocks = Blocks::of(idle, 16 << 10, 0, Place::Apart(0)).unwrap();
            assert!(blocks.prove().is_err(), "{idle:?}");
        }
        for place in [Place::Above, Place::Below] {
            let mut blocks = Blocks::of(Routine::Copy(no_copy), 16 << 10, 0, place).unwrap();
            assert!(blocks.prove().is_err(), "{place:?}");
        }
    }
}
