//! Guards: an impossible value is a defect of the probe, not a result.
//!
//! Each guard catches a defect found in a published benchmark: reading memory that was never
//! written (every page is the kernel's shared zero page), traversing half of the buffer, a loop
//! that the compiler removed, counting bytes that were not touched, a millisecond clock.
#![allow(unsafe_code)]

use whyslow_kernels::bandwidth::{Op, Shape};
use whyslow_linux::smaps::anonymous_huge_at;
use whyslow_model::Unit;

use crate::stop::Stop;

/// What of a value is impossible, and so an error of the probe and no result: what is faster than can be. However
/// slow a value is, it is a finding: of a tracer, a starved guest, a disk in the way.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The fastest that can be: the least core cycles for times, and the most of a rate, in its unit.
    pub fastest: f64,
}

/// Headroom over a limit derived from the core clock: the clock is measured once on one CPU, and
/// boost varies.
const HEADROOM: f64 = 1.10;

/// Refuses a value that cannot be: faster than `bounds`, nothing, below zero, or no number. `ghz` turns cycles into
/// a time. What is merely slow is believed.
///
/// # Errors
/// When the value is impossible.
pub fn believable(value: f64, unit: Unit, bounds: &Bounds, ghz: f64) -> Result<(), Stop> {
    let (possible, limit) = match unit {
        Unit::Ns => {
            let least = bounds.fastest / (ghz * HEADROOM);
            (value > 0.0 && value >= least, least)
        }
        Unit::GbPerS | Unit::Ghz => (value > 0.0 && value <= bounds.fastest, bounds.fastest),
        // Amounts may be zero, and there is no fast or slow of them.
        Unit::Bytes | Unit::Count => (value >= 0.0, 0.0),
    };
    if value.is_finite() && possible {
        return Ok(());
    }
    Err(Stop::Refused(format!(
        "{value:.4} {symbol} is not believable (the fastest that can be is {limit:.4} {symbol}); the probe is at fault",
        symbol = unit.symbol(),
    )))
}

/// Refuses a bandwidth above the port limit of the core: bytes per cycle times the clock, for each
/// of `threads`.
///
/// # Errors
/// When the bandwidth is impossible.
pub fn port_limit(
    gb_per_s: f64,
    bytes_per_cycle: u32,
    ghz: f64,
    threads: usize,
) -> Result<(), Stop> {
    let limit = f64::from(bytes_per_cycle) * ghz * HEADROOM * threads as f64;
    if gb_per_s <= limit {
        return Ok(());
    }
    Err(Stop::Refused(format!(
        "{gb_per_s:.1} GB/s is more than {threads} core(s) can move ({limit:.1} GB/s at {ghz:.2} GHz); \
         the probe counts bytes that it does not touch"
    )))
}

/// Refuses a batch that is too short for the clock.
///
/// # Errors
/// When the batch is shorter than 1,000 steps of the clock.
pub fn batch_long_enough(ns: f64, resolution_ns: f64) -> Result<(), Stop> {
    if ns >= crate::clock::STEPS_A_BATCH * resolution_ns {
        return Ok(());
    }
    Err(Stop::Short(format!(
        "a batch of {ns:.0} ns is under 1,000 steps of the clock ({resolution_ns:.0} ns each)"
    )))
}

/// Refuses memory that was never written: a page whose first words are all zero.
///
/// # Errors
/// When such a page is found.
pub fn written(memory: &[u8]) -> Result<(), Stop> {
    for (page, bytes) in memory.chunks(4096).enumerate() {
        if bytes.iter().take(64).all(|&b| b == 0) {
            return Err(Stop::Refused(format!(
                "page {page} of the buffer was never written; reading it reads the kernel's zero page"
            )));
        }
    }
    Ok(())
}

/// Refuses `len` bytes at `address` that are not resident, by `mincore`. Touches nothing there.
///
/// # Errors
/// When a page is missing, for example swapped out or never touched.
pub fn resident(address: usize, len: usize) -> Result<(), Stop> {
    let page = rustix::param::page_size();
    let base = address & !(page - 1);
    let span = address + len - base;
    let mut map = vec![0u8; span.div_ceil(page)];
    let at = std::ptr::without_provenance_mut(base);
    // SAFETY: `map` has a byte for each page of the span, whose memory the call neither reads nor writes.
    if unsafe { libc::mincore(at, span, map.as_mut_ptr()) } != 0 {
        // Without mincore (kernel or seccomp filter) this guard is skipped.
        return Ok(());
    }
    match map.iter().filter(|&&b| b & 1 == 0).count() {
        0 => Ok(()),
        missing => Err(Stop::Unavailable(format!(
            "{missing} of {} pages of the buffer are not in memory (swapped out, or the limit is too low)",
            map.len()
        ))),
    }
}

/// Refuses a buffer of `len` bytes at `address` that is not on transparent huge pages although they were requested.
///
/// # Errors
/// When the kernel granted fewer huge pages than the buffer needs, or does not report them.
pub fn huge(address: usize, len: usize) -> Result<(), Stop> {
    let granted = anonymous_huge_at(address);
    match granted.map_err(|e| Stop::unavailable("/proc/self/smaps", e))? {
        Some(bytes) if bytes >= len as u64 => Ok(()),
        Some(bytes) => Err(Stop::Unavailable(format!(
            "the kernel put {} of {} on transparent huge pages",
            whyslow_model::size::format(bytes),
            whyslow_model::size::format(len as u64),
        ))),
        None => Err(Stop::Unavailable(
            "the kernel does not report which pages are huge".into(),
        )),
    }
}

/// The result of one pass of a shape, for [`covers`].
#[derive(Debug)]
pub struct Pass<'a> {
    /// The return value of the pass.
    pub checksum: u64,
    /// The source memory.
    pub source: &'a [u8],
    /// The destination memory, afterwards.
    pub destination: &'a [u8],
}

/// The word that the pass must write: no byte is zero, and all are equal because string
/// instructions store bytes.
pub const FILL: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// Verifies with one pass that a shape touches every byte it is credited with, and that the bytes
/// it reads were written first.
///
/// # Errors
/// When the checksum of a read, or the memory after a write or copy, is wrong.
pub fn covers(shape: &Shape, pass: &Pass<'_>) -> Result<(), Stop> {
    let refuse = |what: &str| Err(Stop::Refused(format!("shape {} {what}", shape.name)));
    if shape.op != Op::Write {
        written(pass.source)?;
    }
    match shape.op {
        Op::Read if pass.checksum != shape.expected_checksum(pass.source, 1) => {
            refuse("does not read every byte that it is credited with")
        }
        Op::Write if pass.destination.iter().any(|&b| b != FILL as u8) => {
            refuse("does not write every byte that it is credited with")
        }
        Op::Copy if pass.destination != pass.source => {
            refuse("does not copy every byte that it is credited with")
        }
        _ => Ok(()),
    }
}
