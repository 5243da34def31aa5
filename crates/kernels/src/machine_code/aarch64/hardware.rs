//! The loops of arithmetic, selections, STREAM, mixes and historic registers on aarch64.

use super::*;
use crate::ops::{Op as Arithmetic, Type, chains_max, steps};
use crate::{bandwidth, mix, ops, stream};

/// Register-to-register forms, apart from the register numbers.
const EOR: [Pattern; 2] = [
    pattern(0xffe0_fc00, 0x4a00_0000),
    pattern(0xffe0_fc00, 0xca00_0000),
];
const ADDS: [Pattern; 2] = [pattern(0xffe0_fc00, 0x0b00_0000), ADD];
/// `mul` is `madd` with the zero register.
const MUL: [Pattern; 2] = [
    pattern(0xffe0_fc00, 0x1b00_7c00),
    pattern(0xffe0_fc00, 0x9b00_7c00),
];
const SDIV: [Pattern; 2] = [
    pattern(0xffe0_fc00, 0x1ac0_0c00),
    pattern(0xffe0_fc00, 0x9ac0_0c00),
];
const FADD: [Pattern; 2] = [
    pattern(0xffe0_fc00, 0x1e20_2800),
    pattern(0xffe0_fc00, 0x1e60_2800),
];
const FMUL: [Pattern; 2] = [
    pattern(0xffe0_fc00, 0x1e20_0800),
    pattern(0xffe0_fc00, 0x1e60_0800),
];
const FDIV: [Pattern; 2] = [
    pattern(0xffe0_fc00, 0x1e20_1800),
    pattern(0xffe0_fc00, 0x1e60_1800),
];
/// `ldp` and `stp` of registers of every kind, with an offset.
const ANY_PAIR: Pattern = pattern(0x3b80_0000, 0x2900_0000);
/// `stnp` of two 128-bit vectors.
const AROUND: Pattern = pattern(0xffc0_0000, 0xac00_0000);

/// The instruction that an operation is, and how many others come with each.
fn typical(op: Arithmetic, ty: Type) -> (&'static Pattern, usize) {
    let wide = usize::from(matches!(ty, Type::Int64 | Type::Double));
    let float = matches!(ty, Type::Float | Type::Double);
    match op {
        Arithmetic::Bit => (&EOR[wide], 0),
        Arithmetic::Add if float => (&FADD[wide], 0),
        Arithmetic::Add => (&ADDS[wide], 0),
        Arithmetic::Mul if float => (&FMUL[wide], 0),
        Arithmetic::Mul => (&MUL[wide], 0),
        Arithmetic::Div if float => (&FDIV[wide], 0),
        Arithmetic::Div => (&SDIV[wide], 0),
        // The remainder follows from the quotient, and the constant is added.
        Arithmetic::Mod => (&SDIV[wide], 2),
    }
}

#[test]
fn chains_are_their_operation_and_a_counter() {
    for op in Arithmetic::ALL {
        for ty in Type::ALL.into_iter().filter(|&ty| op.exists_for(ty)) {
            for chains in 1..=chains_max(ty) {
                let code = function(ops::entry(op, ty, chains).unwrap());
                let (what, others) = typical(op, ty);
                let expected = chains * steps(chains) as usize;
                let (body, end) = innermost(&code).split_at(expected * (1 + others));
                assert!(counts_down(end), "{op:?} {ty:?} {chains}: {end:x?}");
                assert_eq!(count(body, what), expected, "{op:?} {ty:?} {chains}");
                if others == 0 {
                    let results: BTreeSet<_> = body.iter().map(|i| i.target()).collect();
                    assert_eq!(results.len(), chains, "{op:?} {ty:?}");
                    // Each needs what it gave before: as the first operand, or as the divisor.
                    let again =
                        |i: &Instruction| i.target() == i.first() || i.target() == i.second();
                    assert!(body.iter().all(again), "{op:?} {ty:?}");
                }
            }
        }
    }
}

#[test]
fn stream_loops_move_what_they_are_credited_with() {
    for element in [stream::Element::Int, stream::Element::Double] {
        for op in stream::Op::ALL {
            for shape in stream::shapes(op, element) {
                let code = function(shape.entry());
                let body = innermost(&code);
                let is_load = |i: &&Instruction| i.field(22, 1) == 1;
                let ordinary: Vec<_> = body.iter().filter(|i| i.is(&ANY_PAIR)).collect();
                let loads = ordinary.iter().filter(|i| is_load(i)).count();
                let around = count(body, &AROUND);
                let stores = ordinary.len() - loads + around;
                assert_eq!(
                    count(body, &ACCESS),
                    loads + stores,
                    "{shape:?}: other accesses"
                );
                assert_eq!(
                    around,
                    if shape.non_temporal { stores } else { 0 },
                    "{shape:?}"
                );
                // Four pairs a turn of every array that the operation reads or writes.
                assert_eq!(loads + stores, 4 * op.counted(), "{shape:?}");
                let written = if op == stream::Op::Sum { 0 } else { 4 };
                assert_eq!(stores, written, "{shape:?}");
                let fences = count(&code, &DSB_ISHST);
                assert_eq!(fences, usize::from(shape.non_temporal), "{shape:?}");
            }
        }
    }
}

#[test]
fn mixes_read_every_line_and_write_their_share() {
    for reads in [1, 2, 3] {
        for shape in mix::shapes(reads) {
            let code = function(shape.entry());
            let pairs = pairs(innermost(&code));
            assert!(
                pairs
                    .iter()
                    .all(|p| p.bytes == shape.width && !p.non_temporal)
            );
            let loads = pairs.iter().filter(|p| p.load).count();
            let each = mix::GRAIN / shape.width as usize;
            let stores = each / reads as usize;
            assert_eq!((loads, pairs.len() - loads), (each, stores), "{shape:?}");
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
        let pairs = count(body, &ANY_PAIR);
        assert_eq!(pairs * shape.width as usize, 256, "{shape:?}");
        assert_eq!(count(body, &ACCESS), pairs, "{shape:?}: other accesses");
    }
}

/// `adds` of two 64-bit registers, not shifted.
const ADD_WITH_FLAGS: Pattern = pattern(0xffe0_fc00, 0xab00_0000);
/// `csel` of 64 bits where the carry flag is set.
const SELECT_IF_CARRY: Pattern = pattern(0xffe0_fc00, 0x9a80_2000);
/// `b.cc`.
const BRANCH_IF_NO_CARRY: Pattern = pattern(0xff00_001f, 0x5400_0003);

#[test]
fn selections_are_a_branch_or_a_move_and_nothing_else() {
    use crate::select::{CONDITIONS_A_WORD, Form, entry};
    let unroll = CONDITIONS_A_WORD as usize;
    for form in Form::ALL {
        let code = function(entry(form));
        let body = innermost(&code);
        assert_eq!(count(body, &ACCESS), 1, "{form:?}: the word of conditions");
        assert_eq!(count(body, &ADD_WITH_FLAGS), unroll, "{form:?}");
        assert_eq!(count(body, &ADD), unroll, "{form:?}");
        let found = [BRANCH_IF_NO_CARRY, SELECT_IF_CARRY].map(|what| count(body, &what));
        let expected = match form {
            Form::Branch => [unroll, 0],
            Form::Move => [0, unroll],
        };
        assert_eq!(found, expected, "{form:?}");
        // Three for each condition, the load, comparison and branch.
        assert_eq!(body.len(), 3 * unroll + 3, "{form:?}");
    }
}
