// SPDX-License-Identifier: GPL-2.0
/* The program that runs in the guest: what is shared, and aged memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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
	static pid_t of;
	uint64_t entry = 0;

	/* What a parent has opened shows the pages of the parent. */
	if (of != getpid()) {
		if (map >= 0)
			close(map);
		map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
		of = getpid();
	}
	CHECK(map >= 0);
	CHECK(pread(map, &entry, sizeof(entry), (off_t)((uintptr_t)at / PAGE * sizeof(entry))) == sizeof(entry));
	return entry >> 63 ? entry & ((1UL << 55) - 1) : 0;
}

/* Of /proc/page_color, 0 where there is none. */
unsigned long counter(const char *name)
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

#define GROUPS "/sys/fs/cgroup/"

static int put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY), error = 0;

	if (file < 0)
		return -errno;
	if (write(file, text, strlen(text)) < 0)
		error = -errno;
	close(file);
	return error;
}

/* Whether there are control groups, and the kernel has sets of colors for them. */
bool groups_start(void)
{
	if (mount("cgroup2", GROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		return false;
	CHECK(!put(GROUPS "cgroup.subtree_control", "+cpuset"));
	return counter("colors") && !access(GROUPS "cpuset.page_colors.effective", R_OK);
}

int group_make(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), GROUPS "%s", name);
	if (mkdir(path, 0700))
		return -errno;
	/* So that it may have groups itself; one with processes may not. */
	snprintf(path, sizeof(path), GROUPS "%s/cgroup.subtree_control", name);
	return put(path, "+cpuset");
}

int group_remove(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), GROUPS "%s", name);
	return rmdir(path) ? -errno : 0;
}

int group_set(const char *name, const char *set)
{
	char path[128];

	snprintf(path, sizeof(path), GROUPS "%s/cpuset.page_colors", name);
	/* A write of nothing is none. */
	return put(path, *set ? set : "\n");
}

/* What the file has, without the end of the line, until the next call. */
char *group_get(const char *name, bool effective)
{
	static char text[PAGE];
	char path[128];
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), GROUPS "%s/cpuset.page_colors%s", name, effective ? ".effective" : "");
	file = open(path, O_RDONLY);
	CHECK(file >= 0);
	got = read(file, text, sizeof(text) - 1);
	CHECK(got >= 0);
	close(file);
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* @process 0 is the caller. */
int group_enter(const char *name, int process)
{
	char path[128], id[16];

	snprintf(path, sizeof(path), GROUPS "%s/cgroup.procs", name);
	snprintf(id, sizeof(id), "%d", process);
	return put(path, id);
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
