// SPDX-License-Identifier: GPL-2.0
/* Which colors pages get: by kind of memory, and after what moves them. */
#include <errno.h>
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

/* The colors that the process may have: all, or those of its control group, whose name kinds of memory begin with. */
static struct {
	const char *name;
	bool has[MOST_COLORS];
	unsigned int nr;
} set = { .name = "" };

static void set_all(void)
{
	set.nr = colors;
	for (unsigned int color = 0; color < colors; color++)
		set.has[color] = true;
}

/* As the kernel writes it: numbers and ranges. */
static void set_list(const char *text)
{
	unsigned int first, last;
	int length;

	memset(set.has, 0, sizeof(set.has));
	set.nr = 0;
	for (; *text; text += length + (text[length] == ',')) {
		if (sscanf(text, "%u%n", &first, &length) != 1)
			CHECK(!"a list of colors");
		last = first;
		if (text[length] == '-') {
			text += length + 1;
			CHECK(sscanf(text, "%u%n", &last, &length) == 1);
		}
		for (; first <= last; first++, set.nr++)
			set.has[first] = true;
	}
}

/*
 * How evenly the frames of @pages pages lie over the colors. A kernel that
 * colors gives each color its share, but for one page and for the fallbacks
 * that it counted. Of chance, chi-square would be near its degrees of freedom.
 */
static void histogram(const char *kind, const char *at, size_t pages, unsigned long fell)
{
	unsigned int held[MOST_COLORS] = {}, least = ~0U, most = 0, outside = 0;
	double expected = (double)pages / set.nr, chi = 0;
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
		if (!set.has[color]) {
			outside += held[color];
			continue;
		}
		chi += (held[color] - expected) * (held[color] - expected) / expected;
		least = held[color] < least ? held[color] : least;
		most = held[color] > most ? held[color] : most;
	}
	even = !absent && !outside && most - least <= 1 + fell;
	printf("LAB hist %s%s %s pages=%zu least=%u most=%u chi2=%.1f df=%u fallbacks=%lu absent=%zu outside=%u\n",
	       set.name, kind, !colored ? "stock" : even ? "pass" : "FAIL", pages, least, most, chi, set.nr - 1, fell,
	       absent, outside);
}

/* More of each color where there are few, but not as many as memory has. */
static size_t some(void)
{
	unsigned int each = PER_COLOR * (colors / set.nr);

	return (size_t)set.nr * (each < 32 ? each : 32);
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
static void file(const char *kind, const char *folder, bool fresh)
{
	unsigned long before = fallbacks(), sum = 0;
	char path[64], *at;
	int file;

	snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid());
	file = make_file(path, some());
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

/* Many files smaller than the cache, as programs read them: together too they have each color as often. */
static void small_files(const char *folder)
{
	enum { PAGES_OF_ONE = 3 };
	size_t files = some() / PAGES_OF_ONE, pages = files * PAGES_OF_ONE;
	char path[64], *at = mmap(NULL, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long before = fallbacks();
	int file;

	CHECK(at != MAP_FAILED);
	for (size_t i = 0; i < files; i++) {
		char *own = at + i * PAGES_OF_ONE * PAGE;

		snprintf(path, sizeof(path), "%s/%d-%zu", folder, (int)getpid(), i);
		file = make_file(path, PAGES_OF_ONE);
		CHECK(mmap(own, PAGES_OF_ONE * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) == own);
		CHECK(!close(file) && !unlink(path));
	}
	before = fallbacks() - before;
	for (size_t i = 0; i < pages; i++)
		(void)*(volatile char *)(at + i * PAGE);
	histogram("small-files", at, pages, before);
	munmap(at, pages * PAGE);
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

static void verdict(const char *what, bool good)
{
	printf("LAB check %s %s\n", what, good ? "pass" : "FAIL");
}

static void has_set(const char *what, const char *group, const char *expected)
{
	const char *got = group_get(group, true);

	printf("LAB check %s %s effective=%s\n", what, strcmp(got, expected) ? "FAIL" : "pass", got);
}

/* A child does something in a group. */
static pid_t begin_in(const char *group, const char *name, void (*what)(void))
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		CHECK(!group_enter(group, 0));
		set_list(group_get(group, true));
		set.name = name;
		what();
		fflush(stdout);
		_exit(0);
	}
	return child;
}

static void end_in(pid_t child)
{
	int status;

	CHECK(waitpid(child, &status, 0) == child);
	if (status)
		verdict("group-child", false);
}

static void all_kinds(void)
{
	anonymous();
	shared();
	file("tmpfs", "/tmp", false);
	small_files("/tmp");
	file("file-written", "/disk", false);
	file("file-read", "/disk", true);
	copied_on_write();
}

/* Pages of the color are all taken, then those of others are had, and each of them is counted. */
static void exhausted(void)
{
	size_t pages = 2048, inside = 0;
	unsigned long outside = counter("outside");
	char *at = map_anon(pages);

	touch_pages(at, pages);
	outside = counter("outside") - outside;
	for (size_t i = 0; i < pages; i++)
		inside += set.has[frame_of(at + i * PAGE) % colors];
	/* What counting itself takes is counted too. */
	printf("LAB check group-exhausted %s pages=%zu inside=%zu outside=%lu\n",
	       inside && inside < pages && outside >= pages - inside && outside <= pages - inside + 16 ? "pass" : "FAIL",
	       pages, inside, outside);
	munmap(at, pages * PAGE);
}

/* The pages of others keep their colors, whatever those of the process are that moves them. */
static void moved_by_child(void)
{
	size_t pages = 512;
	unsigned long *frames = calloc(pages, sizeof(*frames));
	void **where = calloc(pages, sizeof(*where));
	int *nodes = calloc(pages, sizeof(*nodes)), *status = calloc(pages, sizeof(*status));
	unsigned int moved = 0, kept = 0;
	char *at = map_anon(pages);
	pid_t child;

	CHECK(frames && where && nodes && status);
	if (access("/sys/devices/system/node/node1", F_OK)) {
		printf("LAB check group-moves skip one node\n");
		return;
	}
	touch_pages(at, pages);
	for (size_t i = 0; i < pages; i++) {
		where[i] = at + i * PAGE;
		frames[i] = frame_of(where[i]);
	}
	CHECK(!syscall(SYS_move_pages, 0, pages, where, NULL, status, 0));
	for (size_t i = 0; i < pages; i++)
		nodes[i] = !status[i];
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		CHECK(!group_enter("a", 0));
		/* 4 is for pages that other processes share, as those of a parent are. */
		CHECK(syscall(SYS_move_pages, getppid(), pages, where, nodes, status, 4) >= 0);
		_exit(0);
	}
	end_in(child);
	for (size_t i = 0; i < pages; i++) {
		unsigned long frame = frame_of(where[i]);

		moved += frame != frames[i];
		kept += frame % colors == frames[i] % colors;
	}
	printf("LAB check group-moves %s pages=%zu moved=%u kept=%u\n", moved && kept == pages ? "pass" : "FAIL", pages,
	       moved, kept);
	munmap(at, pages * PAGE);
	free(frames);
	free(where);
	free(nodes);
	free(status);
}

