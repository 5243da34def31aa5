// SPDX-License-Identifier: GPL-2.0
/* What the plugin counts: misses of working sets, instructions of faults and of system calls. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

enum { PASSES = 200, CALLS = 2000, FEW = 50, FAULTS = 12288, BUFFER_PAGES = 16,
       L2_PAGES = 128 /* 512 KiB, the cache that the lab models */ };

/* Not inlined, so that the loop is the same in all its uses. */
static __attribute__((noinline)) unsigned long reread(const char *at, size_t bytes, unsigned int passes)
{
	const volatile unsigned long *words = (const volatile unsigned long *)at;
	unsigned long sum = 0;

	while (passes--)
		for (size_t i = 0; i < bytes / sizeof(*words); i += 8)
			sum += words[i];
	return sum;
}

/* Files are read as programs do: into a buffer, over and over. */
static __attribute__((noinline)) void reread_file(int file, char *buffer, unsigned int passes)
{
	while (passes--) {
		ssize_t got;

		CHECK(!lseek(file, 0, SEEK_SET));
		while ((got = read(file, buffer, BUFFER_PAGES * PAGE)) > 0)
			;
		CHECK(!got);
	}
}

/* Files too are forgotten, so that they get their colors anew. */
static void drop_caches(void)
{
	int file = open("/proc/sys/vm/drop_caches", O_WRONLY);

	CHECK(file >= 0 && write(file, "3", 1) == 1 && !close(file));
}

void misses(void)
{
	size_t pages = L2_PAGES;
	char *buffer = map_anon(BUFFER_PAGES), *at;
	unsigned int order[L2_PAGES];
	int file;

	touch_pages(buffer, BUFFER_PAGES);
	at = map_anon(pages);
	touch_pages(at, pages);
	reread(at, pages * PAGE, 1);
	MARK(MISSES_ANON);
	reread(at, pages * PAGE, PASSES);
	MARK(END);
	munmap(at, pages * PAGE);

	at = map_anon(pages / 2);
	touch_pages(at, pages / 2);
	reread(at, pages / 2 * PAGE, 1);
	MARK(MISSES_ANON_HALF);
	reread(at, pages / 2 * PAGE, PASSES);
	MARK(END);
	munmap(at, pages / 2 * PAGE);

	/* The same, touched in no order. */
	at = map_anon(pages);
	for (unsigned int i = 0; i < pages; i++)
		order[i] = i;
	srandom(7);
	for (unsigned int i = pages - 1; i; i--) {
		unsigned int other = (unsigned int)random() % (i + 1), held = order[i];

		order[i] = order[other];
		order[other] = held;
	}
	for (unsigned int i = 0; i < pages; i++)
		at[order[i] * PAGE] = 1;
	reread(at, pages * PAGE, 1);
	MARK(MISSES_ORDER);
	reread(at, pages * PAGE, PASSES);
	MARK(END);
	munmap(at, pages * PAGE);

	/* A buffer that has been there for long, and a file that begins at any color. */
	file = make_file("/tmp/file", pages - BUFFER_PAGES);
	reread_file(file, buffer, 1);
	MARK(MISSES_OLD_BUFFER);
	reread_file(file, buffer, PASSES / 2);
	MARK(END);
	close(file);
	unlink("/tmp/file");

	/* A program that starts, takes a buffer, and reads: together as much as the cache. */
	buffer = map_anon(BUFFER_PAGES);
	touch_pages(buffer, BUFFER_PAGES);
	file = make_file("/tmp/file", pages - BUFFER_PAGES);
	reread_file(file, buffer, 1);
	MARK(MISSES_TMPFS);
	reread_file(file, buffer, PASSES / 2);
	MARK(END);
	close(file);
	unlink("/tmp/file");

	buffer = map_anon(BUFFER_PAGES);
	touch_pages(buffer, BUFFER_PAGES);
	file = make_file("/disk/file", pages - BUFFER_PAGES);
	CHECK(!fsync(file) && !close(file));
	drop_caches();
	file = open("/disk/file", O_RDONLY);
	CHECK(file >= 0);
	reread_file(file, buffer, 1);
	MARK(MISSES_FILE);
	reread_file(file, buffer, PASSES / 2);
	MARK(END);
	close(file);
	unlink("/disk/file");
}

