// SPDX-License-Identifier: GPL-2.0
/* The program that runs in the guest: what is shared, and aged memory. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "guest.h"

unsigned int colors;
bool colored;

char *map_anon(size_t pages)
{
	char *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	madvise(at, pages * PAGE, MADV_NOHUGEPAGE);
	return at;
}

void touch_pages(char *at, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		at[i * PAGE] = 1;
}

/* The page frame number behind an address, 0 where there is none. */
unsigned long frame_of(const char *at)
{
	static int map = -1;
	uint64_t entry = 0;

	if (map < 0)
		map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	CHECK(map >= 0);
	CHECK(pread(map, &entry, sizeof(entry), (off_t)((uintptr_t)at / PAGE * sizeof(entry))) == sizeof(entry));
	return entry >> 63 ? entry & ((1UL << 55) - 1) : 0;
}

static unsigned long counter(const char *name)
{
	char line[8192], format[32];
	unsigned long value = 0;
	FILE *file = fopen("/proc/page_color", "r");

	snprintf(format, sizeof(format), "%s %%lu", name);
	while (file && fgets(line, sizeof(line), file) && sscanf(line, format, &value) != 1)
		;
	if (file)
		fclose(file);
	return value;
}

/* Pages that did not get the color that was wanted, since the guest started. */
unsigned long fallbacks(void)
{
	return counter("fallbacks");
}

int make_file(const char *path, size_t pages)
{
	static char page[PAGE];
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(file >= 0);
	memset(page, 1, sizeof(page));
	for (size_t i = 0; i < pages; i++)
		CHECK(write(file, page, PAGE) == (ssize_t)PAGE);
	return file;
}

/*
 * A child takes @mb, gives back a random half page by page, and keeps the rest
 * while the tests run, as memory is after days of use.
 */
static pid_t age(unsigned int mb, unsigned int seed)
{
	size_t pages = mb * (1UL << 20) / PAGE;
	int ready[2];
	char byte;
	pid_t child;

	CHECK(!pipe(ready));
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		char *at = map_anon(pages);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		touch_pages(at, pages);
		srandom(seed);
		for (size_t i = 0; i < pages; i++) {
			if (random() & 1)
				CHECK(!madvise(at + i * PAGE, PAGE, MADV_DONTNEED));
		}
		CHECK(write(ready[1], "r", 1) == 1);
		for (;;)
			pause();
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

int main(int argc, char **argv)
{
	unsigned int mb = 0, seed = 1, seconds = 0;
	const char *what = argc > 1 ? argv[1] : "";
	pid_t child = 0;

	for (int i = 2; i < argc; i++) {
		if (sscanf(argv[i], "colors=%u", &colors) != 1 && sscanf(argv[i], "age=%u", &mb) != 1 &&
		    sscanf(argv[i], "seed=%u", &seed) != 1 && sscanf(argv[i], "seconds=%u", &seconds) != 1) {
			fprintf(stderr, "guest: '%s' is no option\n", argv[i]);
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "nothing"))
		return 0;
	colored = counter("colors") != 0;
	if (mb)
		child = age(mb, seed);
	if (!strcmp(what, "tests"))
		tests();
	else if (!strcmp(what, "misses"))
		misses();
	else if (!strcmp(what, "prices"))
		prices();
	else if (!strcmp(what, "faults"))
		faults();
	else if (!strcmp(what, "stress"))
		stress(seconds);
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return 0;
}
