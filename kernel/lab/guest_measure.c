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
       /* So many that the lists of a CPU are refilled and emptied many times: within a few files it is chance whether once. */
       FILES = 500, FILE_ROUNDS = 16,
       L2_PAGES = 128 /* 512 KiB, the cache that the lab models */,
       NEIGHBOR_PAGES = 32, STREAM_PAGES = 512, TURNS = 50 };

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

static void left_by_another(const char *path, size_t pages)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		CHECK(!fsync(make_file(path, pages)));
		_exit(0);
	}
	CHECK(waitpid(child, NULL, 0) == child);
	drop_caches();
}

/* Goes through memory and through a file, each twice as big as the cache, whenever it is told to. */
static void stream(const char *group, int from, int to)
{
	char *buffer = map_anon(BUFFER_PAGES), *at = map_anon(STREAM_PAGES / 2), byte;
	int file;

	if (group)
		CHECK(!group_enter(group, 0));
	touch_pages(buffer, BUFFER_PAGES);
	touch_pages(at, STREAM_PAGES / 2);
	file = make_file("/tmp/stream", STREAM_PAGES / 2);
	while (read(from, &byte, 1) == 1) {
		reread(at, STREAM_PAGES / 2 * PAGE, 1);
		reread_file(file, buffer, 1);
		CHECK(write(to, &byte, 1) == 1);
	}
	close(file);
	unlink("/tmp/stream");
	_exit(0);
}

/* A working set of a quarter of the cache, gone through once after each turn of a process that streams. */
static void beside_stream(unsigned int region, const char *group, const char *group_of_stream)
{
	int to[2], from[2];
	char *at, byte = 0;
	pid_t worker = fork(), child;

	CHECK(worker >= 0);
	if (worker) {
		CHECK(waitpid(worker, NULL, 0) == worker);
		return;
	}
	CHECK(!pipe(to) && !pipe(from));
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		close(to[1]);
		stream(group_of_stream, to[0], from[1]);
	}
	if (group)
		CHECK(!group_enter(group, 0));
	at = map_anon(NEIGHBOR_PAGES);
	touch_pages(at, NEIGHBOR_PAGES);
	reread(at, NEIGHBOR_PAGES * PAGE, 1);
	/* The model sees what is in a region only, so the other process and what the kernel does between are in one. */
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		MARK(STREAM);
		CHECK(write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1);
		if (region == NEIGHBOR)
			MARK(NEIGHBOR);
		else
			MARK(NEIGHBOR_APART);
		reread(at, NEIGHBOR_PAGES * PAGE, 1);
		MARK(END);
	}
	close(to[1]);
	CHECK(waitpid(child, NULL, 0) == child);
	_exit(0);
}

/* Without groups, and with a quarter of the colors for the one and the rest for the other. */
static void neighbors(void)
{
	unsigned int all = (unsigned int)counter("colors");
	char few[32], rest[32];

	beside_stream(NEIGHBOR, NULL, NULL);
	if (!groups_start())
		return;
	snprintf(few, sizeof(few), "%u-%u", all - all / 4, all - 1);
	snprintf(rest, sizeof(rest), "0-%u", all - all / 4 - 1);
	CHECK(!group_make("few") && !group_make("rest") && !group_set("few", few) && !group_set("rest", rest));
	beside_stream(NEIGHBOR_APART, "few", "rest");
	CHECK(!group_remove("few") && !group_remove("rest"));
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

	/* One that another program has left on the disk. */
	left_by_another("/disk/file", pages - BUFFER_PAGES);
	buffer = map_anon(BUFFER_PAGES);
	touch_pages(buffer, BUFFER_PAGES);
	file = open("/disk/file", O_RDONLY);
	CHECK(file >= 0);
	reread_file(file, buffer, 1);
	MARK(MISSES_FILE);
	reread_file(file, buffer, PASSES / 2);
	MARK(END);
	close(file);
	unlink("/disk/file");

	neighbors();
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

	/* A third time, with three quarters of the colors. */
	if (!groups_start())
		return;
	CHECK(!group_make("set") && !group_set("set", "32-127") && !group_enter("set", 0));
	at = map_anon(FAULTS);
	MARK(FAULT_IN_SET);
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

	for (int round = 0; round < FILE_ROUNDS; round++) {
		MARK(FILE_CREATE);
		for (int i = 0; i < FILES; i++) {
			snprintf(name, sizeof(name), "/disk/%d", i);
			file = open(name, O_RDWR | O_CREAT, 0600);
			CHECK(file >= 0 && write(file, data, 10240) == 10240 && !close(file));
		}
		MARK(END);
		MARK(FILE_DELETE);
		for (int i = 0; i < FILES; i++) {
			snprintf(name, sizeof(name), "/disk/%d", i);
			CHECK(!unlink(name));
		}
		MARK(END);
	}
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
