// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// Lets one program be started after the other, so that none inherits the pipes of another.
final class HookGate: Sendable {
    /// Held while pipes are created and a child is started: between these two steps another child would inherit
    /// the pipes.
    fileprivate let lock = Mutex(())
}

/// One run of a program that a hook starts: input in, output out, and killed when its time is over.
///
/// The program gets its own process group, so that its children are killed with it.
final class HookProcess: Sendable {
    enum Ending: Equatable, Sendable {
        case exited(Int32, output: [UInt8])
        case killed(by: Int32)
        /// It has written more than the limit, and was killed.
        case tooMuchOutput
        /// It could not be started: the name of the error.
        case notStarted(String)
    }

    /// The state, which determines the effect of `kill`.
    private enum State {
        case waiting
        /// Running, with the number of the process and of its process group, and the end of a pipe that ends the
        /// wait for its output.
        case running(pid_t, wake: Int32)
        /// Reaped, or never to be started. Its number may belong to another process by now.
        case ended
    }

    private let words: [String]
    /// The variables as `NAME=value` and a zero.
    private let environment: [[CChar]]
    private let input: [UInt8]
    private let outputLimit: Int
    private let gate: HookGate
    /// Guards the process number against a kill after its end.
    private let state = Mutex(State.waiting)

    /// - Parameters:
    ///   - words: The program, which is looked for in PATH, and its arguments; at least one.
    ///   - environment: The variables, as `NAME=value` and a zero.
    ///   - input: The octets on its standard input, 4,096 at most, so that they fit into a pipe.
    ///   - outputLimit: The maximum number of octets that it may write to its standard output.
    ///   - gate: The gate of all programs that may be started at the same time.
    init(_ words: [String], environment: [[CChar]], input: [UInt8], outputLimit: Int, gate: HookGate) {
        self.words = words
        self.environment = environment
        self.input = Array(input.prefix(4_096))
        self.outputLimit = outputLimit
        self.gate = gate
    }

    /// Kills the program and its children, and ends `run` even if others hold its output open. A program that was not
    /// started yet will not be.
    package func kill() {
        state.withLock { state in
            switch state {
            case .waiting: state = .ended
            // The process was not reaped, so its number is still its own. It may have left its group.
            case .running(let process, let wake):
                _ = Glibc.kill(-process, SIGKILL)
                _ = Glibc.kill(process, SIGKILL)
                _ = write(wake, [UInt8(0)], 1)
            case .ended: break
            }
        }
    }

    /// Runs the program to its end. Blocks.
    package func run() -> Ending {
        let started: Started
        do throws(HookFailure) {
            started = try start()
        } catch {
            return .notStarted(Self.name(of: error.code))
        }
        // A program may ignore its input; SIGPIPE is ignored. The write does not block, because the input fits into a
        // pipe.
        _ = input.withUnsafeBytes { write(started.input, $0.baseAddress, $0.count) }
        close(started.input)
        let output = readAll(started.output, until: started.wake)
        close(started.output)
        // Without a reader the program may still run until its time is over, and the wait below lasts as long.
        if case .tooMuch = output { kill() }
        let status = reap(started.process)
        // `reap` has closed the other end, after which `kill` does not write.
        close(started.wake)
        switch output {
        case .tooMuch: return .tooMuchOutput
        // The program itself may have ended before, but its output is not complete.
        case .interrupted: return .killed(by: SIGKILL)
        case .complete(let octets):
            // Swift imports no macros such as WIFEXITED: the low seven bits are the signal, the next eight the status.
            return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF, output: octets) : .killed(by: status & 0x7F)
        }
    }

    /// A program that runs, with our ends of its pipes.
    private struct Started {
        let process: pid_t
        let input: Int32
        let output: Int32
        /// Becomes readable when `kill` is called.
        let wake: Int32
    }

    private func start() throws(HookFailure) -> Started {
        let result = gate.lock.withLock { _ -> Result<Started, HookFailure> in
            // The input, the output, and the pipe that wakes the reader. Each has its reading end first.
            var pipes = [Int32](repeating: -1, count: 6)
            let isOpen = pipes.withUnsafeMutableBufferPointer { pipes -> Bool in
                guard let base = pipes.baseAddress else { return false }
                return pipe(base) == 0 && pipe(base + 2) == 0 && pipe(base + 4) == 0
            }
            var failure = isOpen ? 0 : errno
            // Two steps, because Swift's Glibc lacks pipe2(2). The gate keeps other children from starting between
            // them.
            for descriptor in pipes where descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            var process: pid_t = 0
            if failure == 0 {
                failure = state.withLock { state in
                    guard case .waiting = state else { return ECANCELED }
                    let failure = spawn(&process, input: pipes[0], output: pipes[3])
                    state = failure == 0 ? .running(process, wake: pipes[5]) : .ended
                    return failure
                }
            }
            let ours = failure == 0 ? [1, 2, 4, 5] : []
            for index in pipes.indices where pipes[index] >= 0 && !ours.contains(index) { close(pipes[index]) }
            guard failure == 0 else { return .failure(HookFailure(code: failure)) }
            return .success(Started(process: process, input: pipes[1], output: pipes[2], wake: pipes[4]))
        }
        return try result.get()
    }

    private enum Output {
        /// Everything, to the end of its output.
        case complete([UInt8])
        case tooMuch
        /// The end did not come before `kill`.
        case interrupted
    }

    /// Reads until all that hold the output have closed it, or until `wake` is readable: a process that has left the
    /// group of the program is not killed with it, and may hold the output for ever.
    private func readAll(_ descriptor: Int32, until wake: Int32) -> Output {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            // Fails only if a signal interrupts it.
            guard poll(&entries, 2, -1) > 0 else { continue }
            // What the program has written before it was killed counts: it may have ended just before.
            guard entries[0].revents != 0 else { return .interrupted }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .complete(output) }
            output += buffer.prefix(count)
            if output.count > outputLimit { return .tooMuch }
        }
    }

    /// Waits for the end of the process. Reaps it only when no task can kill it any more, because the system may then
    /// give its number to another process. The same holds for the descriptor that `kill` writes to.
    private func reap(_ process: pid_t) -> Int32 {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return state.withLock { state in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            if case .running(_, let wake) = state { close(wake) }
            state = .ended
            return status
        }
    }

    /// Starts the process with the two pipes, with no signals blocked or ignored. Returns errno, or 0.
    private func spawn(_ process: inout pid_t, input: Int32, output: Int32) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // dup2(2) clears the close-on-exec flag, so that the child has only these two ends.
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        // A child inherits blocked and ignored signals, and programs rarely expect either.
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // 0 makes a group with the number of the process, which `kill` signals as a whole.
        posix_spawnattr_setpgroup(&attributes, 0)
        for signal in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) }
        var variables = environment.map { strdup($0) }
        defer { for text in arguments + variables { free(text) } }
        arguments.append(nil)
        variables.append(nil)
        return posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    }

    /// The program could not be started.
    private struct HookFailure: Error {
        let code: Int32
    }

    /// The reason in words that fit after "could not be run".
    private static func name(of error: Int32) -> String {
        switch error {
        case ENOENT: "there is no such program"
        case EACCES: "it may not be executed"
        case ECANCELED: "blectl ends"
        default: String(cString: strerror(error)).lowercased()
        }
    }
}
