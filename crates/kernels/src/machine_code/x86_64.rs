//! The loops on x86-64, decoded by iced-x86.

use crate::bandwidth::{GRAIN, Op, Shape, shapes};
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic,
    OpAccess, OpKind, Register,
};
use std::collections::{BTreeMap, BTreeSet};

mod hardware;

/// The instructions of a function, up to its return.
#[allow(unsafe_code)]
fn function(entry: *const ()) -> Vec<Instruction> {
    /// Longer than any function here; the decoder stops at the return.
    const LIMIT: usize = 1 << 12;
    // SAFETY: the code of this test, which is mapped for reading; the decoder looks at instructions
    // up to the return only, and what lies after the last function is the rest of the program.
    let bytes = unsafe { std::slice::from_raw_parts(entry.cast::<u8>(), LIMIT) };
    let mut decoder = Decoder::with_ip(64, bytes, entry.addr() as u64, DecoderOptions::NONE);
    let mut out = Vec::new();
    for instruction in &mut decoder {
        assert!(!instruction.is_invalid(), "code that does not decode");
        let end = instruction.flow_control() == FlowControl::Return;
        out.push(instruction);
        if end {
            return out;
        }
    }
    panic!("no return within {LIMIT} bytes");
}

/// The measured loop of a function: the first that ends, from the target of its backward branch to
/// that branch. The loop over passes ends after it, and so does what the compiler makes of adding
/// up the sums.
fn innermost(code: &[Instruction]) -> &[Instruction] {
    let (end, branch) = code
        .iter()
        .enumerate()
        .find(|(_, i)| {
            i.flow_control() == FlowControl::ConditionalBranch && i.near_branch_target() <= i.ip()
        })
        .expect("no loop");
    let start = code
        .iter()
        .position(|i| i.ip() == branch.near_branch_target())
        .expect("a branch out of the function");
    &code[start..=end]
}

fn count(code: &[Instruction], what: Mnemonic) -> usize {
    code.iter().filter(|i| i.mnemonic() == what).count()
}

/// Bytes read and bytes written by each instruction that does: (read, written).
fn traffic(code: &[Instruction]) -> Vec<(usize, usize)> {
    let mut factory = InstructionInfoFactory::new();
    code.iter()
        .filter_map(|instruction| {
            let (mut read, mut written) = (0, 0);
            for memory in factory.info(instruction).used_memory() {
                let bytes = memory.memory_size().size();
                match memory.access() {
                    OpAccess::Read | OpAccess::CondRead => read += bytes,
                    OpAccess::Write | OpAccess::CondWrite => written += bytes,
                    OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
                        read += bytes;
                        written += bytes;
                    }
                    _ => {}
                }
            }
            (read + written > 0).then_some((read, written))
        })
        .collect()
}

/// The loop may hold nothing but its accesses, hints, and its own counting.
fn overhead(code: &[Instruction]) -> usize {
    code.len() - traffic(code).len() - count(code, Mnemonic::Prefetchnta)
}

fn is_rep(shape: &Shape) -> bool {
    shape.name.starts_with("rep-")
}

#[test]
fn bandwidth_loops_hold_their_accesses_and_little_else() {
    for op in [Op::Read, Op::Write, Op::Copy] {
        for shape in shapes(op).into_iter().filter(|s| !is_rep(s)) {
            let code = function(shape.entry());
            let body = innermost(&code);
            let width = shape.width as usize;
            let accesses = traffic(body);
            let (reads, writes): (Vec<_>, Vec<_>) = accesses.iter().copied().partition(|a| a.0 > 0);
            assert!(
                reads.iter().all(|&a| a == (width, 0)),
                "{shape:?}: {accesses:?}"
            );
            assert!(
                writes.iter().all(|&a| a == (0, width)),
                "{shape:?}: {accesses:?}"
            );
            let (loads, stores) = (reads.len() * width, writes.len() * width);
            let body_bytes = loads.max(stores);
            assert!(
                body_bytes >= 256 && GRAIN.is_multiple_of(body_bytes),
                "{shape:?}"
            );
            let expected = match op {
                Op::Read => (body_bytes, 0),
                Op::Write => (0, body_bytes),
                Op::Copy => (body_bytes, body_bytes),
            };
            assert_eq!((loads, stores), expected, "{shape:?}");
            // One or two pointers advanced, a comparison, the branch.
            assert!(overhead(body) <= 4, "{shape:?}: {} others", overhead(body));
            assert_eq!(
                body[0].ip() % 64,
                0,
                "{shape:?}: the loop starts inside a line"
            );
        }
    }
}

/// Each stream of a loop is a run of accesses without gaps, from offset 0 on; one stream, or four
/// for the shapes named so.
#[test]
fn loads_cover_the_body_without_gaps() {
    for shape in [Op::Read, Op::Copy]
        .into_iter()
        .flat_map(shapes)
        .filter(|s| !is_rep(s))
    {
        let code = function(shape.entry());
        let mut streams: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        let loads = |i: &&Instruction| traffic(&[**i]).iter().any(|a| a.0 > 0);
        for load in innermost(&code).iter().filter(loads) {
            let place = (load.memory_index() as u32, load.memory_index_scale());
            streams
                .entry(place)
                .or_default()
                .push(load.memory_displacement64());
        }
        let expected = if shape.name.ends_with("-streams") {
            4
        } else {
            1
        };
        assert_eq!(streams.len(), expected, "{shape:?}");
        for offsets in streams.values() {
            let gapless = (0..offsets.len() as u64).map(|i| i * u64::from(shape.width));
            assert!(
                gapless.eq(offsets.iter().copied()),
                "{shape:?}: {offsets:?}"
            );
        }
    }
}

