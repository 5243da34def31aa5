// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU: counts instructions, and the misses of a first- and a
 * second-level cache over physical addresses, in the regions that the guest
 * marks. Write-allocate, least recently used, 64-byte lines. Page walks and
 * instruction fetches are not modeled. One virtual CPU.
 *
 * Arguments: l2kb=, l2ways=, l2fold= (the index is the line exclusive-or the line
 * shifted by so many bits; 0 for a plain one), out= (a file that gets one line a region).
 *
 * The declarations below stand for QEMU's header, which no Debian package has:
 * version 1 of the interface of plugins, as documented by QEMU.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
typedef uint32_t mem_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

typedef void (*tb_translated)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*insn_executed)(unsigned int cpu, void *data);
typedef void (*memory_accessed)(unsigned int cpu, mem_info info, uint64_t address, void *data);
typedef void (*at_exit)(plugin_id id, void *data);

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, tb_translated call);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		insn_executed call, int flags, void *data);
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
		int operation, void *where, uint64_t by);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
		memory_accessed call, int flags, int kinds, void *data);
extern void qemu_plugin_register_atexit_cb(plugin_id id, at_exit call, void *data);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t at);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
extern struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(mem_info info, uint64_t address);
extern bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *where);
extern uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *where);

/* As QEMU's header numbers them: no registers read, add to a number, loads and stores. */
enum { NO_REGISTERS = 0, ADD_U64 = 0, LOADS_AND_STORES = 3 };

EXPORT int qemu_plugin_version = 1;

enum { LINE_BITS = 6, L1_WAYS = 8, L1_SETS = 64, REGIONS = 256 };

struct cache {
	uint64_t *tags; /* of each set, the most recently used first */
	unsigned int sets, ways, fold;
};

struct counts {
	uint64_t instructions, accesses, l1_misses, l2_misses;
};

static struct cache l1, l2;
static struct counts now, totals[REGIONS];
static int region = -1;
static const char *out_path = "cache.out";

static void make(struct cache *cache, unsigned int sets, unsigned int ways)
{
	cache->sets = sets;
	cache->ways = ways;
	cache->tags = malloc(sizeof(uint64_t) * sets * ways);
	if (!cache->tags)
		abort();
	memset(cache->tags, 0xff, sizeof(uint64_t) * sets * ways);
}

/* Whether the line was there; it is afterwards. */
static bool touch(struct cache *cache, uint64_t line)
{
	uint64_t index = cache->fold ? line ^ line >> cache->fold : line;
	uint64_t *set = cache->tags + (index & (cache->sets - 1)) * cache->ways;
	uint64_t held = set[0];
	unsigned int at;

	if (held == line)
		return true;
	set[0] = line;
	for (at = 1; at < cache->ways; at++) {
		uint64_t next = set[at];

		set[at] = held;
		if (next == line)
			return true;
		held = next;
	}
	return false;
}

static void accessed(unsigned int cpu, mem_info info, uint64_t address, void *data)
{
	struct qemu_plugin_hwaddr *where;
	uint64_t line;

	(void)cpu, (void)data;
	if (region < 0)
		return;
	where = qemu_plugin_get_hwaddr(info, address);
	if (!where || qemu_plugin_hwaddr_is_io(where))
		return;
	line = qemu_plugin_hwaddr_phys_addr(where) >> LINE_BITS;
	now.accesses++;
	if (touch(&l1, line))
		return;
	now.l1_misses++;
	if (!touch(&l2, line))
		now.l2_misses++;
}

static void add(uint64_t *total, uint64_t to, uint64_t from)
{
	*total += to - from;
}

/* A region of 0 ends the one that runs. */
static void marked(unsigned int cpu, void *data)
{
	static struct counts start;
	struct counts *total;

	(void)cpu;
	if (region >= 0) {
		total = totals + region;
		add(&total->instructions, now.instructions, start.instructions);
		add(&total->accesses, now.accesses, start.accesses);
		add(&total->l1_misses, now.l1_misses, start.l1_misses);
		add(&total->l2_misses, now.l2_misses, start.l2_misses);
	}
	region = (int)(uintptr_t)data ?: -1;
	start = now;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	/* nopl 0x77680000+region(%rax,%rax,1), as guest.c has it. */
	static const uint8_t magic[] = { 0x0f, 0x1f, 0x84, 0x00 };
	size_t at;

	(void)id;
	for (at = 0; at < qemu_plugin_tb_n_insns(tb); at++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, at);
		const uint8_t *bytes = qemu_plugin_insn_data(insn);

		qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD_U64, &now.instructions, 1);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, NO_REGISTERS,
						 LOADS_AND_STORES, NULL);
		if (qemu_plugin_insn_size(insn) == 8 && !memcmp(bytes, magic, 4) &&
		    bytes[5] == 0 && bytes[6] == 0x68 && bytes[7] == 0x77)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, NO_REGISTERS,
							       (void *)(uintptr_t)bytes[4]);
	}
}

static void ended(plugin_id id, void *data)
{
	FILE *out = fopen(out_path, "w");
	int at;

	(void)id, (void)data;
	if (!out)
		return;
	for (at = 0; at < REGIONS; at++) {
		if (totals[at].instructions)
			fprintf(out, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", at,
				totals[at].instructions, totals[at].accesses,
				totals[at].l1_misses, totals[at].l2_misses);
	}
	fclose(out);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	unsigned int kb = 512, ways = 1, sets;
	int at;

	(void)info;
	for (at = 0; at < argc; at++) {
		if (!strncmp(argv[at], "l2kb=", 5))
			kb = (unsigned int)strtoul(argv[at] + 5, NULL, 10);
		else if (!strncmp(argv[at], "l2ways=", 7))
			ways = (unsigned int)strtoul(argv[at] + 7, NULL, 10);
		else if (!strncmp(argv[at], "l2fold=", 7))
			l2.fold = (unsigned int)strtoul(argv[at] + 7, NULL, 10);
		else if (!strncmp(argv[at], "out=", 4))
			out_path = strdup(argv[at] + 4);
		else
			return -1;
	}
	sets = ways ? kb * 1024 / ways >> LINE_BITS : 0;
	if (!sets || sets & (sets - 1)) {
		fprintf(stderr, "cache: the number of sets must be a power of two\n");
		return -1;
	}
	make(&l1, L1_SETS, L1_WAYS);
	make(&l2, sets, ways);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
