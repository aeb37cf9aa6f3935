// SPDX-License-Identifier: GPL-2.0-or-later
//
// Swift's runtime reads the command line from /proc/self/cmdline, which a chroot or an early initramfs need not have: it then
// has no arguments. And a process with capabilities, or with its memory hidden, cannot read its environment there. The C
// library passes both to every function in .init_array, before main.

#include "CProcess.h"

static int count;
static char **words;
static char **variables;

__attribute__((constructor)) static void keep_arguments(int argc, char **argv, char **envp) {
    count = argc;
    words = argv;
    variables = envp;
}

int argument_count(void) { return count; }

char **argument_words(void) { return words; }

char **environment_words(void) { return variables; }
