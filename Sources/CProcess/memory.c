// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the start of a process costs in memory: a page that is touched first is a fault, and an arena a few system calls.

#include "CProcess.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// One thread allocates almost everything: an arena for each of the others would only cost system calls.
__attribute__((constructor)) static void share_arena(void) { mallopt(M_ARENA_MAX, 1); }

// The order of symbols (start.order) has these before and behind the data that a command writes first.
__attribute__((section(".data.start_begin"))) char start_data_begin = 1;
__attribute__((section(".data.start_end"))) char start_data_end = 1;
__attribute__((section(".bss.start_begin"))) char start_zeros_begin;
__attribute__((section(".bss.start_end"))) char start_zeros_end;

static void populate(const char *begin, const char *end) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)begin & ~(page - 1);
    uintptr_t length = (uintptr_t)end - first;
    // Without that order they lie anywhere.
    if (end < begin || length > 512 << 10)
        return;
#ifdef MADV_POPULATE_WRITE
    // Linux 5.14. An older kernel refuses it, and the pages come one by one.
    madvise((void *)first, length, MADV_POPULATE_WRITE);
#endif
}

void populate_memory(void) {
    populate(&start_data_begin, &start_data_end);
    populate(&start_zeros_begin, &start_zeros_end);
}
