//! The chains of operations on x86-64.
//!
//! Integers: thirteen chains fill the registers, beside the operand (rax, and rdx for what a division
//! leaves) and the stack pointer. The counter lies on the stack, and so does the operand where rax
//! is taken. Floating point: sixteen chains, the two operands in memory (the first-level cache);
//! loading them is not part of the chain, and two loads a cycle suffice for the two operations that
//! cores complete.

use super::{CHAINS_MAX, Kernel, Op, Type, steps};
use std::arch::asm;

/// Chains of integers that fit the registers.
pub(super) const INTEGER_CHAINS: usize = 13;

/// The text of `$line` for each of the first `{n}` registers, which the assembler chooses.
macro_rules! each_integer {
    ($line:ident) => {
        each_integer!(@ $line
            0 "rcx" "ecx", 1 "rsi" "esi", 2 "rdi" "edi", 3 "r8" "r8d", 4 "r9" "r9d", 5 "r10" "r10d",
            6 "r11" "r11d", 7 "r12" "r12d", 8 "r13" "r13d", 9 "r14" "r14d", 10 "r15" "r15d",
            11 "rbx" "ebx", 12 "rbp" "ebp")
    };
    (@ $line:ident $($i:literal $r:literal $e:literal),*) => {
        concat!($(".if {n} > ", $i, "\n", $line!($i $r $e), ".endif\n"),*)
    };
}