/* The second round takes what the first one gave back. */
void faults(void)
{
	char *at = map_anon(FAULTS);

	MARK(FAULT);
	touch_pages(at, FAULTS);
	MARK(END);
	munmap(at, FAULTS * PAGE);
	at = map_anon(FAULTS);
	MARK(FAULT_AGAIN);
	touch_pages(at, FAULTS);
	MARK(END);
	munmap(at, FAULTS * PAGE);
}

static void calls(void)
{
	static char page[PAGE];
	int zero = open("/dev/zero", O_RDONLY), pipes[2];
	struct stat status;

	CHECK(zero >= 0 && !pipe(pipes));
	syscall(SYS_getppid);
	MARK(NULL_CALL);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	MARK(END);
	CHECK(read(zero, page, 1) == 1);
	MARK(NULL_IO);
	for (int i = 0; i < CALLS; i++)
		CHECK(read(zero, page, 1) == 1);
	MARK(END);
	CHECK(!stat("/dev/zero", &status));
	MARK(STAT);
	for (int i = 0; i < CALLS; i++)
		CHECK(!stat("/dev/zero", &status));
	MARK(END);
	MARK(OPEN_CLOSE);
	for (int i = 0; i < CALLS; i++) {
		int file = open("/dev/zero", O_RDONLY);

		CHECK(file >= 0 && !close(file));
	}
	MARK(END);
	CHECK(write(pipes[1], page, PAGE) == (ssize_t)PAGE && read(pipes[0], page, PAGE) == (ssize_t)PAGE);
	MARK(PIPE_PAGE);
	for (int i = 0; i < CALLS; i++)
		CHECK(write(pipes[1], page, PAGE) == (ssize_t)PAGE && read(pipes[0], page, PAGE) == (ssize_t)PAGE);
	MARK(END);
	close(zero);
	close(pipes[0]);
	close(pipes[1]);
}

static void fork_one(bool exec)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		if (exec)
			execl("/guest", "guest", "nothing", NULL);
		_exit(0);
	}
	CHECK(waitpid(child, NULL, 0) == child);
}

static void processes(void)
{
	fork_one(false);
	MARK(FORK_EXIT);
	for (int i = 0; i < FEW; i++)
		fork_one(false);
	MARK(END);
	fork_one(true);
	MARK(FORK_EXEC);
	for (int i = 0; i < FEW; i++)
		fork_one(true);
	MARK(END);
}

static void files(void)
{
	static char data[3 * PAGE];
	char *buffer = map_anon(BUFFER_PAGES), *at, name[32];
	size_t pages = 1024;
	int file;

	MARK(FILE_CREATE);
	for (int i = 0; i < FEW; i++) {
		snprintf(name, sizeof(name), "/disk/%d", i);
		file = open(name, O_RDWR | O_CREAT, 0600);
		CHECK(file >= 0 && write(file, data, 10240) == 10240 && !close(file));
	}
	MARK(END);
	MARK(FILE_DELETE);
	for (int i = 0; i < FEW; i++) {
		snprintf(name, sizeof(name), "/disk/%d", i);
		CHECK(!unlink(name));
	}
	MARK(END);
	file = make_file("/disk/file", pages);
	touch_pages(buffer, BUFFER_PAGES);
	reread_file(file, buffer, 1);
	MARK(FILE_REREAD);
	reread_file(file, buffer, 4);
	MARK(END);
	at = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, file, 0);
	CHECK(at != MAP_FAILED);
	MARK(FILE_FAULT);
	reread(at, pages * PAGE, 1);
	MARK(END);
	MARK(MMAP_REREAD);
	reread(at, pages * PAGE, 4);
	MARK(END);
	munmap(at, pages * PAGE);
	close(file);
	unlink("/disk/file");
}

void prices(void)
{
	calls();
	processes();
	files();
}
