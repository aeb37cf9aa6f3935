// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Glibc
import Synchronization
import Terminal

/// A copy of this program that continues in the background, in a new kernel session (setsid(2)), without a terminal.
///
/// It is executed again rather than forked, because a process with threads cannot be. Until it is ready it has the
/// standard streams of its parent, so that its messages are the parent's.
package final class BackgroundProcess: Sendable {
    /// The end of the wait for it.
    package enum Outcome: Equatable, Sendable {
        case ready
        /// It has ended with a status, and has printed the reason.
        case exited(Int32)
        case killed(by: Int32)
    }

    /// The descriptor by which it signals that it is ready.
    private static let descriptor: Int32 = 3
    /// spawn.h's POSIX_SPAWN_SETSID, which glibc shows only with `_GNU_SOURCE`.
    private static let setSession: Int16 = 0x80
    package static let variable = "BLECTL_SESSION_READY"

    private let process: pid_t
    /// The end of the pipe on which the process says that it is ready.
    private let readiness: Int32
    /// Whether the process was waited for. Its number may then be another process's.
    private let hasEnded = Mutex(false)

    /// Starts it. Throws a `BlectlError` if that is impossible.
    package init(_ arguments: [String], environment: [[CChar]]) throws(BlectlError) {
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else { throw Self.failure("pipe", errno) }
        // Other processes that this one starts must not hold the pipe open.
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // Above the number that the process gets: a descriptor that is there already would keep FD_CLOEXEC.
        let end = fcntl(pipes[1], F_DUPFD_CLOEXEC, Self.descriptor + 1)
        close(pipes[1])
        var process: pid_t = 0
        // An inherited variable would name a descriptor of another process.
        let beginning = "\(Self.variable)=".utf8CString.dropLast()
        var variables = environment.filter { !$0.starts(with: beginning) }
        variables.append(Array("\(Self.variable)=\(Self.descriptor)".utf8CString))
        let result = end < 0 ? errno : Self.spawn(&process, arguments, variables, end)
        if end >= 0 { close(end) }
        guard result == 0 else {
            close(pipes[0])
            throw Self.failure("posix_spawn", result)
        }
        self.process = process
        readiness = pipes[0]
    }

    private static func failure(_ call: String, _ code: Int32) -> BlectlError {
        let why = String(cString: strerror(code))
        return BlectlError(
            .ioError,
            cannot: "start a process in the background",
            "\(call): \(why)",
            hint: code == EMFILE ? BlectlError.fileLimitHint : nil
        )
    }

    /// Starts this program again in a session of its own, with signals as a program expects them. Returns errno, or
    /// 0. The path in /proc names the running program even if its file was replaced.
    private static func spawn(
        _ process: inout pid_t,
        _ arguments: [String],
        _ environment: [[CChar]],
        _ readiness: Int32
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A process in the background must not take the keys that are typed at the terminal.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, readiness, descriptor)
        // A pipe that the parent was given would not end before the session does.
        for inherited in descriptor + 1..<1_024 where fcntl(inherited, F_GETFD) == 0 {
            posix_spawn_file_actions_addclose(&actions, inherited)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        // Blocked and ignored signals outlive exec, and the session has to react to them as any program does.
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | setSession)
        var words = arguments.map { strdup($0) }
        var variables = environment.map { strdup($0) }
        defer { for text in words + variables { free(text) } }
        words.append(nil)
        variables.append(nil)
        // This very program, even if its file was replaced meanwhile.
        return posix_spawn(&process, "/proc/self/exe", &actions, &attributes, words, variables)
    }

    /// Waits until it is ready or has ended. Blocks.
    package func wait() -> Outcome {
        var octet: UInt8 = 0
        var count = read(readiness, &octet, 1)
        while count < 0, errno == EINTR { count = read(readiness, &octet, 1) }
        close(readiness)
        // The end of the pipe without an octet means that the process has ended before it was ready.
        if count == 1 { return .ready }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        hasEnded.withLock { $0 = true }
        // WIFEXITED and its like are macros with arguments, which are not imported: the low seven bits are the signal.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
    }

    /// Ends it, because its parent is interrupted.
    package func interrupt() {
        hasEnded.withLock { if !$0 { _ = kill(process, SIGTERM) } }
    }
}

/// The process that waits until this one is ready, and from which it then takes its leave.
package struct WaitingParent: Sendable {
    private let descriptor: Int32

    /// The parent from the environment; `nil` if there is none.
    package init?(environment: (String) -> String?) {
        // fcntl(2) also fails if the variable names no open descriptor.
        guard let text = environment(BackgroundProcess.variable), let number = Int32(text), number > 2,
            fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        descriptor = number
    }

    /// Detaches from the standard streams and the folder, and signals the parent that this process is ready.
    package func leave() {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        if null >= 0 {
            // The writer may have opened them a second time.
            let again = (3..<1_024 as Range<Int32>).filter {
                WritableDescriptor.leadToOnePlace($0, 1) || WritableDescriptor.leadToOnePlace($0, 2)
            }
            for stream in [0, 1, 2] + again where stream != null {
                dup2(null, stream)
                if stream > 2 { _ = fcntl(stream, F_SETFD, FD_CLOEXEC) }
            }
            close(null)
        }
        // The session must not keep a file system busy that the user wants to unmount.
        _ = chdir("/")
        var octet: UInt8 = 1
        // The parent may have been killed; SIGPIPE is ignored.
        _ = write(descriptor, &octet, 1)
        close(descriptor)
    }
}

extension BackgroundProcess {
    /// Whether a process runs. One that has ended, and that its parent has not waited for, does not.
    ///
    /// Spec: proc(5), `/proc/PID/stat`
    package static func isRunning(_ process: Int32) -> Bool {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // The state comes behind the name in parentheses, which has 15 octets at most, of any kind.
        var text = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &text, text.count)
        guard count > 0, let name = text[..<count].lastIndex(of: UInt8(ascii: ")")), name + 2 < count else {
            return false
        }
        return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(text[name + 2])
    }
}
