// What programs do with memory, threads and processes, each checked by itself; prints a line for each.
// `behave PART...` does those parts. Nothing printed depends on addresses or time.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static uint64_t fill(unsigned char *at, size_t bytes, uint64_t seed) {
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        seed = seed * 6364136223846793005u + 1;
        memcpy(at + i, &seed, 8);
    }
    return seed;
}

static uint64_t sum(const unsigned char *at, size_t bytes) {
    uint64_t sum = 0, word;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        memcpy(&word, at + i, 8);
        sum = sum * 31 + word;
    }
    return sum;
}

static int all_zero(const unsigned char *at, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (at[i]) return 0;
    return 1;
}

static void say(const char *what, int right) { printf("%s %s\n", what, right ? "right" : "WRONG"); }

static void block(void) {
    unsigned char *a = malloc(MIB);
    fill(a, MIB, 1);
    printf("block %016llx\n", (unsigned long long)sum(a, MIB));
    unsigned char *b = calloc(3, MIB);
    say("calloc is zero", all_zero(b, 3 * MIB));
    void *c = NULL;
    say("posix_memalign", posix_memalign(&c, 65536, MIB) == 0 && (uintptr_t)c % 65536 == 0);
    void *d = aligned_alloc(4096, MIB);
    say("aligned_alloc", d && (uintptr_t)d % 4096 == 0);
    memset(c, 1, MIB), memset(d, 2, MIB);
    volatile size_t half = SIZE_MAX / 2;
    errno = 77;
    void *e = malloc(MIB);
    say("errno is kept", errno == 77);
    say("too much is refused", malloc(half) == NULL && calloc(half, 4) == NULL);
    free(a), free(b), free(c), free(d), free(e);
}

static void grow(void) {
    unsigned char *a = NULL;
    uint64_t expected = 0;
    for (size_t mib = 1; mib <= 8; mib++) {
        a = realloc(a, mib * MIB);
        if (mib > 1) say("content moved along", sum(a, (mib - 1) * MIB) == expected);
        fill(a + (mib - 1) * MIB, MIB, mib);
        expected = sum(a, mib * MIB);
    }
    a = realloc(a, MIB / 2);
    printf("shrunk %016llx\n", (unsigned long long)sum(a, MIB / 2));
    free(a);
}

static void maps(void) {
    int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    unsigned char *a = mmap(NULL, MIB, PROT_READ | PROT_WRITE, kind, -1, 0);
    say("mmap is zero", all_zero(a, MIB));
    fill(a, MIB, 3);
    uint64_t expected = sum(a, MIB);
    a = mremap(a, MIB, 2 * MIB, MREMAP_MAYMOVE);
    say("mremap keeps", sum(a, MIB) == expected && all_zero(a + MIB, MIB));
    say("mprotect", mprotect(a, MIB, PROT_READ) == 0 && sum(a, MIB) == expected);
    mprotect(a, MIB, PROT_READ | PROT_WRITE);
    madvise(a, MIB / 2, MADV_DONTNEED);
    say("MADV_DONTNEED drops", all_zero(a, MIB / 2) && !all_zero(a + MIB / 2, MIB / 2));
    madvise(a, MIB, MADV_MERGEABLE), madvise(a, MIB, MADV_HUGEPAGE), madvise(a, MIB, MADV_FREE);
    say("mlock", mlock(a, 65536) == 0 || errno == ENOMEM || errno == EPERM);
    // Kernel accesses to memory that was never touched.
    unsigned char *b = mmap(NULL, MIB, PROT_READ | PROT_WRITE, kind, -1, 0);
    int ends[2];
    say("pipe", pipe(ends) == 0 && write(ends[1], "hello", 5) == 5);
    say("read into it", read(ends[0], b + 300000, 5) == 5 && !memcmp(b + 300000, "hello", 5));
    say("write from it", write(ends[1], b + 500000, 9) == 9);
    say("mincore", munmap(b, MIB) == 0 && munmap(a, 2 * MIB) == 0);
    errno = 0;
    void *bad = mmap(NULL, 0, PROT_READ, kind, -1, 0);
    say("mmap fails as ever", bad == MAP_FAILED && errno == EINVAL);
    say("syscall fails as ever", syscall(SYS_close, -1) == -1 && errno == EBADF);
    say("syscall with six", (long)(b = (void *)syscall(SYS_mmap, 0, MIB, 3, kind, -1, 0)) != -1 && all_zero(b, MIB));
}

static void *work(void *number) {
    uintptr_t right = 1;
    for (int i = 0; i < 12; i++) {
        size_t bytes = MIB / 2 + (size_t)i * 40960;
        unsigned char *a = malloc(bytes);
        fill(a, bytes, (uintptr_t)number + i);
        uint64_t before = sum(a, bytes);
        a = realloc(a, bytes + MIB);
        right &= sum(a, bytes) == before;
        free(a);
    }
    return (void *)right;
}

static void threads(void) {
    pthread_t all[8];
    int right = 1;
    for (uintptr_t i = 0; i < 8; i++) pthread_create(&all[i], NULL, work, (void *)i);
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(all[i], &result);
        right &= result == (void *)1;
    }
    say("threads", right);
}

