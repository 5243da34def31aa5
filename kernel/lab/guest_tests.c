// SPDX-License-Identifier: GPL-2.0
/* Which colors pages get: by kind of memory, and after what moves them. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

enum { PER_COLOR = 4, MOST_COLORS = 512 };

/*
 * How evenly the frames of @pages pages lie over the colors. A kernel that
 * colors gives each color its share, but for one page and for the fallbacks
 * that it counted. Of chance, chi-square would be near its degrees of freedom.
 */
static void histogram(const char *kind, const char *at, size_t pages, unsigned long fell)
{
	unsigned int held[MOST_COLORS] = {}, least = ~0U, most = 0;
	double expected = (double)pages / colors, chi = 0;
	size_t absent = 0;
	bool even;

	for (size_t i = 0; i < pages; i++) {
		unsigned long frame = frame_of(at + i * PAGE);

		if (frame)
			held[frame % colors]++;
		else
			absent++;
	}
	for (unsigned int color = 0; color < colors; color++) {
		chi += (held[color] - expected) * (held[color] - expected) / expected;
		least = held[color] < least ? held[color] : least;
		most = held[color] > most ? held[color] : most;
	}
	even = !absent && most - least <= 1 + fell;
	printf("LAB hist %s %s pages=%zu least=%u most=%u chi2=%.1f df=%u fallbacks=%lu absent=%zu\n", kind,
	       !colored ? "stock" : even ? "pass" : "FAIL", pages, least, most, chi, colors - 1, fell, absent);
}

static size_t some(void)
{
	return (size_t)colors * PER_COLOR;
}

/* The pages are the only ones that this process takes meanwhile. */
static void anonymous(void)
{
	unsigned long before = fallbacks();
	char *at = map_anon(some());

	frame_of(at);
	touch_pages(at, some());
	histogram("anon", at, some(), fallbacks() - before);
	munmap(at, some() * PAGE);
}

static void shared(void)
{
	unsigned long before = fallbacks();
	char *at = mmap(NULL, some() * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	touch_pages(at, some());
	histogram("shared", at, some(), fallbacks() - before);
	munmap(at, some() * PAGE);
}

/* @fresh: as read from the disk; else as written. */
static void file(const char *kind, const char *path, bool fresh)
{
	unsigned long before = fallbacks(), sum = 0;
	int file = make_file(path, some());
	char *at;

	if (fresh) {
		CHECK(!fsync(file) && !posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED));
		before = fallbacks();
	}
	at = mmap(NULL, some() * PAGE, PROT_READ, MAP_SHARED, file, 0);
	CHECK(at != MAP_FAILED);
	for (size_t i = 0; i < some(); i++)
		sum += ((volatile char *)at)[i * PAGE];
	CHECK(sum == some());
	histogram(kind, at, some(), fallbacks() - before);
	munmap(at, some() * PAGE);
	close(file);
	unlink(path);
}

static void copied_on_write(void)
{
	char *at = map_anon(some());
	pid_t child;

	touch_pages(at, some());
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		unsigned long before = fallbacks();

		touch_pages(at, some());
		histogram("cow", at, some(), fallbacks() - before);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	munmap(at, some() * PAGE);
}

static void swapped(void)
{
	unsigned long before;
	char *at;

	if (swapon("/dev/ram1", 0)) {
		printf("LAB hist swap skip no swap device\n");
		return;
	}
	at = map_anon(some());
	touch_pages(at, some());
	CHECK(!madvise(at, some() * PAGE, MADV_PAGEOUT));
	before = fallbacks();
	touch_pages(at, some());
	histogram("swap", at, some(), fallbacks() - before);
	munmap(at, some() * PAGE);
	swapoff("/dev/ram1");
}

