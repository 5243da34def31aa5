//! The loops of arithmetic, selections, STREAM, mixes and historic registers on x86-64.

use super::*;
use crate::ops::{CHAINS_MAX, Op as Arithmetic, Type, chains_max, steps};
use crate::{bandwidth, mix, ops, stream};

/// The instruction that an operation is, and how many others come with each.
fn typical(op: Arithmetic, ty: Type) -> (Mnemonic, usize) {
    let float = |single, double| if ty == Type::Float { single } else { double };
    match (op, ty) {
        (Arithmetic::Bit, _) => (Mnemonic::Xor, 0),
        (Arithmetic::Add, Type::Int | Type::Int64) => (Mnemonic::Add, 0),
        (Arithmetic::Mul, Type::Int | Type::Int64) => (Mnemonic::Imul, 0),
        // The dividend comes, its sign is spread, the quotient leaves.
        (Arithmetic::Div, Type::Int | Type::Int64) => (Mnemonic::Idiv, 3),
        // And the constant is added.
        (Arithmetic::Mod, _) => (Mnemonic::Idiv, 4),
        (Arithmetic::Add, _) => (float(Mnemonic::Addss, Mnemonic::Addsd), 0),
        (Arithmetic::Mul, _) => (float(Mnemonic::Mulss, Mnemonic::Mulsd), 0),
        (Arithmetic::Div, _) => (float(Mnemonic::Divss, Mnemonic::Divsd), 0),
    }
}

#[test]
fn chains_are_their_operation_and_a_counter() {
    for op in Arithmetic::ALL {
        for ty in Type::ALL.into_iter().filter(|&ty| op.exists_for(ty)) {
            for chains in 1..=chains_max(ty) {
                let code = function(ops::entry(op, ty, chains).unwrap());
                let body = innermost(&code);
                let (what, others) = typical(op, ty);
                let expected = chains * steps(chains) as usize;
                let found: Vec<_> = body.iter().filter(|i| i.mnemonic() == what).collect();
                assert_eq!(found.len(), expected, "{op:?} {ty:?} {chains}");
                assert_eq!(
                    body.len(),
                    expected * (1 + others) + 2,
                    "{op:?} {ty:?} {chains}"
                );
                // As many results as chains; a division has its own place for the result.
                if others == 0 {
                    let results: BTreeSet<_> =
                        found.iter().map(|i| i.op0_register() as u32).collect();
                    assert_eq!(results.len(), chains, "{op:?} {ty:?}");
                    assert!(found.iter().all(|i| i.op1_register() != i.op0_register()));
                }
                if chains == 1 && others == 0 {
                    let width = found[0].op0_register().size();
                    let bytes = match ty {
                        Type::Int => 4,
                        Type::Int64 => 8,
                        _ => 16,
                    };
                    assert_eq!(width, bytes, "{op:?} {ty:?}");
                }
            }
        }
    }
    assert!(Type::ALL.into_iter().all(|ty| chains_max(ty) <= CHAINS_MAX));
}

#[test]
fn stream_loops_move_what_they_are_credited_with() {
    for element in [stream::Element::Int, stream::Element::Double] {
        for op in stream::Op::ALL {
            for shape in stream::shapes(op, element) {
                let code = function(shape.entry());
                let body = innermost(&code);
                let accesses = traffic(body);
                let width = shape.width as usize;
                let (reads, writes): (Vec<_>, Vec<_>) =
                    accesses.iter().copied().partition(|a| a.0 > 0);
                assert!(
                    reads.iter().all(|&a| a == (width, 0)),
                    "{shape:?}: {accesses:?}"
                );
                assert!(
                    writes.iter().all(|&a| a == (0, width)),
                    "{shape:?}: {accesses:?}"
                );
                let arrays = (reads.len() + writes.len()) * width;
                // The body's bytes of each array: what the pointers advance by.
                let step = body
                    .iter()
                    .find(|i| i.mnemonic() == Mnemonic::Sub)
                    .map(|i| i.immediate(1) as usize)
                    .unwrap();
                assert_eq!(arrays, op.counted() * step, "{shape:?}");
                let stores = if op == stream::Op::Sum { 0 } else { step };
                assert_eq!(writes.len() * width, stores, "{shape:?}");
                let around = [Mnemonic::Movntpd, Mnemonic::Vmovntpd];
                let around: usize = around.iter().map(|&m| count(body, m)).sum();
                let expected = if shape.non_temporal { writes.len() } else { 0 };
                assert_eq!(around, expected, "{shape:?}");
                let fences = count(&code, Mnemonic::Sfence);
                assert_eq!(fences, usize::from(shape.non_temporal), "{shape:?}");
                assert_eq!(
                    body[0].ip() % 64,
                    0,
                    "{shape:?}: the loop starts inside a line"
                );
            }
        }
    }
}

