//! The loops on aarch64, by the bit patterns of the few instructions that they are made of.
//!
//! Every instruction is one word of 32 bits; the patterns are those of the Arm Architecture
//! Reference Manual, chapter C4.

use crate::bandwidth::{GRAIN, Op, Shape, shapes};
use std::collections::BTreeSet;

mod hardware;

/// An instruction: the word that it is, and where.
#[derive(Debug, Clone, Copy)]
struct Instruction {
    at: u64,
    word: u32,
}

/// Instructions of one kind: those that equal `bits` where `mask` has ones.
struct Pattern {
    mask: u32,
    bits: u32,
}

const fn pattern(mask: u32, bits: u32) -> Pattern {
    Pattern { mask, bits }
}

const RETURN: Pattern = pattern(u32::MAX, 0xd65f_03c0);
const SVC: Pattern = pattern(u32::MAX, 0xd400_0001);
const NOP: Pattern = pattern(u32::MAX, 0xd503_201f);
/// A barrier that waits for stores.
const DSB_ISHST: Pattern = pattern(u32::MAX, 0xd503_3a9f);
/// `b.cond`.
const BRANCH_IF: Pattern = pattern(0xff00_0010, 0x5400_0000);
/// `subs` of a constant from 64 bits.
const COUNT_DOWN: Pattern = pattern(0xff80_0000, 0xf100_0000);
/// Loads and stores of every kind, and prefetches, which are encoded as such.
const ACCESS: Pattern = pattern(0x0a00_0000, 0x0800_0000);
/// `ldr` of 64 bits, unsigned offset.
const LOAD: Pattern = pattern(0xffc0_0000, 0xf940_0000);
/// `prfm`, unsigned offset.
const PREFETCH: Pattern = pattern(0xffc0_0000, 0xf980_0000);
/// `add` of two 64-bit registers, not shifted.
const ADD: Pattern = pattern(0xffe0_fc00, 0x8b00_0000);
/// `add` of two vectors of two 64-bit words.
const ADD_VECTOR: Pattern = pattern(0xffe0_fc00, 0x4ee0_8400);
/// `ldp`, `stp`, `ldnp` and `stnp` of 64-bit registers or 128-bit vectors, with every addressing.
const PAIR: Pattern = pattern(0xfa00_0000, 0xa800_0000);

impl Instruction {
    fn is(self, pattern: &Pattern) -> bool {
        self.word & pattern.mask == pattern.bits
    }

    /// The field of `bits` bits from bit `low`.
    fn field(self, low: u32, bits: u32) -> u32 {
        self.word >> low & ((1 << bits) - 1)
    }

    /// The register written or stored, the base or first operand, and the second operand.
    fn target(self) -> u32 {
        self.field(0, 5)
    }
    fn first(self) -> u32 {
        self.field(5, 5)
    }
    fn second(self) -> u32 {
        self.field(16, 5)
    }

    /// Where a `b.cond` leads.
    fn destination(self) -> u64 {
        // 19 bits, signed, in instructions.
        let offset = (self.word << 8) as i32 >> 13;
        self.at.wrapping_add_signed(i64::from(offset) * 4)
    }
}

/// A load or store of a pair of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    load: bool,
    non_temporal: bool,
    bytes: u32,
    base: u32,
    offset: i32,
}

fn pair(instruction: Instruction) -> Option<Pair> {
    // Bits 24 and 23: 00 with the non-temporal hint, 10 without; the others change the base.
    let kind = instruction.field(23, 2);
    if !instruction.is(&PAIR) || kind & 1 == 1 {
        return None;
    }
    let each = if instruction.field(26, 1) == 1 { 16 } else { 8 };
    // Bits 21 to 15, signed, in registers.
    let offset = (instruction.word << 10) as i32 >> 25;
    Some(Pair {
        load: instruction.field(22, 1) == 1,
        non_temporal: kind == 0,
        bytes: 2 * each,
        base: instruction.first(),
        offset: offset * each as i32,
    })
}

