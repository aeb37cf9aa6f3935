// SPDX-License-Identifier: GPL-2.0-or-later
//
// Swift's runtime reads the command line from /proc/self/cmdline, which a chroot or an early initramfs need not have: it then
// has no arguments. The C library passes them to every function in .init_array, before main.

#include "CArguments.h"

static int count;
static char **words;

__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    count = argc;
    words = argv;
}

int argument_count(void) { return count; }

char **argument_words(void) { return words; }
