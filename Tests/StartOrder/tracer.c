// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs a program with a breakpoint at each of its functions, and writes to OUTPUT the addresses of those that ran, in
// the order of their first calls, one hexadecimal number a line. Then come the octets of its writable data as they were at
// its end: a line "ADDRESS LENGTH" for each range, and the octets as hexadecimal digits.
//
// usage: tracer OUTPUT FUNCTIONS DATA PROGRAM [ARGUMENT...]
//   FUNCTIONS   a file with the addresses of all functions, ascending
//   DATA        a file with the ranges of the writable sections, each "ADDRESS LENGTH"
//
// The processor is an x86-64, and the program has a fixed address. The status is that of the program.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CAPACITY = 1 << 20, BREAKPOINT = 0xCC };

static unsigned long functions[CAPACITY];
static unsigned char replaced[CAPACITY];
static size_t count;

static int compare(const void *left, const void *right) {
    unsigned long a = *(const unsigned long *)left, b = *(const unsigned long *)right;
    return (a > b) - (a < b);
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Removes the breakpoint that a thread stopped at, and lets it go on from there.
static void passed(pid_t thread, int memory, FILE *output) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, 0, &registers)) fail("PTRACE_GETREGS");
    unsigned long address = registers.rip - 1, *found = bsearch(&address, functions, count, sizeof address, compare);
    if (!found) return;
    unsigned char present;
    if (pread(memory, &present, 1, address) != 1) fail("pread");
    // Two threads may have stopped at the same one.
    if (present == BREAKPOINT) {
        if (pwrite(memory, &replaced[found - functions], 1, address) != 1) fail("pwrite");
        fprintf(output, "%lx\n", address);
    }
    registers.rip = address;
    if (ptrace(PTRACE_SETREGS, thread, 0, &registers)) fail("PTRACE_SETREGS");
}

static void writeData(const char *path, int memory, FILE *output) {
    FILE *ranges = fopen(path, "r");
    if (!ranges) fail(path);
    unsigned long address, length;
    while (fscanf(ranges, "%lx %lx", &address, &length) == 2) {
        unsigned char *octets = malloc(length);
        if (!octets || pread(memory, octets, length, address) != (ssize_t)length) fail("the data");
        fprintf(output, "%lx %lx\n", address, length);
        for (size_t i = 0; i < length; i++) fprintf(output, "%02x", octets[i]);
        fputc('\n', output);
        free(octets);
    }
    fclose(ranges);
}

int main(int argumentCount, char **arguments) {
    if (argumentCount < 5) {
        fputs("usage: tracer OUTPUT FUNCTIONS DATA PROGRAM [ARGUMENT...]\n", stderr);
        return 64;
    }
    FILE *addresses = fopen(arguments[2], "r"), *output = fopen(arguments[1], "we");
    if (!addresses || !output) fail("the files");
    while (count < CAPACITY && fscanf(addresses, "%lx", &functions[count]) == 1) count++;

    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(arguments[4], arguments + 4);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) fail(arguments[4]);
    ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", child);
    int memory = open(path, O_RDWR | O_CLOEXEC);
    if (memory < 0) fail(path);
    const unsigned char breakpoint = BREAKPOINT;
    for (size_t i = 0; i < count; i++) {
        if (pread(memory, &replaced[i], 1, functions[i]) != 1 || pwrite(memory, &breakpoint, 1, functions[i]) != 1) {
            fail("a breakpoint");
        }
    }
    ptrace(PTRACE_CONT, child, 0, 0);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) fail("waitpid");
        if (!WIFSTOPPED(status)) {
            if (thread == child) break;
            continue;
        }
        int number = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_EXIT && thread == child) writeData(arguments[3], memory, output);
        if (number == SIGTRAP && event == 0) passed(thread, memory, output);
        int isOwn = number == SIGTRAP || number == SIGSTOP;
        ptrace(PTRACE_CONT, thread, 0, isOwn ? 0 : number);
    }
    fclose(output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
