// Puts a program under something, from outside: WHAT [NUMBER] -- PROGRAM ...
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(int failed, const char *what) {
    if (failed) {
        perror(what);
        exit(125);
    }
}

// A filter of n comparisons that match nothing, then allow.
static void filter(int n) {
    struct sock_filter *code = calloc(n + 2, sizeof *code);
    code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    for (int i = 1; i <= n; i++)
        code[i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xfffff000u + i, 0, 0);
    code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n + 2, .filter = code};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
}

// Stops every system call of the whole tree, as a tracer does.
static int trace(char **program) {
    pid_t child = fork();
    if (child == 0) {
        must(ptrace(PTRACE_TRACEME, 0, 0, 0), "traceme");
        raise(SIGSTOP);
        execvp(program[0], program);
        _exit(127);
    }
    int status, result = 0;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, 0,
           PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    for (;;) {
        pid_t who = waitpid(-1, &status, __WALL);
        if (who < 0) return result;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (who == child) result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            continue;
        }
        int signal = WSTOPSIG(status);
        int own = signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP;
        ptrace(PTRACE_SYSCALL, who, 0, own ? 0 : signal);
    }
}

// Stops and continues the process group for as many microseconds each.
static int halve(char **program, int us) {
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execvp(program[0], program);
        _exit(127);
    }
    setpgid(child, child);
    struct timespec nap = {0, us * 1000L};
    int status;
    for (;;) {
        nanosleep(&nap, 0);
        kill(-child, SIGSTOP);
        nanosleep(&nap, 0);
        kill(-child, SIGCONT);
        if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return 125;
    const char *what = argv[1];
    int n = atoi(argv[2]);
    char **program = argv + 3;
    struct sched_param none = {0};
    if (!strcmp(what, "slack")) must(prctl(PR_SET_TIMERSLACK, (unsigned long)n, 0, 0, 0), what);
    else if (!strcmp(what, "idle")) must(sched_setscheduler(0, SCHED_IDLE, &none), what);
    else if (!strcmp(what, "batch")) must(sched_setscheduler(0, SCHED_BATCH, &none), what);
    else if (!strcmp(what, "seccomp")) filter(n);
    else if (!strcmp(what, "thp")) must(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), what);
    else if (!strcmp(what, "store")) must(prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, PR_SPEC_DISABLE, 0, 0), what);
    else if (!strcmp(what, "branch")) must(prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_DISABLE, 0, 0), what);
    else if (!strcmp(what, "random")) must(personality(ADDR_NO_RANDOMIZE) < 0, what);
    else if (!strcmp(what, "files")) {
        struct rlimit limit = {n + 1024, n + 1024};
        must(setrlimit(RLIMIT_NOFILE, &limit), what);
        for (int i = 0; i < n; i++) must(open("/dev/null", O_RDONLY) < 0, what);
    } else if (!strcmp(what, "stack")) {
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
        must(setrlimit(RLIMIT_STACK, &limit), what);
    } else if (!strcmp(what, "trace")) return trace(program);
    else if (!strcmp(what, "halve")) return halve(program, n);
    else return 125;
    execvp(program[0], program);
    perror(program[0]);
    return 127;
}