/* From one node to the other; a page keeps its color. */
static void migrated(void)
{
	void **pages = calloc(some(), sizeof(*pages));
	int *nodes = calloc(some(), sizeof(*nodes)), *status = calloc(some(), sizeof(*status));
	unsigned int moved = 0, kept = 0;
	unsigned long *frames = calloc(some(), sizeof(*frames));
	char *at = map_anon(some());

	CHECK(pages && nodes && status && frames);
	if (access("/sys/devices/system/node/node1", F_OK)) {
		printf("LAB hist migrate skip one node\n");
		return;
	}
	touch_pages(at, some());
	for (size_t i = 0; i < some(); i++) {
		pages[i] = at + i * PAGE;
		frames[i] = frame_of(pages[i]);
	}
	CHECK(!syscall(SYS_move_pages, 0, some(), pages, NULL, status, 0));
	for (size_t i = 0; i < some(); i++)
		nodes[i] = !status[i];
	CHECK(syscall(SYS_move_pages, 0, some(), pages, nodes, status, 2) >= 0);
	for (size_t i = 0; i < some(); i++) {
		unsigned long frame = frame_of(pages[i]);

		moved += frame != frames[i];
		kept += frame % colors == frames[i] % colors;
	}
	printf("LAB hist migrate %s pages=%zu moved=%u kept=%u\n",
	       !colored ? "stock" : moved == some() && kept == moved ? "pass" : "FAIL", some(), moved, kept);
	munmap(at, some() * PAGE);
	free(pages);
	free(nodes);
	free(status);
	free(frames);
}

/* Whether memory that is bound to a node lies there: frames of node 1 are above those of node 0. */
static void nodes_are_kept(void)
{
	void **pages = calloc(some(), sizeof(*pages));
	int *status = calloc(some(), sizeof(*status));
	unsigned long mask = 2;
	size_t there = 0;
	char *at = map_anon(some());

	CHECK(pages && status);
	if (access("/sys/devices/system/node/node1", F_OK)) {
		printf("LAB check nodes skip one node\n");
		return;
	}
	CHECK(!syscall(SYS_mbind, at, some() * PAGE, 2, &mask, 8 * sizeof(mask), 0));
	touch_pages(at, some());
	for (size_t i = 0; i < some(); i++)
		pages[i] = at + i * PAGE;
	CHECK(!syscall(SYS_move_pages, 0, some(), pages, NULL, status, 0));
	for (size_t i = 0; i < some(); i++)
		there += status[i] == 1;
	printf("LAB check nodes %s pages=%zu there=%zu\n", there == some() ? "pass" : "FAIL", some(), there);
	munmap(at, some() * PAGE);
	free(pages);
	free(status);
}

/*
 * Of much memory with holes, some is moved. Compaction has few free pages at a time to choose from, so that not all
 * keep their color; of chance, one in as many as there are colors would.
 */
static void compacted(void)
{
	enum { PAGES = 16384 };
	unsigned long *frames = calloc(PAGES, sizeof(*frames));
	unsigned int moved = 0, kept = 0;
	char *at = map_anon(PAGES);
	int file = open("/proc/sys/vm/compact_memory", O_WRONLY);

	CHECK(frames);
	if (file < 0) {
		printf("LAB hist compaction skip no compaction\n");
		return;
	}
	touch_pages(at, PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		if (random() & 1)
			madvise(at + i * PAGE, PAGE, MADV_DONTNEED);
		else
			frames[i] = frame_of(at + i * PAGE);
	}
	CHECK(write(file, "1", 1) == 1);
	close(file);
	for (size_t i = 0; i < PAGES; i++) {
		unsigned long frame = frames[i] ? frame_of(at + i * PAGE) : 0;

		moved += frame != frames[i];
		kept += frame != frames[i] && frame % colors == frames[i] % colors;
	}
	printf("LAB hist compaction %s moved=%u kept=%u\n",
	       !colored ? "stock" : moved && kept * 5UL >= moved ? "pass" : "FAIL", moved, kept);
	munmap(at, PAGES * PAGE);
	free(frames);
}

/* A huge page has all colors, and is had as without coloring. */
static void huge(void)
{
	size_t bytes = 2UL << 20;
	char *raw = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((uintptr_t)raw + bytes - 1) & ~(bytes - 1));
	unsigned long first;
	bool whole = true;

	CHECK(raw != MAP_FAILED);
	if (madvise(at, bytes, MADV_HUGEPAGE)) {
		printf("LAB check huge skip no huge pages\n");
		return;
	}
	at[0] = 1;
	first = frame_of(at);
	for (size_t i = 0; i < bytes / PAGE; i++)
		whole &= frame_of(at + i * PAGE) == first + i;
	printf("LAB check huge %s first=%lu\n", whole && first % 512 == 0 ? "pass" : "FAIL", first);
	munmap(raw, 2 * bytes);
}

void tests(void)
{
	CHECK(colors && colors <= MOST_COLORS);
	anonymous();
	shared();
	file("tmpfs", "/tmp/file", false);
	file("file-written", "/disk/file", false);
	file("file-read", "/disk/file", true);
	copied_on_write();
	swapped();
	migrated();
	nodes_are_kept();
	compacted();
	huge();
}