// Children are born while another thread allocates, and allocate themselves.
static void forks(void) {
    pthread_t other;
    unsigned char *kept = malloc(MIB);
    fill(kept, MIB, 5);
    uint64_t expected = sum(kept, MIB);
    pthread_create(&other, NULL, work, (void *)9);
    int right = 1;
    for (int i = 0; i < 12; i++) {
        pid_t child = fork();
        if (child == 0) {
            unsigned char *a = calloc(1, MIB);
            int fine = all_zero(a, MIB) && sum(kept, MIB) == expected;
            memset(kept, i, MIB);
            _exit(fine ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        right &= status == 0;
    }
    void *result;
    pthread_join(other, &result);
    say("forks", right && result == (void *)1 && sum(kept, MIB) == expected);
}

static volatile int ticks;
static jmp_buf out;
static void tick(int signal) { (void)signal; ticks++; }
static void leap(int signal) { (void)signal; siglongjmp(out, 1); }

// Signals that come while memory is given, some of which never return.
static void signals(void) {
    signal(SIGALRM, tick);
    struct { long s, us, next_s, next_us; } every = {0, 500, 0, 500};
    syscall(SYS_setitimer, 0, &every, NULL);
    volatile int right = 1;
    for (int i = 0; i < 40; i++) {
        unsigned char *a = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        right &= all_zero(a, MIB);
        munmap(a, MIB);
    }
    // There is a place to leap to before anybody leaps.
    if (!sigsetjmp(out, 1)) signal(SIGALRM, leap);
    for (volatile int i = 0; i < 40; i++) {
        if (sigsetjmp(out, 1)) continue;
        unsigned char *a = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        right &= all_zero(a, MIB);
    }
    every.s = every.us = every.next_s = every.next_us = 0;
    syscall(SYS_setitimer, 0, &every, NULL);
    say("signals", right && ticks > 0);
}

static void deny(int by_number) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getcpu, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    int set = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (by_number)
        set &= syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
    else
        set &= prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    say("filter", set);
}

// A filter that kills a process that moves pages: set before and after the first block.
static void sandbox(void) {
    for (int way = 0; way < 4; way++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            void *volatile before = way & 1 ? malloc(MIB) : NULL;
            free(before);
            deny(way & 2);
            unsigned char *a = calloc(1, 2 * MIB);
            int fine = all_zero(a, 2 * MIB);
            fflush(stdout);
            _exit(fine ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        say("sandbox", status == 0);
    }
}

// Two rounds with pages that have moved between them, if memory is compacted meanwhile.
static void hold(void) {
    unsigned char *a = malloc(8 * MIB);
    fill(a, 8 * MIB, 8);
    uint64_t expected = sum(a, 8 * MIB);
    int right = 1;
    for (int i = 0; i < 20; i++) {
        usleep(20000);
        right &= sum(a, 8 * MIB) == expected;
    }
    say("held", right);
}

// As many blocks as memory allows, then goes on.
static void limit(void) {
    int blocks = 0;
    unsigned char *a;
    while (blocks < 400 && (a = malloc(MIB))) memset(a, 1, MIB), blocks++;
    say("some blocks", blocks > 4);
    say("the end was met", blocks < 400);
}

// Much is reserved and little of it used, by far less than what a small machine has.
static void sparse(void) {
    int right = 1;
    for (int i = 0; i < 96; i++) {
        unsigned char *a = malloc(MIB);
        right &= a != NULL;
        if (a) a[i * 4096] = 1;
    }
    unsigned char *b = malloc(16 * MIB);
    memset(b, 1, 16 * MIB);
    say("sparse", right && b[MIB] == 1);
}

// Blocks of equal pages, which the kernel may share and must part again.
static void merge(void) {
    enum { SET_MEMORY_MERGE = 67 };
    prctl(SET_MEMORY_MERGE, 1, 0, 0, 0);
    int right = 1;
    for (int i = 0; i < 8; i++) {
        unsigned char *a = calloc(2, MIB);
        right &= all_zero(a, 2 * MIB);
        memset(a, i + 1, 2 * MIB);
        madvise((void *)(((uintptr_t)a + 4095) & -4096), MIB, MADV_MERGEABLE);
        usleep(60000);
        for (size_t at = 0; at < 2 * MIB; at += 4096) right &= a[at] == i + 1, a[at] = i;
        for (size_t at = 0; at < 2 * MIB; at += 4096) right &= a[at] == i && a[at + 1] == i + 1;
        if (i % 2) free(a);
    }
    say("merged", right);
}

static void many(void) {
    uint64_t total = 0;
    for (int i = 0; i < 64; i++) {
        unsigned char *a = malloc(MIB / 2);
        fill(a, MIB / 2, i);
        total += sum(a, MIB / 2);
    }
    printf("many %016llx\n", (unsigned long long)total);
}

int main(int count, char **names) {
    const struct { const char *name; void (*part)(void); } parts[] = {
        {"block", block}, {"grow", grow},       {"maps", maps}, {"threads", threads}, {"forks", forks},
        {"signals", signals}, {"sandbox", sandbox}, {"hold", hold}, {"limit", limit},   {"many", many},
        {"sparse", sparse}, {"merge", merge},
    };
    for (int i = 1; i < count; i++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
            if (!strcmp(names[i], parts[p].name)) parts[p].part();
    return 0;
}
