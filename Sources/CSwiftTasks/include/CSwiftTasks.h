// SPDX-License-Identifier: MIT

#ifndef CSWIFTTASKS_H
#define CSWIFTTASKS_H

#include <stdbool.h>
#include <stdint.h>

/// Decides where a job runs that is put on the global executor.
///
/// `world` is the number of the calling thread, as `swift_tasks_set_world` has set it. `task` is the id of the job's task; 0
/// for a job of an actor. Returns whether it has taken the job. Otherwise the job runs where it always does.
typedef bool (*swift_tasks_taker)(uint64_t world, uint64_t task, void *_Nonnull job);

/// A serial executor as the runtime refers to it: the two words of Swift's `UnownedSerialExecutor`.
typedef struct {
    uintptr_t identity;
    uintptr_t implementation;
} swift_tasks_executor;

/// Sets the hooks of Swift's runtime, once and for the whole process. Hooks that are there already are asked afterwards.
///
/// On threads with a world, `main_executor` takes the place of the main actor's executor.
void swift_tasks_install(swift_tasks_taker _Nonnull taker, swift_tasks_executor main_executor);

/// Sets the world of the calling thread, 0 for none. Returns the world before.
uint64_t swift_tasks_set_world(uint64_t world);

/// The world of the calling thread; 0 for none.
uint64_t swift_tasks_world(void);

/// The id of a job's task; 0 for a job of an actor.
uint64_t swift_tasks_id(void *_Nonnull job);

#endif
