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
    /// The end of a run.
    enum Ending: Equatable, Sendable {
        /// It has ended with a status.
        case exited(Int32, output: [UInt8])
        /// A signal has ended it.
        case killed(by: Int32)
        /// It has written more than the limit, and was killed.
        case tooMuchOutput
        /// It could not be started: the name of the error.
        case notStarted(String)
    }

    /// The state, which determines the effect of `kill`.
    private enum State {
        /// Not started yet.
        case waiting
        /// Running, with the number of the process and of its process group.
        case running(pid_t)
        /// Reaped, or never to be started. Its number may belong to another process by now.
        case ended
    }

    /// The program and its arguments.
    private let words: [String]
    /// The variables as `NAME=value`.
    private let environment: [String]
    /// The octets for its standard input.
    private let input: [UInt8]
    /// How much it may write.
    private let outputLimit: Int
    /// Serialises the starts.
    private let gate: HookGate
    /// Guards the process number against a kill after its end.
    private let state = Mutex(State.waiting)

    /// - Parameters:
    ///   - words: The program, which is looked for in PATH, and its arguments; at least one.
    ///   - environment: The variables, as `NAME=value`.
    ///   - input: The octets on its standard input, 4,096 at most, so that they fit into a pipe.
    ///   - outputLimit: The most octets that it may write to its standard output.
    ///   - gate: The gate of all programs that may be started at the same time.
    init(_ words: [String], environment: [String], input: [UInt8], outputLimit: Int, gate: HookGate) {
        self.words = words
        self.environment = environment
        self.input = Array(input.prefix(4_096))
        self.outputLimit = outputLimit
        self.gate = gate
    }

    /// Kills the program and its children. One that was not started yet will not be.
    func kill() {
        state.withLock { state in
            switch state {
            case .waiting: state = .ended
            // The process was not reaped, so its number is still its own.
            case .running(let process): _ = Glibc.kill(-process, SIGKILL)
            case .ended: break
            }
        }
    }

    /// Runs the program to its end. Blocks.
    func run() -> Ending {
        let started: (process: pid_t, input: Int32, output: Int32)
        do throws(HookFailure) {
            started = try start()
        } catch {
            return .notStarted(Self.name(of: error.code))
        }
        // A program may ignore its input; SIGPIPE is ignored. The write does not block, because the input fits into a
        // pipe.
        _ = input.withUnsafeBytes { write(started.input, $0.baseAddress, $0.count) }
        close(started.input)
        let output = readAll(started.output)
        close(started.output)
        // Without a reader the program may still run until its time is over, and the wait below lasts as long.
        if output == nil { kill() }
        let status = reap(started.process)
        guard let output else { return .tooMuchOutput }
        // Swift imports no macros such as WIFEXITED: the low seven bits are the signal, the next eight the status.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF, output: output) : .killed(by: status & 0x7F)
    }

    /// Starts the program. Returns the ends of its pipes.
    private func start() throws(HookFailure) -> (process: pid_t, input: Int32, output: Int32) {
        let result = gate.lock.withLock { _ -> Result<(pid_t, Int32, Int32), HookFailure> in
            var pipes: [Int32] = [-1, -1, -1, -1]
            let isOpen = pipes.withUnsafeMutableBufferPointer { pipes -> Bool in
                guard let base = pipes.baseAddress else { return false }
                return pipe(base) == 0 && pipe(base + 2) == 0
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
                    state = failure == 0 ? .running(process) : .ended
                    return failure
                }
            }
            let ours = failure == 0 ? [1, 2] : []
            for index in pipes.indices where pipes[index] >= 0 && !ours.contains(index) { close(pipes[index]) }
            return failure == 0 ? .success((process, pipes[1], pipes[2])) : .failure(HookFailure(code: failure))
        }
        let (process, input, output) = try result.get()
        return (process, input, output)
    }

    /// Reads to the end; `nil` if there is more than the limit.
    private func readAll(_ descriptor: Int32) -> [UInt8]? {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return output }
            output += buffer.prefix(count)
            if output.count > outputLimit { return nil }
        }
    }

    /// Waits for the end of the process. Reaps it only when no task can kill it any more, because the system may then
    /// give its number to another process.
    private func reap(_ process: pid_t) -> Int32 {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return state.withLock { state in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
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
        /// The number of the error.
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
