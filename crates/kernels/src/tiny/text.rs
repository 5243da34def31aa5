//! The program, for x86-64.
//!
//! It is data to us: it lies in a read-only section of its own and is never called.

use std::arch::global_asm;

// Registers that hold over system calls: r12 = argv, r13 = envp, r14 = forks left, r15 = start of
// the batch in ns, ebx = mode, rbp = n.
global_asm!(
    ".pushsection .rodata.whyslow_tiny, \"a\", @progbits",
    ".globl whyslow_tiny_begin",
    ".hidden whyslow_tiny_begin",
    ".globl whyslow_tiny_end",
    ".hidden whyslow_tiny_end",
    ".p2align 4",
    "whyslow_tiny_begin:",
    "mov rcx, qword ptr [rsp]",              // argc
    "lea r12, [rsp + 8]",                    // argv
    "lea r13, [rsp + rcx*8 + 16]",           // envp, after argv and its null
    "sub rsp, 64",                           // [0] request and reply, [16] timespec or status
    "cmp rcx, 1",
    "jle 20f",
    "mov rax, qword ptr [r12 + 8]",
    "movzx ebx, byte ptr [rax]",             // mode
    "cmp byte ptr [rax + 1], 0",
    "jne 29f",
    "cmp ebx, 'f'",
    "je 50f",
    "cmp ebx, 'e'",
    "je 9f",
    "cmp ebx, 's'",
    "jne 29f",
    "9:",
    "cmp rcx, 3",
    "jl 29f",

    // Next request.
    "50:",
    "xor edi, edi",
    "mov rsi, rsp",
    "mov edx, 8",
    "xor eax, eax",                          // read(0, request, 8)
    "syscall",
    "test rax, rax",
    "jz 27f",
    "cmp rax, 8",
    "jne 29f",
    "mov rbp, qword ptr [rsp]",
    "mov r14, rbp",
    "call 30f",
    "mov r15, rax",
    "jmp 13f",

    // One process.
    "51:",
    "mov eax, 57",                           // fork()
    "syscall",
    "test rax, rax",
    "jz 14f",
    "js 24f",
    "mov rdi, rax",
    "lea rsi, [rsp + 16]",
    "xor edx, edx",
    "xor r10d, r10d",
    "mov eax, 61",                           // wait4(child, &status, 0, NULL)
    "syscall",
    "test rax, rax",
    "js 24f",
    "mov eax, dword ptr [rsp + 16]",
    "test eax, eax",
    "jnz 24f",
    "dec r14",
    "13:",
    "test r14, r14",
    "jnz 51b",

    // Reply.
    "call 30f",
    "sub rax, r15",
    "mov qword ptr [rsp], rax",
    "mov qword ptr [rsp + 8], rbp",
    "call 32f",
    "jmp 50b",

    // The child.
    "14:",
    "cmp ebx, 'f'",
    "je 27f",
    "mov edi, 3",
    "mov esi, 1",
    "mov eax, 33",                           // dup2(3, 1); fails where 3 is not open
    "syscall",
    "mov rsi, qword ptr [r12 + 16]",         // argv[2]
    "cmp ebx, 'e'",
    "jne 15f",
    "mov rdi, rsi",
    "push 0",
    "push rsi",
    "jmp 16f",
    "15:",
    "lea rdi, [rip + 40f]",
    "push 0",
    "push rsi",
    "lea rax, [rip + 42f]",
    "push rax",
    "lea rax, [rip + 41f]",
    "push rax",
    "16:",
    "mov rsi, rsp",
    "mov rdx, r13",
    "mov eax, 59",                           // execve(path, argv, envp)
    "syscall",
    "mov edi, 127",                          // what a shell answers for a program it cannot run
    "jmp 28f",

    // No mode: greet.
    "20:",
    "mov edi, 1",
    "lea rsi, [rip + 43f]",
    "mov edx, 12",
    "mov eax, 1",                            // write(1, greeting, 12)
    "syscall",
    "jmp 27f",

    // A failure, in rax: report and exit.
    "24:",
    "mov qword ptr [rsp], -1",
    "mov qword ptr [rsp + 8], rax",
    "call 32f",
    "mov edi, 1",
    "jmp 28f",
    "29:",
    "mov edi, 2",
    "jmp 28f",
    "27:",
    "xor edi, edi",
    "28:",
    "mov eax, 231",                          // exit_group(edi)
    "syscall",

    // The time in ns, to rax. Called: the caller's stack is 8 bytes up.
    "30:",
    "mov edi, 4",                            // CLOCK_MONOTONIC_RAW
    "lea rsi, [rsp + 24]",
    "mov eax, 228",                          // clock_gettime(edi, timespec)
    "syscall",
    "imul rax, qword ptr [rsp + 24], 1000000000",
    "add rax, qword ptr [rsp + 32]",
    "ret",

    // Writes the reply. Called as above. A reply that cannot be written ends the program.
    "32:",
    "mov edi, 1",
    "lea rsi, [rsp + 8]",
    "mov edx, 16",
    "mov eax, 1",                            // write(1, reply, 16)
    "syscall",
    "cmp rax, 16",
    "jne 29b",
    "ret",

    "40: .asciz \"/bin/sh\"",
    "41: .asciz \"sh\"",
    "42: .asciz \"-c\"",
    "43: .ascii \"Hello world\\n\"",
    "whyslow_tiny_end:",
    ".popsection",
);

unsafe extern "C" {
    #[link_name = "whyslow_tiny_begin"]
    static BEGIN: u8;
    #[link_name = "whyslow_tiny_end"]
    static END: u8;
}

pub(super) fn bytes() -> &'static [u8] {
    let (begin, end) = (&raw const BEGIN, &raw const END);
    // SAFETY: the two symbols bound one run of bytes of the read-only data of this program.
    unsafe { std::slice::from_raw_parts(begin, end.addr() - begin.addr()) }
}