#[test]
fn non_temporal_shapes_and_only_they_store_so() {
    const AROUND: [Mnemonic; 3] = [Mnemonic::Movnti, Mnemonic::Movntdq, Mnemonic::Vmovntdq];
    for shape in [Op::Write, Op::Copy]
        .into_iter()
        .flat_map(shapes)
        .filter(|s| !is_rep(s))
    {
        let code = function(shape.entry());
        let body = innermost(&code);
        let around: usize = AROUND.iter().map(|&m| count(body, m)).sum();
        let stores = traffic(body).iter().filter(|a| a.1 > 0).count();
        assert_eq!(
            around,
            if shape.non_temporal { stores } else { 0 },
            "{shape:?}"
        );
        let fences = count(&code, Mnemonic::Sfence);
        assert_eq!(fences, usize::from(shape.non_temporal), "{shape:?}");
    }
}

#[test]
fn prefetching_shapes_name_each_line_once() {
    for shape in shapes(Op::Read) {
        let code = function(shape.entry());
        let body = innermost(&code);
        let bytes: usize = traffic(body).iter().map(|a| a.0).sum();
        let ahead = ["-prefetch", "-streams"];
        let expected = if ahead.iter().any(|end| shape.name.ends_with(end)) {
            bytes / 64
        } else {
            0
        };
        assert_eq!(count(body, Mnemonic::Prefetchnta), expected, "{shape:?}");
    }
}

#[test]
fn rep_shapes_are_one_string_instruction_a_pass() {
    for shape in [Op::Write, Op::Copy]
        .into_iter()
        .flat_map(shapes)
        .filter(|s| is_rep(s))
    {
        let code = function(shape.entry());
        let body = innermost(&code);
        let expected = match shape.name {
            "rep-stosb" => Code::Stosb_m8_AL,
            "rep-stosq" => Code::Stosq_m64_RAX,
            "rep-movsb" => Code::Movsb_m8_m8,
            _ => Code::Movsq_m64_m64,
        };
        let strings: Vec<_> = body.iter().filter(|i| i.is_string_instruction()).collect();
        assert_eq!(strings.len(), 1, "{shape:?}");
        assert_eq!(strings[0].code(), expected, "{shape:?}");
        assert!(strings[0].has_rep_prefix(), "{shape:?}");
    }
}

/// A load of a register from where it points: the one instruction of a chase.
fn follows_itself(i: &Instruction) -> bool {
    i.code() == Code::Mov_r64_rm64
        && i.op1_kind() == OpKind::Memory
        && i.memory_base() == i.op0_register()
        && i.memory_index() == Register::None
        && i.memory_displacement64() == 0
}

#[test]
fn a_chase_is_dependent_loads_and_a_counter() {
    let code = function(crate::chase::single_entry());
    let body = innermost(&code);
    let unroll = crate::chase::CHASE_UNROLL as usize;
    assert!(body[..unroll].iter().all(follows_itself));
    assert!(
        body[..unroll]
            .iter()
            .all(|i| i.op0_register() == body[0].op0_register())
    );
    assert_eq!(body.len(), unroll + 2, "decrement and branch");
    assert_eq!(traffic(body).len(), unroll, "no other access");
}

#[test]
fn many_chains_stay_in_registers() {
    for chains in 1..=crate::chase::CHAINS_MAX {
        let code = function(crate::chase::many_entry(chains));
        let body = innermost(&code);
        let loads: Vec<_> = body.iter().filter(|i| follows_itself(i)).collect();
        let steps = crate::chase::CHASE_MANY_UNROLL as usize;
        assert_eq!(loads.len(), chains * steps, "{chains} chains");
        // The counter is the one other access.
        assert_eq!(traffic(body).len(), loads.len() + 1, "{chains} chains");
        let registers: BTreeSet<_> = loads.iter().map(|i| i.op0_register() as u32).collect();
        assert_eq!(registers.len(), chains.min(15), "{chains} chains");
        let moves = if chains == 16 { 4 * steps } else { 0 };
        assert_eq!(count(body, Mnemonic::Movq), moves, "{chains} chains");
        assert_eq!(body.len(), loads.len() + moves + 2, "{chains} chains");
    }
}

#[test]
fn a_clock_tick_is_one_addition_of_a_register() {
    let [ops, empty, no_ops] = crate::clock::entries();
    let code = function(ops);
    let body = innermost(&code);
    let additions = body.iter().filter(|i| {
        matches!(i.code(), Code::Add_r64_rm64 | Code::Add_rm64_r64)
            && i.op0_register() == body[0].op0_register()
            && i.op1_kind() == OpKind::Register
            && i.op1_register() != i.op0_register()
    });
    let unroll = crate::clock::DEPENDENT_UNROLL as usize;
    assert_eq!(additions.count(), unroll);
    assert_eq!(body.len(), unroll + 2, "decrement and branch");
    assert_eq!(innermost(&function(empty)).len(), 2);
    let code = function(no_ops);
    let unroll = crate::clock::NO_OPS_UNROLL as usize;
    assert_eq!(count(innermost(&code), Mnemonic::Nop), unroll);
    assert_eq!(innermost(&code).len(), unroll + 2);
}

#[test]
fn system_calls_are_bare_instructions() {
    for (entry, calls, others) in [
        (crate::syscalls::repeat as *const (), 1, 7),
        (crate::syscalls::open_close_loop as *const (), 2, 10),
    ] {
        let code = function(entry);
        let body = innermost(&code);
        assert_eq!(count(body, Mnemonic::Syscall), calls);
        assert_eq!(body.len(), calls + others);
        assert!(
            traffic(body).iter().all(|&a| a == (0, 0)),
            "no access to memory"
        );
    }
}
