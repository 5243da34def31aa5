//! The chases on x86-64: one chain, and one to sixteen in parallel.
//!
//! The machine has sixteen general registers. One is the stack pointer, which must stay what it is
//! because a signal may arrive at any time. The other fifteen each hold a chain, and the counter
//! lies on the stack: one decrement in memory for eight steps of all chains, beside them.
//!
//! With sixteen chains, the last two take turns in one register and rest in vector registers in
//! between. That adds two moves to the latency of these two chains but no access to memory, so the
//! count of accesses stays true. On one Zen 5 guest a step of sixteen took at least 12 cycles for
//! it, which showed in the first-level cache (where a step of fifteen took 5) and not beyond.
//! A gather would hold eight chains in one register, but it completes only when its slowest element
//! does, so its chains are not independent.

use std::arch::asm;

/// `turns` times 64 loads. The decrement and the branch depend on nothing but each other, so the
/// core runs them while it waits for a load.
#[inline(never)]
pub(super) unsafe fn follow(start: *const u8, turns: u64) -> *const u8 {
    let at;
    // SAFETY: each load is of a pointer that the caller of `chase` vouches for.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "mov {at}, qword ptr [{at}]",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            at = inout(reg) start => at,
            turns = inout(reg) turns => _,
            options(nostack, readonly),
        );
    }
    at
}

/// One load for each chain, eight times.
macro_rules! steps {
    ($($r:literal)*) => { steps!(@8 concat!($("mov ", $r, ", qword ptr [", $r, "]\n"),*)) };
    (@8 $one:expr) => { concat!($one, $one, $one, $one, $one, $one, $one, $one) };
}

/// A step of sixteen chains: fourteen in registers, two through rdi.
macro_rules! steps_of_sixteen {
    ($($r:literal)*) => {
        steps!(@8 concat!(
            $("mov ", $r, ", qword ptr [", $r, "]\n",)*
            "movq rdi, xmm0\nmov rdi, qword ptr [rdi]\nmovq xmm0, rdi\n",
            "movq rdi, xmm1\nmov rdi, qword ptr [rdi]\nmovq xmm1, rdi\n"
        ))
    };
}

/// Declares the loop for the chains held in `$r`, the first of which is rax: that register carries
/// the address of the array in and out.
macro_rules! follow {
    ($name:ident, $body:expr, [$($r:literal $i:literal)*], $load:expr, $store:expr) => {
        #[inline(never)]
        unsafe fn $name(starts: *mut *const u8, turns: u64) {
            // SAFETY: each load is of a pointer that the caller of `chase_many` vouches for, or of
            // an element of `starts`. rbx and rbp, which the compiler keeps for itself, are pushed
            // and popped; every other register is declared.
            unsafe {
                asm!(
                    "push rbx",
                    "push rbp",
                    "push rax",
                    "push rcx",
                    $load,
                    concat!($("mov ", $r, ", qword ptr [rax + 8*", $i, "]\n"),*),
                    "mov rax, qword ptr [rax]",
                    ".p2align 6",
                    "2:",
                    $body,
                    "dec qword ptr [rsp]",
                    "jnz 2b",
                    // rax for the array, the first chain for the array's place on the stack.
                    "xchg rax, qword ptr [rsp + 8]",
                    concat!($("mov qword ptr [rax + 8*", $i, "], ", $r, "\n"),*),
                    $store,
                    "pop rcx",
                    "pop rcx",
                    "mov qword ptr [rax], rcx",
                    "pop rbp",
                    "pop rbx",
                    inout("rax") starts => _,
                    inout("rcx") turns => _,
                    out("rdx") _, out("rsi") _, out("rdi") _,
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                    out("xmm0") _, out("xmm1") _,
                );
            }
        }
    };
}

/// Declares the loop of a number of chains that all fit the registers.
macro_rules! in_registers {
    ($name:ident, [$($r:literal $i:literal)*]) => {
        follow!($name, steps!("rax" $($r)*), [$($r $i)*], "", "");
    };
}

#[rustfmt::skip]
mod loops {
    use super::*;
    in_registers!(one, []);
    in_registers!(two, ["rcx" 1]);
    in_registers!(three, ["rcx" 1 "rdx" 2]);
    in_registers!(four, ["rcx" 1 "rdx" 2 "rsi" 3]);
    in_registers!(five, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4]);
    in_registers!(six, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5]);
    in_registers!(seven, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6]);
    in_registers!(eight, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7]);
    in_registers!(nine, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8]);
    in_registers!(ten, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9]);
    in_registers!(eleven, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9 "r14" 10]);
    in_registers!(twelve, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9 "r14" 10 "r15" 11]);
    in_registers!(thirteen, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9 "r14" 10 "r15" 11 "rbx" 12]);
    in_registers!(fourteen, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9 "r14" 10 "r15" 11 "rbx" 12 "rbp" 13]);
    in_registers!(fifteen, ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9 "r14" 10 "r15" 11 "rbx" 12 "rbp" 13 "rdi" 14]);
    follow!(
        sixteen,
        steps_of_sixteen!("rax" "rcx" "rdx" "rsi" "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15" "rbx" "rbp"),
        ["rcx" 1 "rdx" 2 "rsi" 3 "r8" 4 "r9" 5 "r10" 6 "r11" 7 "r12" 8 "r13" 9 "r14" 10 "r15" 11 "rbx" 12 "rbp" 13],
        "movq xmm0, qword ptr [rax + 8*14]\nmovq xmm1, qword ptr [rax + 8*15]",
        "movq qword ptr [rax + 8*14], xmm0\nmovq qword ptr [rax + 8*15], xmm1"
    );

    /// The loop for n chains is at n - 1.
    pub(crate) static LOOPS: [unsafe fn(*mut *const u8, u64); crate::chase::CHAINS_MAX] = [
        one, two, three, four, five, six, seven, eight,
        nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen,
    ];
}
pub(super) use loops::LOOPS;

/// `turns` times eight steps of every chain. `starts` holds 1 to 16 of them.
pub(super) unsafe fn follow_many(starts: &mut [*const u8], turns: u64) {
    // SAFETY: the loop at n - 1 touches n elements of `starts`, and what they lead to.
    unsafe { LOOPS[starts.len() - 1](starts.as_mut_ptr(), turns) }
}
