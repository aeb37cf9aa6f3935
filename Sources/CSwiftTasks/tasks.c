// SPDX-License-Identifier: MIT

// The hooks of Swift's concurrency runtime. Swift has no declaration of them, and cannot call by their convention.
// Spec: swift/Runtime/Concurrency.h and swift/Runtime/ConcurrencyHooks.def of Swift 6

#include "CSwiftTasks.h"

#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef struct job job;
typedef SWIFT_CALL void (*enqueue_original)(job *);
typedef SWIFT_CALL void (*enqueue_hook)(job *, enqueue_original);
typedef SWIFT_CALL swift_tasks_executor (*main_executor_original)(void);
typedef SWIFT_CALL swift_tasks_executor (*main_executor_hook)(main_executor_original);
typedef SWIFT_CALL bool (*is_main_original)(swift_tasks_executor);
typedef SWIFT_CALL bool (*is_main_hook)(swift_tasks_executor, is_main_original);

extern enqueue_hook swift_task_enqueueGlobal_hook;
extern main_executor_hook swift_task_getMainExecutor_hook;
// Runtimes before Swift 6.2 have none, and compare main executors by their identities.
extern is_main_hook swift_task_isMainExecutor_hook __attribute__((weak));
extern SWIFT_CALL uint64_t swift_task_getJobTaskId(job *);

static _Thread_local uint64_t current_world;

static swift_tasks_taker take;
static swift_tasks_executor own_main_executor;
static enqueue_hook next_enqueue;
static main_executor_hook next_main_executor;
static is_main_hook next_is_main;

uint64_t swift_tasks_set_world(uint64_t world) {
    uint64_t before = current_world;
    current_world = world;
    return before;
}

uint64_t swift_tasks_world(void) { return current_world; }

uint64_t swift_tasks_id(void *of) {
    // The header of a job is two words of an object, two words of the scheduler and the flags, whose first byte is the kind:
    // 0 is a task. Other jobs have ids as well, which could be those of tasks.
    const uint8_t *kind = (const uint8_t *)of + 4 * sizeof(void *);
    return *kind == 0 ? swift_task_getJobTaskId(of) : 0;
}

static SWIFT_CALL void enqueue_global(job *of, enqueue_original original) {
    if (take(current_world, swift_tasks_id(of), of)) return;
    if (next_enqueue) next_enqueue(of, original);
    else original(of);
}

static SWIFT_CALL swift_tasks_executor main_executor(main_executor_original original) {
    if (current_world != 0) return own_main_executor;
    return next_main_executor ? next_main_executor(original) : original();
}

static SWIFT_CALL bool is_main(swift_tasks_executor executor, is_main_original original) {
    if (executor.identity == own_main_executor.identity) return true;
    return next_is_main ? next_is_main(executor, original) : original(executor);
}

void swift_tasks_install(swift_tasks_taker taker, swift_tasks_executor executor) {
    take = taker;
    own_main_executor = executor;
    next_enqueue = swift_task_enqueueGlobal_hook;
    next_main_executor = swift_task_getMainExecutor_hook;
    // Other threads call the hooks at any time, and must then see what is stored above.
    if (&swift_task_isMainExecutor_hook) {
        next_is_main = swift_task_isMainExecutor_hook;
        __atomic_store_n(&swift_task_isMainExecutor_hook, is_main, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&swift_task_getMainExecutor_hook, main_executor, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobal_hook, enqueue_global, __ATOMIC_RELEASE);
}