#[test]
fn mixes_read_every_line_and_write_their_share() {
    for reads in [1, 2, 3] {
        for shape in mix::shapes(reads) {
            let code = function(shape.entry());
            let body = innermost(&code);
            let accesses = traffic(body);
            let width = shape.width as usize;
            let read = accesses.iter().filter(|&&a| a == (width, 0)).count() * width;
            let written = accesses.iter().filter(|&&a| a == (0, width)).count() * width;
            assert_eq!(
                (read, written),
                (mix::GRAIN, mix::GRAIN / reads as usize),
                "{shape:?}"
            );
            assert_eq!(accesses.len() * width, read + written, "{shape:?}");
            // A pointer advanced, a comparison, the branch.
            assert_eq!(body.len(), accesses.len() + 3, "{shape:?}");
        }
    }
}

#[test]
fn historic_loops_cover_their_body_once() {
    for shape in [Op::Read, Op::Write]
        .into_iter()
        .flat_map(bandwidth::historic)
    {
        let code = function(shape.entry());
        let body = innermost(&code);
        let width = shape.width as usize;
        let expected = if shape.op == Op::Read {
            (width, 0)
        } else {
            (0, width)
        };
        let places: Vec<u64> = body
            .iter()
            .filter(|i| traffic(&[**i]).contains(&expected))
            .map(|i| i.memory_displacement64())
            .collect();
        assert_eq!(
            traffic(body).len(),
            places.len(),
            "{shape:?}: other accesses"
        );
        assert_eq!(places.len() * width, 256, "{shape:?}");
        assert!(
            (0..places.len() as u64)
                .map(|i| i * width as u64)
                .eq(places),
            "{shape:?}"
        );
        let of = |what| count(body, what);
        let (typical, extra) = match (shape.name, shape.op) {
            // Each load is dropped again.
            ("x87", Op::Read) => (of(Mnemonic::Fld), of(Mnemonic::Fstp)),
            ("x87", _) => (of(Mnemonic::Fst), 0),
            ("nt-mmx", _) => (of(Mnemonic::Movntq), 0),
            ("mmx", Op::Write) => (of(Mnemonic::Movq), 0),
            _ => (of(Mnemonic::Paddq), of(Mnemonic::Prefetchnta)),
        };
        assert_eq!(typical * width, 256, "{shape:?}");
        assert_eq!(body.len(), typical + extra + 3, "{shape:?}");
        let ahead = if shape.name.ends_with("-prefetch") {
            4
        } else {
            0
        };
        assert_eq!(of(Mnemonic::Prefetchnta), ahead, "{shape:?}");
    }
}

#[test]
fn selections_are_a_branch_or_a_move_and_nothing_else() {
    use crate::select::{CONDITIONS_A_WORD, Form, entry};
    let unroll = CONDITIONS_A_WORD as usize;
    for form in Form::ALL {
        let code = function(entry(form));
        let body = innermost(&code);
        assert_eq!(traffic(body).len(), 1, "{form:?}: the word of conditions");
        let [jumps, moves] = [Mnemonic::Jae, Mnemonic::Cmovb].map(|what| count(body, what));
        let sums = count(body, Mnemonic::Add);
        // An addition moves the next condition up, one is of the address.
        let (expected, added) = match form {
            Form::Branch => ([unroll, 0], 2 * unroll + 1),
            Form::Move => ([0, unroll], unroll + 1),
        };
        assert_eq!([jumps, moves], expected, "{form:?}");
        assert_eq!(sums, added, "{form:?}");
        let padding = count(body, Mnemonic::Nop);
        assert!(padding <= 1, "{form:?}");
        // Three for each condition, the load, the address, comparison and branch.
        assert_eq!(body.len() - padding, 3 * unroll + 4, "{form:?}");
        for jump in body.iter().filter(|i| i.mnemonic() == Mnemonic::Jae) {
            // With the addition in front of it, with which a core fuses it, it lies within 32 bytes and not at their end.
            assert!(jump.next_ip() % 32 != 0 && (jump.ip() - 3) / 32 == jump.ip() / 32);
            assert!(jump.near_branch_target() > jump.ip());
        }
        for choice in body.iter().filter(|i| i.mnemonic() == Mnemonic::Cmovb) {
            assert_eq!(choice.op1_kind(), OpKind::Register);
        }
    }
}