macro_rules! each_float {
    ($line:ident $from:literal) => {
        each_float!(@ $line $from 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $line:ident $from:literal $($i:literal)*) => {
        concat!($(".if {n} > ", $i, "\n", $line!($i $from), ".endif\n"),*)
    };
}

/// Declares the loop of integers `$name`, made of `$line`.
macro_rules! integer_loop {
    ($name:ident, $line:ident) => {
        #[inline(never)]
        unsafe fn $name<const N: usize>(values: *mut u64, operands: *const u64, turns: u64) {
            // SAFETY: reads 13 values, writes N of them back and reads one operand, all of which
            // `Chains` owns. rbx and rbp, which the compiler keeps for itself, are pushed and
            // popped, as are the three words below them; every other register is declared.
            unsafe {
                asm!(
                    "push rbx",
                    "push rbp",
                    "push rdx",
                    // The operand, then the counter on top.
                    "push qword ptr [rax]",
                    "push rcx",
                    each_integer!(load),
                    "mov rax, qword ptr [rax]",
                    ".p2align 6",
                    "2:",
                    ".rept {steps}",
                    each_integer!($line),
                    ".endr",
                    "dec qword ptr [rsp]",
                    "jnz 2b",
                    "mov rdx, qword ptr [rsp + 16]",
                    each_integer!(save),
                    "add rsp, 24",
                    "pop rbp",
                    "pop rbx",
                    n = const N,
                    steps = const steps(N),
                    inout("rax") operands => _,
                    inout("rdx") values => _,
                    inout("rcx") turns => _,
                    out("rsi") _, out("rdi") _,
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                );
            }
        }
    };
}

/// Declares the loop of floating point `$name`, made of `$line`, with 64-bit values.
macro_rules! float_loop {
    ($name:ident, $line:ident) => {
        #[inline(never)]
        unsafe fn $name<const N: usize>(values: *mut u64, operands: *const u64, turns: u64) {
            // SAFETY: reads and writes N of the values and reads two operands, all of which
            // `Chains` owns. All registers are declared.
            unsafe {
                asm!(
                    each_float!(load_float "values"),
                    ".p2align 6",
                    "2:",
                    ".rept {pairs}",
                    each_float!($line ""),
                    each_float!($line " + 8"),
                    ".endr",
                    "dec {turns}",
                    "jnz 2b",
                    each_float!(save_float "values"),
                    n = const N,
                    pairs = const steps(N) / 2,
                    values = in(reg) values,
                    operands = in(reg) operands,
                    turns = inout(reg) turns => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
            }
        }
    };
}

#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! load { ($i:literal $r:literal $e:literal) => { concat!("mov ", $r, ", qword ptr [rdx + 8*", $i, "]\n") } }
    macro_rules! save { ($i:literal $r:literal $e:literal) => { concat!("mov qword ptr [rdx + 8*", $i, "], ", $r, "\n") } }

    macro_rules! bit_int { ($i:literal $r:literal $e:literal) => { concat!("xor ", $e, ", eax\n") } }
    macro_rules! bit_int64 { ($i:literal $r:literal $e:literal) => { concat!("xor ", $r, ", rax\n") } }
    macro_rules! add_int { ($i:literal $r:literal $e:literal) => { concat!("add ", $e, ", eax\n") } }
    macro_rules! add_int64 { ($i:literal $r:literal $e:literal) => { concat!("add ", $r, ", rax\n") } }
    macro_rules! mul_int { ($i:literal $r:literal $e:literal) => { concat!("imul ", $e, ", eax\n") } }
    macro_rules! mul_int64 { ($i:literal $r:literal $e:literal) => { concat!("imul ", $r, ", rax\n") } }
    macro_rules! div_int { ($i:literal $r:literal $e:literal) => { concat!(
        "mov eax, dword ptr [rsp + 8]\ncdq\nidiv ", $e, "\nmov ", $e, ", eax\n") } }
    macro_rules! div_int64 { ($i:literal $r:literal $e:literal) => { concat!(
        "mov rax, qword ptr [rsp + 8]\ncqo\nidiv ", $r, "\nmov ", $r, ", rax\n") } }
    macro_rules! mod_int { ($i:literal $r:literal $e:literal) => { concat!(
        "mov eax, ", $e, "\ncdq\nidiv dword ptr [rsp + 8]\nmov ", $e, ", edx\nadd ", $e, ", dword ptr [rsp + 8]\n") } }
    macro_rules! mod_int64 { ($i:literal $r:literal $e:literal) => { concat!(
        "mov rax, ", $r, "\ncqo\nidiv qword ptr [rsp + 8]\nmov ", $r, ", rdx\nadd ", $r, ", qword ptr [rsp + 8]\n") } }

    macro_rules! load_float { ($i:literal $from:literal) => { concat!("movq xmm", $i, ", qword ptr [{", $from, "} + 8*", $i, "]\n") } }
    macro_rules! save_float { ($i:literal $from:literal) => { concat!("movq qword ptr [{", $from, "} + 8*", $i, "], xmm", $i, "\n") } }
    macro_rules! add_float { ($i:literal $of:literal) => { concat!("addss xmm", $i, ", dword ptr [{operands}", $of, "]\n") } }
    macro_rules! mul_float { ($i:literal $of:literal) => { concat!("mulss xmm", $i, ", dword ptr [{operands}", $of, "]\n") } }
    macro_rules! div_float { ($i:literal $of:literal) => { concat!("divss xmm", $i, ", dword ptr [{operands}", $of, "]\n") } }
    macro_rules! add_double { ($i:literal $of:literal) => { concat!("addsd xmm", $i, ", qword ptr [{operands}", $of, "]\n") } }
    macro_rules! mul_double { ($i:literal $of:literal) => { concat!("mulsd xmm", $i, ", qword ptr [{operands}", $of, "]\n") } }
    macro_rules! div_double { ($i:literal $of:literal) => { concat!("divsd xmm", $i, ", qword ptr [{operands}", $of, "]\n") } }
}

integer_loop!(bit_int, bit_int);
integer_loop!(bit_int64, bit_int64);
integer_loop!(add_int, add_int);
integer_loop!(add_int64, add_int64);
integer_loop!(mul_int, mul_int);
integer_loop!(mul_int64, mul_int64);
integer_loop!(div_int, div_int);
integer_loop!(div_int64, div_int64);
integer_loop!(mod_int, mod_int);
integer_loop!(mod_int64, mod_int64);
float_loop!(add_float, add_float);
float_loop!(mul_float, mul_float);
float_loop!(div_float, div_float);
float_loop!(add_double, add_double);
float_loop!(mul_double, mul_double);
float_loop!(div_double, div_double);

macro_rules! table {
    ($name:ident: $($n:literal)*) => {{
        static LOOPS: &[Kernel] = &[$($name::<$n>),*];
        LOOPS
    }};
}
macro_rules! integers {
    ($name:ident) => {{
        let loops = table!($name: 1 2 3 4 5 6 7 8 9 10 11 12 13);
        debug_assert!(loops.len() == INTEGER_CHAINS);
        loops
    }};
}
macro_rules! floats {
    ($name:ident) => {{
        let loops = table!($name: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        debug_assert!(loops.len() == CHAINS_MAX);
        loops
    }};
}

/// The loops of one operation: n chains at n - 1.
#[rustfmt::skip]
pub(super) fn kernels(op: Op, ty: Type) -> Option<&'static [Kernel]> {
    Some(match (op, ty) {
        (Op::Bit, Type::Int) => integers!(bit_int),
        (Op::Bit, Type::Int64) => integers!(bit_int64),
        (Op::Add, Type::Int) => integers!(add_int),
        (Op::Add, Type::Int64) => integers!(add_int64),
        (Op::Add, Type::Float) => floats!(add_float),
        (Op::Add, Type::Double) => floats!(add_double),
        (Op::Mul, Type::Int) => integers!(mul_int),
        (Op::Mul, Type::Int64) => integers!(mul_int64),
        (Op::Mul, Type::Float) => floats!(mul_float),
        (Op::Mul, Type::Double) => floats!(mul_double),
        (Op::Div, Type::Int) => integers!(div_int),
        (Op::Div, Type::Int64) => integers!(div_int64),
        (Op::Div, Type::Float) => floats!(div_float),
        (Op::Div, Type::Double) => floats!(div_double),
        (Op::Mod, Type::Int) => integers!(mod_int),
        (Op::Mod, Type::Int64) => integers!(mod_int64),
        (Op::Bit | Op::Mod, Type::Float | Type::Double) => return None,
    })
}

/// Declares the loop over an array of `$bytes`-byte values: `$s` is the instructions' suffix, `$ptr`
/// the width in memory.
macro_rules! flops_loop {
    ($name:ident, $ty:ty, $s:literal, $ptr:literal, $bytes:literal) => {
        #[inline(never)]
        unsafe fn $name(values: *mut u64, passes: u64) {
            let (one, more): ($ty, $ty) = (1.0, 1.5);
            // SAFETY: reads and writes 1,000 values. All registers are declared.
            unsafe {
                asm!(
                    "2:",
                    "mov {at}, {values}",
                    ".p2align 6",
                    "3:",
                    flops_loop!(@ $s $ptr $bytes 0 1 2 3 4 5 6 7),
                    concat!("add {at}, 8*", $bytes),
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
                    at = out(reg) _,
                    values = in(reg) values,
                    end = in(reg) values.wrapping_byte_add(super::FLOPS_VALUES * $bytes),
                    passes = inout(reg) passes => _,
                    in("xmm0") one,
                    in("xmm1") more,
                    out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    options(nostack),
                );
            }
        }
    };
    (@ $s:literal $ptr:literal $bytes:literal $($i:literal)*) => { concat!($(
        "mov", $s, " xmm2, ", $ptr, " ptr [{at} + ", $bytes, "*", $i, "]\n",
        "movaps xmm3, xmm0\nadd", $s, " xmm3, xmm2\n",
        "movaps xmm4, xmm1\nsub", $s, " xmm4, xmm2\n",
        "mul", $s, " xmm3, xmm4\ndiv", $s, " xmm3, xmm2\n",
        "mov", $s, " ", $ptr, " ptr [{at} + ", $bytes, "*", $i, "], xmm3\n"
    ),*) };
}

flops_loop!(flops_float, f32, "ss", "dword", 4);
flops_loop!(flops_double, f64, "sd", "qword", 8);

/// `passes` times through 1,000 values of `ty`.
pub(super) unsafe fn flops(ty: Type, values: *mut u64, passes: u64) {
    // SAFETY: the contract is the caller's.
    unsafe {
        match ty {
            Type::Float => flops_float(values, passes),
            _ => flops_double(values, passes),
        }
    }
}
