// SPDX-License-Identifier: GPL-2.0-or-later

#ifndef CPROCESS_H
#define CPROCESS_H

/// The number of words of the command line, with the name of the program.
int argument_count(void);

/// The words, as the kernel has passed them: after the last one is a null pointer.
char *_Nullable *_Nullable argument_words(void);

/// The environment with which the process was started, as `NAME=value`: after the last one is a null pointer.
char *_Nullable *_Nullable environment_words(void);

/// Brings the data that a command writes first into memory at once: a fault for each of its pages takes longer.
void populate_memory(void);

#endif