/// The instructions of a function, up to its return.
#[allow(unsafe_code)]
fn function(entry: *const ()) -> Vec<Instruction> {
    /// Longer than any function here, in instructions.
    const LIMIT: usize = 1 << 10;
    let mut code = Vec::new();
    for i in 0..LIMIT {
        let place = entry.cast::<u32>().wrapping_add(i);
        // SAFETY: the code of this test, which is mapped for reading, up to the return of a function.
        let word = unsafe { place.read() };
        let instruction = Instruction {
            at: place.addr() as u64,
            word: u32::from_le(word),
        };
        code.push(instruction);
        if instruction.is(&RETURN) {
            return code;
        }
    }
    panic!("no return within {LIMIT} instructions");
}

/// The measured loop of a function: the first that ends, from the target of its backward branch to
/// that branch. The loop over passes ends after it, and so does what the compiler makes of adding
/// up the sums.
fn innermost(code: &[Instruction]) -> &[Instruction] {
    let (end, branch) = code
        .iter()
        .enumerate()
        .find(|(_, i)| i.is(&BRANCH_IF) && i.destination() <= i.at)
        .expect("no loop");
    let start = code
        .iter()
        .position(|i| i.at == branch.destination())
        .expect("a branch out of the function");
    &code[start..=end]
}

fn count(code: &[Instruction], what: &Pattern) -> usize {
    code.iter().filter(|i| i.is(what)).count()
}

fn pairs(code: &[Instruction]) -> Vec<Pair> {
    code.iter().copied().filter_map(pair).collect()
}

fn all() -> impl Iterator<Item = &'static Shape> {
    [Op::Read, Op::Write, Op::Copy].into_iter().flat_map(shapes)
}

#[test]
fn bandwidth_loops_hold_their_accesses_and_little_else() {
    for shape in all() {
        let code = function(shape.entry());
        let body = innermost(&code);
        let pairs = pairs(body);
        assert!(pairs.iter().all(|p| p.bytes == shape.width), "{shape:?}");
        let offsets = |load| pairs.iter().filter(move |p| p.load == load);
        let (loads, stores) = (offsets(true).count(), offsets(false).count());
        let body_bytes = loads.max(stores) * shape.width as usize;
        assert!(
            body_bytes >= 256 && GRAIN.is_multiple_of(body_bytes),
            "{shape:?}"
        );
        match shape.op {
            Op::Read => assert_eq!(stores, 0, "{shape:?}"),
            Op::Write => assert_eq!(loads, 0, "{shape:?}"),
            Op::Copy => assert_eq!(loads, stores, "{shape:?}"),
        }
        let prefetches = count(body, &PREFETCH);
        assert_eq!(
            count(body, &ACCESS),
            pairs.len() + prefetches,
            "{shape:?}: other accesses"
        );
        // An addition for each register that a read loads.
        let additions = count(body, &ADD) + count(body, &ADD_VECTOR);
        let expected = if shape.op == Op::Read { 2 * loads } else { 0 };
        assert_eq!(additions, expected, "{shape:?}");
        // One or two pointers advanced, a comparison, the branch.
        let others = body.len() - pairs.len() - prefetches - additions;
        assert!(others <= 4, "{shape:?}: {others} others");
        assert_eq!(
            body[0].at % 64,
            0,
            "{shape:?}: the loop starts inside a line"
        );
    }
}

#[test]
fn accesses_cover_the_body_without_gaps() {
    for shape in all() {
        let code = function(shape.entry());
        let pairs = pairs(innermost(&code));
        for load in [true, false] {
            let these: Vec<_> = pairs.iter().filter(|p| p.load == load).collect();
            let bases: BTreeSet<_> = these.iter().map(|p| p.base).collect();
            assert!(bases.len() <= 1, "{shape:?}: {these:?}");
            let gapless = (0..these.len() as i32).map(|i| i * shape.width as i32);
            assert!(
                gapless.eq(these.iter().map(|p| p.offset)),
                "{shape:?}: {these:?}"
            );
        }
    }
}

