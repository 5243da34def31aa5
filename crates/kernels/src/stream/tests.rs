//! Every shape computes what the portable loop does: in all of its array, and nowhere else.

use super::*;

/// Words of canaries on both sides of an array: a grain.
const GUARD: usize = GRAIN / 8;
const CANARY: u64 = 0xc3c3_c3c3_c3c3_c3c3;

/// An array of `words` words, aligned, between canaries.
struct Array {
    memory: Vec<u64>,
    start: usize,
    words: usize,
}

impl Array {
    fn new(words: usize, element: Element, seed: u64) -> Array {
        let memory = vec![CANARY; words + 3 * GUARD];
        let from = memory.as_ptr().addr();
        let start = (from + 8 * GUARD).next_multiple_of(ALIGN);
        let mut array = Array {
            memory,
            start: (start - from) / 8,
            words,
        };
        for i in 0..words {
            let value = seed * 1_000 + i as u64;
            array.inside()[i] = match element {
                Element::Int => value,
                // Whole numbers, whose sums are exact in any order.
                Element::Double => (value as f64).to_bits(),
            };
        }
        array
    }

    fn inside(&mut self) -> &mut [u64] {
        &mut self.memory[self.start..self.start + self.words]
    }

    fn pointer(&mut self) -> *mut u8 {
        self.inside().as_mut_ptr().cast()
    }

    fn canaries_live(&self) -> bool {
        let (before, rest) = self.memory.split_at(self.start);
        before
            .iter()
            .chain(&rest[self.words..])
            .all(|&w| w == CANARY)
    }
}

/// What `shape` leaves of `a`, and its sum.
fn run(shape: &Shape, words: usize, passes: u64) -> (Vec<u64>, u64) {
    let mut arrays = [1, 2, 3].map(|seed| Array::new(words, shape.element, seed));
    let untouched = [2, 3].map(|seed| Array::new(words, shape.element, seed).inside().to_vec());
    let [a, b, c] = &mut arrays;
    let pointers = Arrays {
        a: a.pointer(),
        b: b.pointer(),
        c: c.pointer(),
        bytes: 8 * words,
    };
    // SAFETY: three arrays of that length, ours alone.
    let sum = unsafe { shape.run(&pointers, passes) };
    assert!(
        [&*a, b, c].iter().all(|array| array.canaries_live()),
        "{shape:?}"
    );
    assert_eq!(
        [b.inside(), c.inside()],
        untouched,
        "{shape:?} changed what it reads"
    );
    (a.inside().to_vec(), sum)
}

fn every(element: Element) -> impl Iterator<Item = (&'static Shape, &'static Shape)> {
    let portable = match element {
        Element::Int => portable::INT,
        Element::Double => portable::DOUBLE,
    };
    portable.iter().flat_map(move |plain| {
        shapes(plain.op, element)
            .into_iter()
            .map(move |shape| (shape, plain))
    })
}

#[test]
fn every_shape_gives_what_the_portable_one_does() {
    for (shape, plain) in every(Element::Int).chain(every(Element::Double)) {
        for words in [GUARD, 3 * GUARD, 65 * GUARD] {
            for passes in [1, 3] {
                let expected = run(plain, words, passes);
                assert_eq!(
                    run(shape, words, passes),
                    expected,
                    "{shape:?} {words} x{passes}"
                );
            }
        }
    }
}

#[test]
fn the_portable_one_gives_what_stream_defines() {
    for plain in portable::DOUBLE {
        let (a, sum) = run(plain, GUARD, 1);
        for (i, &bits) in a.iter().enumerate() {
            let [x, y, z] = [1, 2, 3].map(|seed| f64::from(seed) * 1e3 + i as f64);
            let expected = match plain.op {
                Op::Copy => y,
                Op::Scale => 3.0 * y,
                Op::Add => y + z,
                Op::Triad => y + 3.0 * z,
                Op::Fill => 3.0,
                Op::Daxpy => x + 3.0 * y,
                Op::Sum => x,
            };
            assert_eq!(f64::from_bits(bits), expected, "{plain:?}");
        }
        let total: f64 = (0..GUARD).map(|i| 2e3 + i as f64).sum();
        let expected = if plain.op == Op::Sum { total } else { 0.0 };
        assert_eq!(f64::from_bits(sum), expected);
    }
}

#[test]
fn every_operation_has_shapes_of_distinct_names() {
    for op in Op::ALL {
        let mut names: Vec<_> = shapes(op, Element::Double).iter().map(|s| s.name).collect();
        assert!(!names.is_empty());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), shapes(op, Element::Double).len(), "{op:?}");
        assert!(op.counted() >= op.arrays());
    }
}
