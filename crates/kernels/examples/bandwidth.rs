//! Bandwidth of every shape of this CPU at one size: the tool with which the loops are tuned.
//!
//! ```text
//! cargo run --release -p whyslow-kernels --example bandwidth -- OP SIZE THREADS [OPTION=N ...]
//!   OP      read, write or copy
//!   SIZE    bytes per thread, with k, m or g for powers of 1024; a copy splits it in two halves
//!   batches=40   timed batches a shape, in turn with those of the other shapes
//!   ms=2         least duration of a batch
//!   shape=NAME   only this shape (may be given again for another)
//!   offset=0     bytes between the end of the source and the destination of a copy
//!   fill=N       the 64-bit word that memory holds and that is written (not 0 unless told), or
//!                `random` for memory full of different ones; why it matters is told in
//!                `whyslow_kernels::bandwidth`
//! ```
//!
//! One line a shape: median and best GB/s (10^9 bytes, all threads, a copy counted as read plus
//! written). Threads are pinned to the allowed CPUs in turn.
#![allow(unsafe_code, clippy::print_stdout)]

use std::error::Error;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{io, mem, ptr, thread};
use whyslow_kernels::bandwidth::{self, GRAIN, Op, PATTERN, Shape};

struct Plan {
    shapes: Vec<&'static Shape>,
    op: Op,
    size: usize,
    offset: usize,
    fill: Option<u64>,
    batches: u64,
    batch: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [op, size, threads, options @ ..] = args.as_slice() else {
        return Err("OP SIZE THREADS, please; see the head of the source".into());
    };
    let op = match op.as_str() {
        "read" => Op::Read,
        "write" => Op::Write,
        "copy" => Op::Copy,
        other => return Err(format!("{other}: not read, write or copy").into()),
    };
    let mut plan = Plan {
        shapes: bandwidth::shapes(op),
        op,
        size: bytes(size)?,
        offset: 0,
        fill: Some(PATTERN),
        batches: 40,
        batch: Duration::from_millis(2),
    };
    let mut chosen = Vec::new();
    for option in options {
        match option.split_once('=') {
            Some(("batches", n)) => plan.batches = n.parse()?,
            Some(("ms", n)) => plan.batch = Duration::from_millis(n.parse()?),
            Some(("fill", "random")) => plan.fill = None,
            Some(("fill", n)) => plan.fill = Some(n.parse()?),
            Some(("shape", name)) => {
                chosen.push(bandwidth::shape(op, name).ok_or("no such shape here")?);
            }
            Some(("offset", n)) => plan.offset = bytes(n)?,
            _ => return Err(format!("{option}: not an option").into()),
        }
    }
    if !chosen.is_empty() {
        plan.shapes = chosen;
    }
    let threads: usize = threads.parse()?;
    let block = plan.size / if op == Op::Copy { 2 } else { 1 };
    if block == 0 || !block.is_multiple_of(GRAIN) || threads == 0 {
        return Err(format!("blocks of a multiple of {GRAIN} bytes, at least one thread").into());
    }

    let passes: Vec<AtomicU64> = plan.shapes.iter().map(|_| AtomicU64::new(0)).collect();
    let barrier = Barrier::new(threads);
    let rates = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|i| {
                let (plan, passes, barrier) = (&plan, &passes, &barrier);
                scope.spawn(move || worker(i, plan, block, passes, barrier))
            })
            .collect();
        workers
            .into_iter()
            .map(|w| w.join().map_err(|_| io::Error::other("a thread failed"))?)
            .collect::<Result<Vec<_>, io::Error>>()
    })?;
    for (i, shape) in plan.shapes.iter().enumerate() {
        let mut totals: Vec<f64> = (0..plan.batches as usize)
            .map(|b| rates.iter().map(|of_thread| of_thread[i][b]).sum())
            .collect();
        totals.sort_by(f64::total_cmp);
        let (median, best) = (totals[totals.len() / 2], totals[totals.len() - 1]);
        println!("{:<22} {median:8.1} {best:8.1}", shape.name);
    }
    Ok(())
}

fn bytes(text: &str) -> Result<usize, std::num::ParseIntError> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 10),
        Some(b'm') => (&text[..text.len() - 1], 20),
        Some(b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    Ok(digits.parse::<usize>()? << shift)
}

/// GB/s by shape and batch of one thread.
fn worker(
    index: usize,
    plan: &Plan,
    block: usize,
    passes: &[AtomicU64],
    barrier: &Barrier,
) -> io::Result<Vec<Vec<f64>>> {
    pin(index)?;
    let source = map(plan.size + plan.offset, plan.fill)?;
    let copied = if plan.op == Op::Copy {
        block + plan.offset
    } else {
        0
    };
    let fill = plan.fill.unwrap_or(PATTERN);
    let run = |shape: &Shape, passes| {
        let start = Instant::now();
        // SAFETY: both blocks lie in the mapping, do not overlap, and are not used elsewhere.
        unsafe { shape.run(source.add(copied), source, block, passes, fill) };
        start.elapsed()
    };
    if index == 0 {
        for (shape, passes) in plan.shapes.iter().zip(passes) {
            let mut n = 1;
            while run(shape, n) < plan.batch {
                n *= 2;
            }
            passes.store(n, Ordering::Relaxed);
        }
    }
    let mut rates = vec![Vec::new(); plan.shapes.len()];
    for _ in 0..plan.batches {
        for (i, shape) in plan.shapes.iter().enumerate() {
            barrier.wait();
            let n = passes[i].load(Ordering::Relaxed);
            let took = run(shape, n).as_secs_f64();
            rates[i].push((plan.size as u64 * n) as f64 / took / 1e9);
        }
    }
    Ok(rates)
}

/// Anonymous memory full of `fill`, or of numbers that do not repeat.
fn map(bytes: usize, fill: Option<u64>) -> io::Result<*mut u8> {
    // SAFETY: a new private mapping.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let mut word = fill.unwrap_or(PATTERN);
    for i in 0..bytes / 8 {
        // SAFETY: all of it is ours.
        unsafe { at.cast::<u64>().add(i).write(word) };
        if fill.is_none() {
            // The multiplier of Knuth's MMIX generator: a full period modulo 2^64.
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        }
    }
    Ok(at.cast())
}

/// Keeps this thread on the allowed CPU number `index`, counted round.
fn pin(index: usize) -> io::Result<()> {
    // SAFETY: a set of CPUs is plain bits; the calls get its true size.
    unsafe {
        let mut allowed: libc::cpu_set_t = mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        if libc::sched_getaffinity(0, size, &mut allowed) != 0 {
            return Err(io::Error::last_os_error());
        }
        let cpus: Vec<usize> = (0..libc::CPU_SETSIZE as usize)
            .filter(|&cpu| libc::CPU_ISSET(cpu, &allowed))
            .collect();
        let mut own: libc::cpu_set_t = mem::zeroed();
        libc::CPU_SET(cpus[index % cpus.len()], &mut own);
        if libc::sched_setaffinity(0, size, &own) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
