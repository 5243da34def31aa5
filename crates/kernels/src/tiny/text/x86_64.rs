//! The program, for x86-64.

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
    "mov rcx, qword ptr [rsp]",    // argc
    "lea r12, [rsp + 8]",          // argv
    "lea r13, [rsp + rcx*8 + 16]", // envp, after argv and its null
    "sub rsp, 64",                 // [0] request and reply, [16] timespec or status
    "cmp rcx, 1",
    "jle .Ltiny_greet",
    "mov rax, qword ptr [r12 + 8]",
    "movzx ebx, byte ptr [rax]", // mode
    "cmp byte ptr [rax + 1], 0",
    "jne .Ltiny_refuse",
    "cmp ebx, 'f'",
    "je .Ltiny_request",
    "cmp ebx, 'e'",
    "je .Ltiny_checked",
    "cmp ebx, 's'",
    "jne .Ltiny_refuse",
    ".Ltiny_checked:",
    "cmp rcx, 3",
    "jl .Ltiny_refuse",
    // Next request.
    ".Ltiny_request:",
    "xor edi, edi",
    "mov rsi, rsp",
    "mov edx, 8",
    "xor eax, eax", // read(0, request, 8)
    "syscall",
    "test rax, rax",
    "jz .Ltiny_success",
    "cmp rax, 8",
    "jne .Ltiny_refuse",
    "mov rbp, qword ptr [rsp]",
    "mov r14, rbp",
    "call .Ltiny_time",
    "mov r15, rax",
    "jmp .Ltiny_more",
    // One process.
    ".Ltiny_process:",
    "mov eax, 57", // fork()
    "syscall",
    "test rax, rax",
    "jz .Ltiny_child",
    "js .Ltiny_failure",
    "mov rdi, rax",
    "lea rsi, [rsp + 16]",
    "xor edx, edx",
    "xor r10d, r10d",
    "mov eax, 61", // wait4(child, &status, 0, NULL)
    "syscall",
    "test rax, rax",
    "js .Ltiny_failure",
    "mov eax, dword ptr [rsp + 16]",
    "test eax, eax",
    "jnz .Ltiny_failure",
    "dec r14",
    ".Ltiny_more:",
    "test r14, r14",
    "jnz .Ltiny_process",
    // Reply.
    "call .Ltiny_time",
    "sub rax, r15",
    "mov qword ptr [rsp], rax",
    "mov qword ptr [rsp + 8], rbp",
    "call .Ltiny_reply",
    "jmp .Ltiny_request",
    // The child.
    ".Ltiny_child:",
    "cmp ebx, 'f'",
    "je .Ltiny_success",
    "mov edi, 2",
    "mov esi, 1",
    "mov eax, 33", // dup2(2, 1)
    "syscall",
    "mov rsi, qword ptr [r12 + 16]", // argv[2]
    "cmp ebx, 'e'",
    "jne .Ltiny_shell",
    "mov rdi, rsi",
    "push 0",
    "push rsi",
    "jmp .Ltiny_exec",
    ".Ltiny_shell:",
    "lea rdi, [rip + .Ltiny_sh_path]",
    "push 0",
    "push rsi",
    "lea rax, [rip + .Ltiny_sh_flag]",
    "push rax",
    "lea rax, [rip + .Ltiny_sh_name]",
    "push rax",
    ".Ltiny_exec:",
    "mov rsi, rsp",
    "mov rdx, r13",
    "mov eax, 59", // execve(path, argv, envp)
    "syscall",
    "mov edi, 127", // what a shell answers for a program it cannot run
    "jmp .Ltiny_exit",
    // No mode: greet.
    ".Ltiny_greet:",
    "mov edi, 1",
    "lea rsi, [rip + .Ltiny_greeting]",
    "mov edx, 12",
    "mov eax, 1", // write(1, greeting, 12)
    "syscall",
    "jmp .Ltiny_success",
    // A failure, in rax: report and exit.
    ".Ltiny_failure:",
    "mov qword ptr [rsp], -1",
    "mov qword ptr [rsp + 8], rax",
    "call .Ltiny_reply",
    "mov edi, 1",
    "jmp .Ltiny_exit",
    ".Ltiny_refuse:",
    "mov edi, 2",
    "jmp .Ltiny_exit",
    ".Ltiny_success:",
    "xor edi, edi",
    ".Ltiny_exit:",
    "mov eax, 231", // exit_group(edi)
    "syscall",
    // The time in ns, to rax. Called: the caller's stack is 8 bytes up.
    ".Ltiny_time:",
    "mov edi, 4", // CLOCK_MONOTONIC_RAW
    "lea rsi, [rsp + 24]",
    "mov eax, 228", // clock_gettime(edi, timespec)
    "syscall",
    "imul rax, qword ptr [rsp + 24], 1000000000",
    "add rax, qword ptr [rsp + 32]",
    "ret",
    // Writes the reply. Called as above. A reply that cannot be written ends the program.
    ".Ltiny_reply:",
    "mov edi, 1",
    "lea rsi, [rsp + 8]",
    "mov edx, 16",
    "mov eax, 1", // write(1, reply, 16)
    "syscall",
    "cmp rax, 16",
    "jne .Ltiny_refuse",
    "ret",
    ".Ltiny_sh_path: .asciz \"/bin/sh\"",
    ".Ltiny_sh_name: .asciz \"sh\"",
    ".Ltiny_sh_flag: .asciz \"-c\"",
    ".Ltiny_greeting: .ascii \"Hello world\\n\"",
    "whyslow_tiny_end:",
    ".popsection",
);
