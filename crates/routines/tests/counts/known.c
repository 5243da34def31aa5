// Copies and fills a known number of times, and ends as its argument says: `fork` does the same in a child as well, which
// ends without its exit handlers; `exec` starts itself anew from a child; `drop` starts itself without its environment.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile move)(void *, const void *, size_t) = memmove;
static void *(*volatile fill)(void *, int, size_t) = memset;

static void work(void) {
    char *a = aligned_alloc(4096, 1 << 20), *b = aligned_alloc(4096, 1 << 20);
    if (!a || !b) _exit(9);
    for (int i = 0; i < 300; i++) copy(b + 8, a, 16384);
    for (int i = 0; i < 70; i++) copy(b, a + 100, 5000);
    for (int i = 0; i < 11; i++) move(b + 4096 + 40, b, 65536);
    for (int i = 0; i < 5; i++) move(a, b, 100000);
    for (int i = 0; i < 9; i++) fill(a, i, 777);
    for (int i = 0; i < 100000; i++) fill(b, i, 1);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    char *own[] = {argv[0], "plain", 0};
    char *none[] = {0};
    if (!strcmp(how, "drop")) execve(argv[0], own, none);
    work();
    if (!strcmp(how, "fork") || !strcmp(how, "exec")) {
        int status = 1;
        pid_t child = fork();
        if (child == 0) {
            if (!strcmp(how, "exec")) execv(argv[0], own);
            work();
            _exit(0);
        }
        waitpid(child, &status, 0);
        return status != 0;
    }
    if (!strcmp(how, "fail")) return 3;
    _exit(0);
}
