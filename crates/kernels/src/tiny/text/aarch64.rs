//! The program, for aarch64, where `fork` is a `clone` that asks for nothing and `dup2` a `dup3`.

use std::arch::global_asm;

// A call keeps every register but x0. x19 = argv, x20 = envp, w22 = mode, x23 = n, x24 = forks
// left, x25 = start of the batch in ns.
global_asm!(
    ".pushsection .rodata.whyslow_tiny, \"a\", @progbits",
    ".globl whyslow_tiny_begin",
    ".hidden whyslow_tiny_begin",
    ".globl whyslow_tiny_end",
    ".hidden whyslow_tiny_end",
    ".p2align 4",
    "whyslow_tiny_begin:",
    "ldr x21, [sp]",   // argc
    "add x19, sp, #8", // argv
    "add x20, x19, x21, lsl #3",
    "add x20, x20, #8", // envp, after argv and its null
    "sub sp, sp, #64",  // [0] request and reply, [16] timespec or status
    "cmp x21, #1",
    "b.le .Ltiny_greet",
    "ldr x9, [x19, #8]",
    "ldrb w22, [x9]", // mode
    "ldrb w10, [x9, #1]",
    "cbnz w10, .Ltiny_refuse",
    "cmp w22, #'f'",
    "b.eq .Ltiny_request",
    "cmp w22, #'e'",
    "b.eq .Ltiny_checked",
    "cmp w22, #'s'",
    "b.ne .Ltiny_refuse",
    ".Ltiny_checked:",
    "cmp x21, #3",
    "b.lt .Ltiny_refuse",
    // Next request.
    ".Ltiny_request:",
    "mov x0, #0",
    "mov x1, sp",
    "mov x2, #8",
    "mov x8, #63", // read(0, request, 8)
    "svc #0",
    "cbz x0, .Ltiny_success",
    "cmp x0, #8",
    "b.ne .Ltiny_refuse",
    "ldr x23, [sp]",
    "mov x24, x23",
    "bl .Ltiny_time",
    "mov x25, x0",
    "b .Ltiny_more",
    // One process.
    ".Ltiny_process:",
    "mov x0, #17", // SIGCHLD
    "mov x1, #0",
    "mov x2, #0",
    "mov x3, #0",
    "mov x4, #0",
    "mov x8, #220", // clone(SIGCHLD, NULL, NULL, NULL, 0)
    "svc #0",
    "cbz x0, .Ltiny_child",
    "tbnz x0, #63, .Ltiny_failure",
    "add x1, sp, #16",
    "mov x2, #0",
    "mov x3, #0",
    "mov x8, #260", // wait4(child, &status, 0, NULL)
    "svc #0",
    "tbnz x0, #63, .Ltiny_failure",
    "ldr w0, [sp, #16]",
    "cbnz w0, .Ltiny_failure",
    "sub x24, x24, #1",
    ".Ltiny_more:",
    "cbnz x24, .Ltiny_process",
    // Reply.
    "bl .Ltiny_time",
    "sub x0, x0, x25",
    "stp x0, x23, [sp]",
    "bl .Ltiny_reply",
    "b .Ltiny_request",
    // The child.
    ".Ltiny_child:",
    "cmp w22, #'f'",
    "b.eq .Ltiny_success",
    "mov x0, #2",
    "mov x1, #1",
    "mov x2, #0",
    "mov x8, #24", // dup3(2, 1, 0)
    "svc #0",
    "ldr x9, [x19, #16]", // argv[2]
    "cmp w22, #'e'",
    "b.ne .Ltiny_shell",
    "mov x0, x9",
    "stp x9, xzr, [sp, #-16]!",
    "b .Ltiny_exec",
    ".Ltiny_shell:",
    "adr x0, .Ltiny_sh_path",
    "adr x10, .Ltiny_sh_name",
    "adr x11, .Ltiny_sh_flag",
    "stp x9, xzr, [sp, #-16]!",
    "stp x10, x11, [sp, #-16]!",
    ".Ltiny_exec:",
    "mov x1, sp",
    "mov x2, x20",
    "mov x8, #221", // execve(path, argv, envp)
    "svc #0",
    "mov x0, #127", // what a shell answers for a program it cannot run
    "b .Ltiny_exit",
    // No mode: greet.
    ".Ltiny_greet:",
    "mov x0, #1",
    "adr x1, .Ltiny_greeting",
    "mov x2, #12",
    "mov x8, #64", // write(1, greeting, 12)
    "svc #0",
    "b .Ltiny_success",
    // A failure, in x0: report and exit.
    ".Ltiny_failure:",
    "mov x1, #-1",
    "stp x1, x0, [sp]",
    "bl .Ltiny_reply",
    "mov x0, #1",
    "b .Ltiny_exit",
    ".Ltiny_refuse:",
    "mov x0, #2",
    "b .Ltiny_exit",
    ".Ltiny_success:",
    "mov x0, #0",
    ".Ltiny_exit:",
    "mov x8, #94", // exit_group(x0)
    "svc #0",
    // The time in ns, to x0.
    ".Ltiny_time:",
    "mov x0, #4", // CLOCK_MONOTONIC_RAW
    "add x1, sp, #16",
    "mov x8, #113", // clock_gettime(x0, timespec)
    "svc #0",
    "ldp x0, x1, [sp, #16]",
    "movz x9, #0xca00", // 1,000,000,000 in two halves
    "movk x9, #0x3b9a, lsl #16",
    "madd x0, x0, x9, x1",
    "ret",
    // Writes the reply. One that cannot be written ends the program.
    ".Ltiny_reply:",
    "mov x0, #1",
    "mov x1, sp",
    "mov x2, #16",
    "mov x8, #64", // write(1, reply, 16)
    "svc #0",
    "cmp x0, #16",
    "b.ne .Ltiny_refuse",
    "ret",
    ".Ltiny_sh_path: .asciz \"/bin/sh\"",
    ".Ltiny_sh_name: .asciz \"sh\"",
    ".Ltiny_sh_flag: .asciz \"-c\"",
    ".Ltiny_greeting: .ascii \"Hello world\\n\"",
    "whyslow_tiny_end:",
    ".popsection",
);