/* Sets of colors for control groups: what is taken and refused, who has what, and which pages are had. */
static void groups(void)
{
	static const struct {
		const char *text;
		int error;
	} refused[] = {
		{ "128", -ERANGE }, { "0-128", -ERANGE }, { "4294967296", -EOVERFLOW }, { "3-0", -EINVAL },
		{ "red", -EINVAL }, { "0-3;8", -EINVAL }, { "-1", -EINVAL },		{ "0x3", -EINVAL },
		{ ",", -EINVAL },   { "0-3\n8", -EINVAL },
	};
	bool good = true;
	int proactive;
	pid_t child;

	if (!groups_start() || colors != 128) {
		printf("LAB check groups skip the kernel has no sets of colors\n");
		return;
	}
	/* Compaction in the background moves pages to what is free, and keeps the color of some only. */
	proactive = open("/proc/sys/vm/compaction_proactiveness", O_WRONLY);
	CHECK(proactive >= 0 && write(proactive, "0", 1) == 1 && !close(proactive));
	has_set("group-root", ".", "0-127");
	CHECK(!group_make("a") && !group_make("a/b") && !group_make("c"));
	has_set("group-new", "a", "0-127");
	CHECK(!group_set("a", "0-3,8"));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		good &= group_set("a", refused[i].text) == refused[i].error;
	verdict("group-refused", good && !strcmp(group_get("a", false), "0-3,8"));
	has_set("group-own", "a", "0-3,8");
	has_set("group-inherited", "a/b", "0-3,8");
	CHECK(!group_set("a/b", "2-9"));
	has_set("group-common", "a/b", "2-3,8");
	end_in(begin_in("a/b", "group-common-", all_kinds));
	CHECK(!group_set("a/b", "64-70"));
	has_set("group-nothing-common", "a/b", "0-3,8");
	CHECK(!group_set("a", "66-127"));
	has_set("group-parent-changed", "a/b", "66-70");
	CHECK(!group_set("a", "0-3,8\n") && !group_remove("a/b"));
	end_in(begin_in("a", "group-", all_kinds));
	moved_by_child();

	/* At the same time, on two CPUs. */
	CHECK(!group_set("a", "0-63") && !group_set("c", "64-127"));
	child = begin_in("a", "group-low-", all_kinds);
	end_in(begin_in("c", "group-high-", all_kinds));
	end_in(child);

	CHECK(!group_set("c", "5"));
	end_in(begin_in("c", "group-", exhausted));

	/* Who has no set has all colors, beside others and afterwards. */
	set.name = "group-beside-";
	anonymous();
	CHECK(!group_set("a", ""));
	has_set("group-freed", "a", "0-127");
	end_in(begin_in("a", "group-freed-", anonymous));
	CHECK(!group_remove("a") && !group_remove("c"));
	set.name = "group-gone-";
	anonymous();
	set.name = "";
}

void tests(void)
{
	CHECK(colors && colors <= MOST_COLORS);
	set_all();
	all_kinds();
	swapped();
	migrated();
	nodes_are_kept();
	compacted();
	huge();
	groups();
}
