//! Every shape does what it says: all of the block, and nothing beside it.

use super::*;

const CANARY: u8 = 0xc3;

/// Aligned memory with at least one grain of canaries before and after the block.
struct Block {
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Block {
    fn new(bytes: usize) -> Self {
        let memory = vec![CANARY; bytes + 2 * GRAIN + ALIGN];
        let start = GRAIN + (memory.as_ptr().addr() + GRAIN).wrapping_neg() % ALIGN;
        Self {
            memory,
            start,
            bytes,
        }
    }

    /// Bytes of a multiplicative generator: no two words alike, no symmetry to hide in.
    fn random(bytes: usize, seed: u64) -> Self {
        let mut block = Self::new(bytes);
        let mut state = seed | 1;
        for byte in block.inside() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *byte = (state >> 56) as u8;
        }
        block
    }

    fn inside(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.bytes]
    }

    fn assert_canaries(&self, shape: &Shape) {
        let (before, rest) = self.memory.split_at(self.start);
        let after = &rest[self.bytes..];
        let intact = |bytes: &[u8]| bytes.iter().all(|&b| b == CANARY);
        assert!(
            intact(before) && intact(after),
            "{shape:?} wrote outside the block"
        );
    }
}

/// One body, several bodies, more than a page.
const SIZES: [usize; 4] = [GRAIN, 3 * GRAIN, 16 * GRAIN, 129 * GRAIN];

/// The shapes of this CPU, and those of architectures without any of their own.
fn every(op: Op) -> Vec<&'static Shape> {
    let portable = match op {
        Op::Read => portable::READ,
        Op::Write => portable::WRITE,
        Op::Copy => portable::COPY,
    };
    let ours = shapes(op).into_iter().chain(historic(op));
    ours.chain(portable).collect()
}

#[test]
fn names_are_unique_and_found_again() {
    for op in [Op::Read, Op::Write, Op::Copy] {
        let all = shapes(op);
        assert!(!all.is_empty());
        for shape in &all {
            assert_eq!(
                all.iter().filter(|s| s.name == shape.name).count(),
                1,
                "{shape:?}"
            );
            assert!(super::shape(op, shape.name).is_some_and(|s| std::ptr::eq(s, *shape)));
            assert_eq!(shape.op, op);
        }
        assert!(super::shape(op, "none of these").is_none());
    }
}

#[test]
fn reads_cover_every_byte() {
    for shape in every(Op::Read) {
        for bytes in SIZES {
            let mut block = Block::random(bytes, bytes as u64);
            for passes in [1, 2, 3] {
                let src = block.inside().as_ptr();
                // SAFETY: the block is ours; a read does not touch the destination.
                let sum = unsafe { shape.run(std::ptr::null_mut(), src, bytes, passes, 0) };
                assert_eq!(
                    sum,
                    shape.expected_checksum(block.inside(), passes),
                    "{shape:?}"
                );
            }
            block.assert_canaries(shape);
        }
    }
}

#[test]
fn a_changed_bit_changes_the_checksum() {
    for shape in every(Op::Read).into_iter().filter(|s| s.name != "x87") {
        let mut block = Block::random(4 * GRAIN, 7);
        let before = shape.expected_checksum(block.inside(), 1);
        for bit in (0..8 * block.bytes).step_by(997) {
            block.inside()[bit / 8] ^= 1 << (bit % 8);
            let src = block.inside().as_ptr();
            // SAFETY: as above.
            let sum = unsafe { shape.run(std::ptr::null_mut(), src, 4 * GRAIN, 1, 0) };
            assert_ne!(sum, before, "{shape:?} did not see bit {bit}");
            block.inside()[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn writes_fill_the_block_and_nothing_else() {
    const FILL: u64 = 0x0123_4567_89ab_cdef;
    for shape in every(Op::Write) {
        let pattern = match shape.name {
            "rep-stosb" => [FILL as u8; 8],
            _ => FILL.to_ne_bytes(),
        };
        for bytes in SIZES {
            let mut block = Block::random(bytes, 3);
            let dst = block.inside().as_mut_ptr();
            // SAFETY: the block is ours; a write does not touch the source.
            let result = unsafe { shape.run(dst, std::ptr::null(), bytes, 2, FILL) };
            assert_eq!(result, 0);
            assert!(
                block.inside().chunks(8).all(|word| word == pattern),
                "{shape:?}"
            );
            block.assert_canaries(shape);
        }
    }
}

#[test]
fn copies_make_the_blocks_equal() {
    for shape in every(Op::Copy) {
        for bytes in SIZES {
            let mut source = Block::random(bytes, 11);
            let mut target = Block::random(bytes, 12);
            let kept = source.inside().to_vec();
            assert_ne!(target.inside(), kept);
            let (dst, src) = (target.inside().as_mut_ptr(), source.inside().as_ptr());
            // SAFETY: both blocks are ours and apart.
            unsafe { shape.run(dst, src, bytes, 2, 0) };
            assert_eq!(target.inside(), kept, "{shape:?}");
            assert_eq!(source.inside(), kept, "{shape:?} changed its source");
            target.assert_canaries(shape);
            source.assert_canaries(shape);
        }
    }
}

#[test]
fn no_passes_touch_nothing() {
    for shape in every(Op::Write) {
        let mut block = Block::new(GRAIN);
        let dst = block.inside().as_mut_ptr();
        // SAFETY: the block is ours.
        unsafe { shape.run(dst, std::ptr::null(), GRAIN, 0, 1) };
        assert!(block.inside().iter().all(|&b| b == CANARY), "{shape:?}");
    }
}

#[test]
#[should_panic(expected = "not a multiple")]
fn an_odd_size_is_refused() {
    let mut block = Block::new(2 * GRAIN);
    let src = block.inside().as_ptr();
    // SAFETY: refused before anything is read.
    unsafe { shapes(Op::Read)[0].run(std::ptr::null_mut(), src, GRAIN + 64, 1, 0) };
}

#[test]
#[should_panic(expected = "source not aligned")]
fn an_odd_address_is_refused() {
    let mut block = Block::new(2 * GRAIN);
    let src = block.inside()[8..].as_ptr();
    // SAFETY: refused before anything is read.
    unsafe { shapes(Op::Read)[0].run(std::ptr::null_mut(), src, GRAIN, 1, 0) };
}

#[test]
fn every_operation_has_a_limit() {
    for op in [Op::Read, Op::Write, Op::Copy] {
        let limits = || shapes(op).into_iter().map(Shape::bytes_per_cycle_limit);
        assert!(limits().flatten().max().is_some(), "{op:?}");
        assert!(limits().flatten().all(|limit| limit >= 8), "{op:?}");
    }
    for shape in shapes(Op::Write) {
        let unlimited = shape.non_temporal || shape.name.starts_with("rep-");
        assert_eq!(
            shape.bytes_per_cycle_limit().is_none(),
            unlimited,
            "{shape:?}"
        );
    }
}
