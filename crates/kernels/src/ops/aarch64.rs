//! The chains of operations on aarch64: sixteen chains and the operands all fit the registers.

use super::{CHAINS_MAX, Kernel, Op, Type, steps};
use std::arch::asm;

/// Chains of integers that fit the registers.
pub(super) const INTEGER_CHAINS: usize = CHAINS_MAX;

/// The text of `$line` for each of the first `{n}` registers, which the assembler chooses.
macro_rules! each {
    ($line:ident $($of:literal)?) => {
        each!(@ $line ($($of)?) 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $line:ident $of:tt $($i:literal)*) => {
        concat!($(".if {n} > ", $i, "\n", each!(% $line $i $of), ".endif\n"),*)
    };
    (% $line:ident $i:literal ()) => { $line!($i) };
    (% $line:ident $i:literal ($of:literal)) => { $line!($i $of) };
}

/// Declares the loop of integers `$name`, made of `$line`.
macro_rules! integer_loop {
    ($name:ident, $line:ident) => {
        #[inline(never)]
        unsafe fn $name<const N: usize>(values: *mut u64, operands: *const u64, turns: u64) {
            // SAFETY: reads and writes N of the values and reads one operand, all of which
            // `Chains` owns. Every register is declared.
            unsafe {
                asm!(
                    "ldr x16, [{operands}]",
                    each!(load),
                    ".p2align 6",
                    "2:",
                    ".rept {steps}",
                    each!($line),
                    ".endr",
                    "subs {turns}, {turns}, #1",
                    "b.ne 2b",
                    each!(save),
                    n = const N,
                    steps = const steps(N),
                    values = in(reg) values,
                    operands = in(reg) operands,
                    turns = inout(reg) turns => _,
                    out("x0") _, out("x1") _, out("x2") _, out("x3") _,
                    out("x4") _, out("x5") _, out("x6") _, out("x7") _,
                    out("x8") _, out("x9") _, out("x10") _, out("x11") _,
                    out("x12") _, out("x13") _, out("x14") _, out("x15") _,
                    out("x16") _, out("x17") _,
                    options(nostack),
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
            // `Chains` owns. Every register is declared.
            unsafe {
                asm!(
                    "ldp d16, d17, [{operands}]",
                    each!(load_float),
                    ".p2align 6",
                    "2:",
                    ".rept {pairs}",
                    each!($line 16),
                    each!($line 17),
                    ".endr",
                    "subs {turns}, {turns}, #1",
                    "b.ne 2b",
                    each!(save_float),
                    n = const N,
                    pairs = const steps(N) / 2,
                    values = in(reg) values,
                    operands = in(reg) operands,
                    turns = inout(reg) turns => _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v8") _, out("v9") _, out("v10") _, out("v11") _,
                    out("v12") _, out("v13") _, out("v14") _, out("v15") _,
                    out("v16") _, out("v17") _,
                    options(nostack),
                );
            }
        }
    };
}

#[macro_use]
#[rustfmt::skip]
mod line {
    macro_rules! load { ($i:literal) => { concat!("ldr x", $i, ", [{values}, #8*", $i, "]\n") } }
    macro_rules! save { ($i:literal) => { concat!("str x", $i, ", [{values}, #8*", $i, "]\n") } }
    macro_rules! load_float { ($i:literal) => { concat!("ldr d", $i, ", [{values}, #8*", $i, "]\n") } }
    macro_rules! save_float { ($i:literal) => { concat!("str d", $i, ", [{values}, #8*", $i, "]\n") } }

    macro_rules! bit_int { ($i:literal) => { concat!("eor w", $i, ", w", $i, ", w16\n") } }
    macro_rules! bit_int64 { ($i:literal) => { concat!("eor x", $i, ", x", $i, ", x16\n") } }
    macro_rules! add_int { ($i:literal) => { concat!("add w", $i, ", w", $i, ", w16\n") } }
    macro_rules! add_int64 { ($i:literal) => { concat!("add x", $i, ", x", $i, ", x16\n") } }
    macro_rules! mul_int { ($i:literal) => { concat!("mul w", $i, ", w", $i, ", w16\n") } }
    macro_rules! mul_int64 { ($i:literal) => { concat!("mul x", $i, ", x", $i, ", x16\n") } }
    macro_rules! div_int { ($i:literal) => { concat!("sdiv w", $i, ", w16, w", $i, "\n") } }
    macro_rules! div_int64 { ($i:literal) => { concat!("sdiv x", $i, ", x16, x", $i, "\n") } }
    macro_rules! mod_int { ($i:literal) => { concat!(
        "sdiv w17, w", $i, ", w16\nmsub w", $i, ", w17, w16, w", $i, "\nadd w", $i, ", w", $i, ", w16\n") } }
    macro_rules! mod_int64 { ($i:literal) => { concat!(
        "sdiv x17, x", $i, ", x16\nmsub x", $i, ", x17, x16, x", $i, "\nadd x", $i, ", x", $i, ", x16\n") } }

    macro_rules! add_float { ($i:literal $of:literal) => { concat!("fadd s", $i, ", s", $i, ", s", $of, "\n") } }
    macro_rules! mul_float { ($i:literal $of:literal) => { concat!("fmul s", $i, ", s", $i, ", s", $of, "\n") } }
    macro_rules! div_float { ($i:literal $of:literal) => { concat!("fdiv s", $i, ", s", $i, ", s", $of, "\n") } }
    macro_rules! add_double { ($i:literal $of:literal) => { concat!("fadd d", $i, ", d", $i, ", d", $of, "\n") } }
    macro_rules! mul_double { ($i:literal $of:literal) => { concat!("fmul d", $i, ", d", $i, ", d", $of, "\n") } }
    macro_rules! div_double { ($i:literal $of:literal) => { concat!("fdiv d", $i, ", d", $i, ", d", $of, "\n") } }
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
    ($name:ident) => { table!($name: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16) };
    ($name:ident: $($n:literal)*) => {{
        static LOOPS: &[Kernel] = &[$($name::<$n>),*];
        LOOPS
    }};
}

/// The loops of one operation: n chains at n - 1.
#[rustfmt::skip]
pub(super) fn kernels(op: Op, ty: Type) -> Option<&'static [Kernel]> {
    Some(match (op, ty) {
        (Op::Bit, Type::Int) => table!(bit_int),
        (Op::Bit, Type::Int64) => table!(bit_int64),
        (Op::Add, Type::Int) => table!(add_int),
        (Op::Add, Type::Int64) => table!(add_int64),
        (Op::Add, Type::Float) => table!(add_float),
        (Op::Add, Type::Double) => table!(add_double),
        (Op::Mul, Type::Int) => table!(mul_int),
        (Op::Mul, Type::Int64) => table!(mul_int64),
        (Op::Mul, Type::Float) => table!(mul_float),
        (Op::Mul, Type::Double) => table!(mul_double),
        (Op::Div, Type::Int) => table!(div_int),
        (Op::Div, Type::Int64) => table!(div_int64),
        (Op::Div, Type::Float) => table!(div_float),
        (Op::Div, Type::Double) => table!(div_double),
        (Op::Mod, Type::Int) => table!(mod_int),
        (Op::Mod, Type::Int64) => table!(mod_int64),
        (Op::Bit | Op::Mod, Type::Float | Type::Double) => return None,
    })
}

/// Declares the loop over an array of `$bytes`-byte values in registers named `$r`.
macro_rules! flops_loop {
    ($name:ident, $ty:ty, $r:literal, $bytes:literal) => {
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
                    flops_loop!(@ $r $bytes 0 1 2 3 4 5 6 7),
                    concat!("add {at}, {at}, #8*", $bytes),
                    "cmp {at}, {end}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    at = out(reg) _,
                    values = in(reg) values,
                    end = in(reg) values.wrapping_byte_add(super::FLOPS_VALUES * $bytes),
                    passes = inout(reg) passes => _,
                    in("v0") one,
                    in("v1") more,
                    out("v2") _, out("v3") _, out("v4") _,
                    options(nostack),
                );
            }
        }
    };
    (@ $r:literal $bytes:literal $($i:literal)*) => { concat!($(
        "ldr ", $r, "2, [{at}, #", $bytes, "*", $i, "]\n",
        "fadd ", $r, "3, ", $r, "0, ", $r, "2\n",
        "fsub ", $r, "4, ", $r, "1, ", $r, "2\n",
        "fmul ", $r, "3, ", $r, "3, ", $r, "4\n",
        "fdiv ", $r, "3, ", $r, "3, ", $r, "2\n",
        "str ", $r, "3, [{at}, #", $bytes, "*", $i, "]\n"
    ),*) };
}

flops_loop!(flops_float, f32, "s", 4);
flops_loop!(flops_double, f64, "d", 8);

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
