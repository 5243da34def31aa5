// SPDX-License-Identifier: GPL-2.0
/* Much at once on little memory, for a kernel with its checks on. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

enum { WORKERS = 6, MOST_PAGES = 4096 };

static void anonymous(void)
{
	size_t pages = 1 + (size_t)random() % MOST_PAGES;
	char *at = map_anon(pages);

	for (size_t i = 0; i < pages; i++)
		*(size_t *)(at + i * PAGE) = i;
	for (size_t i = 0; i < pages / 2; i++) {
		size_t page = (size_t)random() % pages;
		size_t held = *(size_t *)(at + page * PAGE);

		/* What a page holds is what was written, or it was given back. */
		CHECK(held == page || held == 0);
		if (!(random() & 3))
			CHECK(!madvise(at + page * PAGE, PAGE, MADV_DONTNEED));
	}
	munmap(at, pages * PAGE);
}

static void files(const char *folder)
{
	char name[64], page[PAGE];
	int file;

	snprintf(name, sizeof(name), "%s/%d", folder, (int)getpid());
	/* The disk is small, and shared by the workers. */
	file = make_file(name, 1 + (size_t)random() % 512);
	CHECK(!lseek(file, 0, SEEK_SET));
	while (read(file, page, PAGE) > 0)
		CHECK(page[0] == 1);
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	close(file);
	unlink(name);
}

static void forks(void)
{
	char *at = map_anon(256);
	pid_t child;

	touch_pages(at, 256);
	child = fork();
	if (!child) {
		touch_pages(at, 256);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	munmap(at, 256 * PAGE);
}

static void huge(void)
{
	size_t bytes = 8UL << 20;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	madvise(at, bytes, MADV_HUGEPAGE);
	touch_pages(at, bytes / PAGE);
	munmap(at, bytes);
}

static void write_to(const char *path)
{
	int file = open(path, O_WRONLY);

	if (file >= 0) {
		(void)!write(file, "1", 1);
		close(file);
	}
}

/*
 * Gives groups sets of colors, makes and removes them, and moves the workers among them, all the time. Some sets are
 * so small that they run out of pages.
 */
static void regroup(const pid_t *workers, time_t end)
{
	static const char *const names[] = { "a", "b", "a/c", "." };
	unsigned long turns = 0;
	char set[32];

	srandom(77);
	for (; time(NULL) < end; turns++) {
		const char *name = names[random() % 3];
		unsigned int first = (unsigned int)random() % 128, last = first + (unsigned int)random() % (128 - first);

		snprintf(set, sizeof(set), "%u-%u", first, last);
		group_make(name);
		group_set(name, random() & 3 ? set : "");
		group_enter(names[random() % 4], workers[random() % WORKERS]);
		if (!(random() % 8))
			group_remove(names[random() % 3]);
		usleep(20000);
	}
	printf("LAB stress groups turns=%lu\n", turns);
	fflush(stdout);
	_exit(0);
}

static void work(unsigned int seed, time_t end)
{
	srandom(seed);
	while (time(NULL) < end) {
		switch (random() % 8) {
		case 0:
			files("/tmp");
			break;
		case 1:
			files("/disk");
			break;
		case 2:
			forks();
			break;
		case 3:
			huge();
			break;
		case 4:
			write_to("/proc/sys/vm/compact_memory");
			break;
		default:
			anonymous();
		}
	}
	_exit(0);
}

void stress(unsigned int seconds)
{
	time_t end = time(NULL) + seconds;
	pid_t workers[WORKERS], child;
	unsigned int failed = 0;
	int status;

	if (swapon("/dev/ram1", 0))
		printf("LAB stress has no swap\n");
	for (unsigned int i = 0; i < WORKERS; i++) {
		workers[i] = fork();
		CHECK(workers[i] >= 0);
		if (!workers[i])
			work(i + 1, end);
	}
	if (groups_start()) {
		/* One that stays, so that code is not patched again and again, as where cpusets begin and end to be used. */
		CHECK(!group_make("stays"));
		child = fork();
		CHECK(child >= 0);
		if (!child)
			regroup(workers, end);
	} else {
		printf("LAB stress has no groups\n");
	}
	while (wait(&status) > 0)
		failed += status != 0;
	swapoff("/dev/ram1");
	if (groups_start()) {
		group_remove("a/c");
		group_remove("a");
		group_remove("b");
		group_remove("stays");
		failed += !access("/sys/fs/cgroup/a", F_OK) || !access("/sys/fs/cgroup/b", F_OK);
	}
	printf("LAB stress %s workers=%d failed=%u seconds=%u\n", failed ? "FAIL" : "pass", WORKERS, failed, seconds);
}
