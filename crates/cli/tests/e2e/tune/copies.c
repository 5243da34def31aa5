// Uses each memory routine, says which file it comes from, and what came of it. With an argument it writes beyond a block
// by the function of that name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char block[64];

static void where(const char *name) {
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, name);
    const char *file = "nowhere";
    if (function && dladdr(function, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        file = slash ? slash + 1 : info.dli_fname;
    }
    printf("%s %s\n", name, file);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        // The size is not known to the compiler, and the block's is.
        size_t bytes = sizeof block + (size_t)argc;
        char *other = calloc(1, 2 * bytes);
        if (!strcmp(argv[1], "memcpy")) memcpy(block, other, bytes);
        if (!strcmp(argv[1], "memmove")) memmove(block, other, bytes);
        if (!strcmp(argv[1], "memset")) memset(block, 1, bytes);
        return block[0] + other[0];
    }
    where("memcpy");
    where("memmove");
    where("memset");
    where("memcmp");
    where("bcmp");
    unsigned long sum = 0;
    size_t most = 3000000;
    unsigned char *one = malloc(most), *other = malloc(most);
    if (!one || !other) return 1;
    for (size_t i = 0; i < most; i++) one[i] = (unsigned char)(i * 31 + i / 251);
    for (size_t bytes = 0; bytes < most; bytes += bytes / 3 + 1) {
        memset(other, (int)bytes, most);
        memcpy(other + bytes % 7, one, bytes - bytes % 7);
        memmove(other + bytes % 100, other, (most - 100) / 2);
        sum = sum * 31 + (unsigned long)(memcmp(one, other, bytes) > 0) + other[most / 3] + other[bytes / 2];
    }
    printf("%lu\n", sum);
    return 0;
}
