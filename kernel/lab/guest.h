/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the guest's program share. */
#ifndef LAB_GUEST_H
#define LAB_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE 4096UL

/* A region that the plugin counts, from 1 to 255; 0 ends it. Real processors pass over the instruction. */
#define MARK(region) __asm__ volatile("nopl %c0(%%rax,%%rax,1)" : : "i"(0x77680000 + (region)) : "memory")

/* The regions, by the names that the report has. */
enum region {
	END,
	MISSES_ANON, MISSES_ANON_HALF, MISSES_TMPFS, MISSES_FILE, MISSES_ORDER,
	FAULT, FAULT_AGAIN,
	NULL_CALL, NULL_IO, STAT, OPEN_CLOSE, FORK_EXIT, FORK_EXEC, FILE_CREATE, FILE_DELETE,
	FILE_FAULT, FILE_REREAD, MMAP_REREAD, PIPE_PAGE, MISSES_OLD_BUFFER,
	NEIGHBOR, NEIGHBOR_APART, FAULT_IN_SET, STREAM,
};

extern unsigned int colors; /* of the cache that is modeled, whether the kernel colors or not */
extern bool colored;	    /* whether the kernel does */

#define CHECK(what)                                                                                                    \
	do {                                                                                                           \
		if (!(what)) {                                                                                         \
			printf("LAB fail %s:%d %s\n", __FILE__, __LINE__, #what);                                      \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

char *map_anon(size_t pages);
void touch_pages(char *at, size_t pages);
unsigned long frame_of(const char *at);
unsigned long counter(const char *name);
unsigned long fallbacks(void);
int make_file(const char *path, size_t pages);

/* Control groups, by their path below the root. Errors are negative. */
bool groups_start(void);
int group_make(const char *name);
int group_remove(const char *name);
int group_set(const char *name, const char *set);
char *group_get(const char *name, bool effective);
int group_enter(const char *name, int process);

void tests(void);
void misses(void);
void prices(void);
void faults(void);
void stress(unsigned int seconds);

#endif
