//! Every mix reads all of its block and writes the lines that it should, and no other.

use super::*;

#[repr(align(64))]
#[derive(Clone)]
struct Lines([u8; GRAIN]);

const FILL: u64 = 0x0123_4567_89ab_cdef;

fn block(grains: usize) -> Vec<Lines> {
    let mut seed = 7_u64;
    let mut block = vec![Lines([0; GRAIN]); grains];
    for byte in block.iter_mut().flat_map(|lines| &mut lines.0) {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *byte = (seed >> 56) as u8;
    }
    block
}

fn bytes(block: &[Lines]) -> Vec<u8> {
    block.iter().flat_map(|lines| lines.0).collect()
}

#[test]
fn every_mix_reads_all_and_writes_its_lines() {
    for reads in [1, 2, 3] {
        let all = shapes(reads);
        assert!(!all.is_empty());
        for shape in all
            .into_iter()
            .chain(portable::MIXES.iter().filter(|s| s.reads == reads))
        {
            // One grain more than is told, to see that it stays as it was.
            let mut memory = block(6);
            let before = bytes(&memory);
            // SAFETY: five of six grains, ours alone.
            let sum = unsafe { shape.run(memory.as_mut_ptr().cast(), 5 * GRAIN, 1, FILL) };
            let words = before[..5 * GRAIN]
                .chunks(8)
                .map(|w| u64::from_ne_bytes(w.try_into().unwrap()));
            assert_eq!(sum, words.fold(0, u64::wrapping_add), "{shape:?}");
            for (i, (old, new)) in before
                .chunks(LINE)
                .zip(bytes(&memory).chunks(LINE))
                .enumerate()
            {
                if i < 5 * GRAIN / LINE && i.is_multiple_of(reads as usize) {
                    assert!(
                        new.chunks(8).all(|w| w == FILL.to_ne_bytes()),
                        "{shape:?} line {i}"
                    );
                } else {
                    assert_eq!(old, new, "{shape:?} line {i}");
                }
            }
            assert_eq!(
                shape.counted(6 * LINE),
                6 * LINE + 6 * LINE / reads as usize
            );
        }
    }
}

#[test]
fn every_pass_counts() {
    for shape in [1, 2, 3].into_iter().flat_map(shapes) {
        let mut memory = block(2);
        let at = memory.as_mut_ptr().cast();
        // SAFETY: two grains, ours alone. The first pass makes later ones alike.
        unsafe {
            shape.run(at, 2 * GRAIN, 1, FILL);
            let one = shape.run(at, 2 * GRAIN, 1, FILL);
            assert_eq!(
                shape.run(at, 2 * GRAIN, 3, FILL),
                one.wrapping_mul(3),
                "{shape:?}"
            );
            assert_eq!(shape.run(at, 2 * GRAIN, 0, FILL), 0);
        }
    }
}
