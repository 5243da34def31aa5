//! Which file's code a call comes from.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::classes::{NAME, NO_FILE, OTHERS, Object, Table};
use super::maps::{Finder, Step};
use super::sys;

/// Where the callers of the last pages of code stand: the page's number and the caller.
static KNOWN: [AtomicU64; 64] = [const { AtomicU64::new(u64::MAX) }; 64];

/// How often the kernel was asked.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// More often than this the kernel is not asked: a program that makes code would wait for it all the time.
const MOST: u64 = 2000;

/// Bits of a caller's number.
const BITS: u32 = 8;

/// The caller's number, by an address in its code.
#[inline(always)]
pub(crate) fn object(table: &Table, address: usize) -> usize {
    let page = address as u64 >> 12;
    let place = &KNOWN[page as usize % KNOWN.len()];
    let known = place.load(Relaxed);
    if known >> BITS == page {
        return known as usize & ((1 << BITS) - 1);
    }
    let found = find(table, address as u64);
    place.store(page << BITS | found as u64, Relaxed);
    found
}

#[cold]
fn find(table: &Table, address: u64) -> usize {
    let within = |object: &Object| {
        let end = object.end.load(Acquire);
        address < end && object.start.load(Relaxed) <= address
    };
    match table.objects.iter().position(within) {
        Some(known) => known,
        None => ask(table, address).unwrap_or(OTHERS),
    }
}

/// Asks the kernel, and keeps the answer. Two threads that ask at once keep it twice, which the launcher adds up.
fn ask(table: &Table, address: u64) -> Option<usize> {
    let taken = table.taken.load(Relaxed) as usize;
    if taken >= NO_FILE || ASKED.fetch_add(1, Relaxed) >= MOST {
        return None;
    }
    // First its size: what has no name takes no place.
    let mut length: usize = 0;
    read(address, |_| length += 1)?;
    if length == 0 {
        return Some(NO_FILE);
    }
    let own = table.taken.fetch_add(1, Relaxed) as usize;
    if own >= NO_FILE {
        return None;
    }
    let object = table.objects.get(own)?;
    // Of a long path the end.
    let skip = length.saturating_sub(NAME);
    let mut at = 0;
    let found = read(address, |byte| {
        if let Some(to) = (at >= skip).then(|| object.name.get(at - skip)).flatten() {
            to.store(byte, Relaxed);
        }
        at += 1;
    })?;
    object.length.store((length - skip) as u64, Relaxed);
    object.start.store(found.start, Relaxed);
    object.end.store(found.end, Release);
    Some(own)
}

/// Reads the mapping of the address, and hands on the bytes of its path.
fn read(address: u64, mut path: impl FnMut(u8)) -> Option<Finder> {
    // SAFETY: a literal that ends with NUL.
    let file = unsafe { sys::open(c"/proc/self/maps".as_ptr(), sys::OPEN_READ) }?;
    let mut finder = Finder::new(address);
    // Not filled: a fill would be counted in turn. The stack of a signal handler may be small.
    let mut piece: MaybeUninit<[u8; 512]> = MaybeUninit::uninit();
    let start = piece.as_mut_ptr().cast::<u8>();
    let mut found = false;
    'text: loop {
        // SAFETY: the kernel writes at most so many bytes.
        let got = unsafe { sys::call(sys::READ, [file, start as usize, 512, 0, 0, 0]) };
        let Some(got) = usize::try_from(got).ok().filter(|got| *got > 0) else {
            break;
        };
        for at in 0..got {
            // SAFETY: within what the kernel has written.
            match finder.take(unsafe { start.add(at).read() }) {
                Step::More => {}
                Step::Path(byte) => path(byte),
                Step::Found => {
                    found = true;
                    break 'text;
                }
            }
        }
    }
    sys::close(file);
    found.then_some(finder)
}