#[test]
fn non_temporal_shapes_and_only_they_store_so() {
    for shape in all() {
        let code = function(shape.entry());
        for pair in pairs(innermost(&code)) {
            assert_eq!(
                pair.non_temporal,
                shape.non_temporal && !pair.load,
                "{shape:?}: {pair:?}"
            );
        }
        let fences = count(&code, &DSB_ISHST);
        assert_eq!(fences, usize::from(shape.non_temporal), "{shape:?}");
    }
}

#[test]
fn prefetching_shapes_name_each_line_once() {
    for shape in all() {
        let code = function(shape.entry());
        let body = innermost(&code);
        let bytes: u32 = pairs(body).iter().map(|p| p.bytes).sum();
        let prefetches: Vec<_> = body.iter().filter(|i| i.is(&PREFETCH)).collect();
        let lines = if shape.name.ends_with("-prefetch") {
            bytes / 64
        } else {
            0
        };
        // The offset is encoded in words of 8 bytes.
        let ahead = prefetches.iter().map(|i| 8 * i.field(10, 12));
        assert!(ahead.eq((0..lines).map(|i| 4096 + 64 * i)), "{shape:?}");
        // 1 is pldl1strm.
        assert!(prefetches.iter().all(|i| i.target() == 1), "{shape:?}");
    }
}

/// A load of a register from where it points: the one instruction of a chase.
fn follows_itself(i: Instruction) -> bool {
    i.is(&LOAD) && i.target() == i.first() && i.field(10, 12) == 0
}

/// The counter and the branch that end a loop.
fn counts_down(end: &[Instruction]) -> bool {
    matches!(end, [count, branch] if count.is(&COUNT_DOWN) && branch.is(&BRANCH_IF))
}

#[test]
fn a_chase_is_dependent_loads_and_a_counter() {
    let code = function(crate::chase::single_entry());
    let (loads, end) = innermost(&code).split_at(crate::chase::CHASE_UNROLL as usize);
    assert!(loads.iter().all(|&i| follows_itself(i)));
    assert!(loads.iter().all(|i| i.target() == loads[0].target()));
    assert!(counts_down(end), "{end:x?}");
}

#[test]
fn many_chains_stay_in_registers() {
    for chains in 1..=crate::chase::CHAINS_MAX {
        let code = function(crate::chase::many_entry(chains));
        let steps = crate::chase::CHASE_MANY_UNROLL as usize;
        let (loads, end) = innermost(&code).split_at(chains * steps);
        assert!(loads.iter().all(|&i| follows_itself(i)), "{chains} chains");
        for step in loads.chunks(chains) {
            let registers: BTreeSet<_> = step.iter().map(|i| i.target()).collect();
            assert_eq!(registers.len(), chains);
        }
        assert!(counts_down(end), "{chains} chains: {end:x?}");
    }
}

#[test]
fn a_clock_tick_is_one_addition_of_a_register() {
    let [ops, empty, no_ops] = crate::clock::entries();
    let code = function(ops);
    let (additions, end) = innermost(&code).split_at(crate::clock::DEPENDENT_UNROLL as usize);
    let sum = additions[0].target();
    assert!(
        additions
            .iter()
            .all(|i| { i.is(&ADD) && i.target() == sum && i.first() == sum && i.second() != sum })
    );
    assert!(counts_down(end), "{end:x?}");
    assert!(counts_down(innermost(&function(empty))));
    let code = function(no_ops);
    let (nothing, end) = innermost(&code).split_at(crate::clock::NO_OPS_UNROLL as usize);
    assert!(nothing.iter().all(|i| i.is(&NOP)));
    assert!(counts_down(end), "{end:x?}");
}

#[test]
fn system_calls_are_bare_instructions() {
    for (entry, calls, others) in [
        (crate::syscalls::repeat as *const (), 1, 7),
        (crate::syscalls::open_close_loop as *const (), 2, 7),
    ] {
        let code = function(entry);
        let body = innermost(&code);
        assert_eq!(count(body, &SVC), calls);
        assert_eq!(body.len(), calls + others);
        assert_eq!(count(body, &ACCESS), 0, "no access to memory");
    }
}
