//! STREAM's loops as the compiler makes them, over volatile accesses.

use super::{Element, Op, Q, Shape, add_up, shape};

/// Partial sums, so that additions need not wait for each other.
const SUMS: usize = 8;

unsafe fn double<const OP: usize>(
    a: *mut u8,
    b: *const u8,
    c: *const u8,
    bytes: usize,
    passes: u64,
) -> u64 {
    let (a, b, c) = (a.cast::<f64>(), b.cast::<f64>(), c.cast::<f64>());
    let q = Q as f64;
    let mut sums = [0.0; SUMS];
    for _ in 0..passes {
        for i in 0..bytes / 8 {
            // SAFETY: inside the arrays that the caller of `Shape::run` vouches for.
            unsafe {
                let b = |i| b.add(i).read_volatile();
                let c = |i| c.add(i).read_volatile();
                let value = match Op::ALL[OP] {
                    Op::Copy => b(i),
                    Op::Scale => b(i) * q,
                    Op::Add => b(i) + c(i),
                    Op::Triad => c(i) * q + b(i),
                    Op::Fill => q,
                    Op::Daxpy => b(i) * q + a.add(i).read_volatile(),
                    Op::Sum => {
                        sums[i % SUMS] += b(i);
                        continue;
                    }
                };
                a.add(i).write_volatile(value);
            }
        }
    }
    add_up(&sums)
}

unsafe fn int<const OP: usize>(
    a: *mut u8,
    b: *const u8,
    c: *const u8,
    bytes: usize,
    passes: u64,
) -> u64 {
    let (a, b, c) = (a.cast::<u64>(), b.cast::<u64>(), c.cast::<u64>());
    for _ in 0..passes {
        for i in 0..bytes / 8 {
            // SAFETY: as above.
            unsafe {
                let b = b.add(i).read_volatile();
                let c = |i| c.add(i).read_volatile();
                let value = match Op::ALL[OP] {
                    Op::Copy => b,
                    Op::Scale => b.wrapping_mul(Q),
                    Op::Add => b.wrapping_add(c(i)),
                    _ => c(i).wrapping_mul(Q).wrapping_add(b),
                };
                a.add(i).write_volatile(value);
            }
        }
    }
    0
}

const fn of(element: Element, op: Op, kernel: super::Kernel) -> Shape {
    shape(element, op, ("portable", 8, false), || true, kernel)
}

pub(super) static DOUBLE: &[Shape] = &[
    of(Element::Double, Op::Copy, double::<0>),
    of(Element::Double, Op::Scale, double::<1>),
    of(Element::Double, Op::Add, double::<2>),
    of(Element::Double, Op::Triad, double::<3>),
    of(Element::Double, Op::Fill, double::<4>),
    of(Element::Double, Op::Daxpy, double::<5>),
    of(Element::Double, Op::Sum, double::<6>),
];

pub(super) static INT: &[Shape] = &[
    of(Element::Int, Op::Copy, int::<0>),
    of(Element::Int, Op::Scale, int::<1>),
    of(Element::Int, Op::Add, int::<2>),
    of(Element::Int, Op::Triad, int::<3>),
];
