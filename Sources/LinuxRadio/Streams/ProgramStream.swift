// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import CBlueZ
import Glibc
import Synchronization

/// A stream of octets to another program: one that this process starts, or the one that has started this process.
package final class ProgramStream: Sendable {
    /// The signals of a terminal. They are for this process, which then ends the other one in order.
    private static let keptSignals = [SIGINT, SIGQUIT, SIGTSTP]

    private let operation: String
    private let thread = SharedIOThread()
    /// The process that was started, until it has shown that it works.
    private let unproven = Mutex<pid_t?>(nil)

    /// Creates a stream that is not open yet.
    ///
    /// - Parameter operation: The operation in words, for errors.
    package init(during operation: String) { self.operation = operation }

    /// Starts a program whose standard input and output are the other end. Its messages go to the standard error of this
    /// process.
    ///
    /// - Parameters:
    ///   - words: The program, which is looked for in `PATH`, and its arguments.
    ///   - environment: Its environment, as `NAME=value` and a zero.
    package func start(_ words: [String], _ environment: [[CChar]]) throws(RadioError) -> any PacketChannel {
        var ends: [Int32] = [-1, -1]
        try RadioError.translating(.transport, "socketpair", during: operation) { () throws(Errno) in
            try systemCall { socketpair(AF_UNIX, BLECTL_SOCK_STREAM | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) }
        }
        let own = OwnedFileDescriptor(owning: ends[0])
        let other = OwnedFileDescriptor(owning: ends[1])
        let process = try spawn(words, environment, other.rawValue)
        unproven.withLock { $0 = process }
        try unblock(own.rawValue)
        return try StreamChannel(own, during: operation, on: try thread.get())
    }

    /// The process that was started has answered. Before that, it may ask a person something.
    package func isProven() { unproven.withLock { $0 = nil } }

    /// Why `ssh` has ended before anything came from the other machine.
    ///
    /// - Parameter resolving: Runs a call that blocks, beside all other work.
    package func failure(
        toReach host: String,
        resolving: @Sendable (@escaping @Sendable () -> Void) -> Void
    ) async -> RadioError {
        let silent = RadioError(.controllerUnreachable, during: operation)
        // Reaped here, so that its number is another program's afterwards.
        guard let process = unproven.withLock({ $0.take() }) else { return silent }
        let status = await withCheckedContinuation { continuation in
            resolving {
                var status: Int32 = 0
                continuation.resume(returning: waitpid(process, &status, 0) == process ? status : 0)
            }
        }
        let problem = RadioError.AttachmentProblem.unreachable(host, status: status >> 8 & 0xFF)
        return problem.map { RadioError(.attachment($0), during: operation) } ?? silent
    }

    /// Whether standard input and output of this process lead to another program, by pipes or sockets.
    package static var isStartedByProgram: Bool {
        [Int32(0), 1].allSatisfy { descriptor in
            var status = stat()
            let isThere = fstat(descriptor, &status) == 0
            return isThere && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        }
    }

    /// Standard input and output of this process, in the place of a stream.
    package func standard() throws(RadioError) -> any PacketChannel {
        let ioThread = try thread.get()
        let input = try RadioError.translating(.transport, "dup", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor { fcntl(0, F_DUPFD_CLOEXEC, 3) }
        }
        let output = try RadioError.translating(.transport, "dup", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor { fcntl(1, F_DUPFD_CLOEXEC, 3) }
        }
        try unblock(input.rawValue)
        try unblock(output.rawValue)
        // sshd gives a program one socket for both, of which only one channel may receive.
        if Self.areSame(input.rawValue, output.rawValue) {
            return try StreamChannel(input, during: operation, on: ioThread)
        }
        return StandardStream(
            input: try StreamChannel(input, of: .file, during: operation, on: ioThread),
            output: try StreamChannel(output, of: .file, during: operation, on: ioThread)
        )
    }

    /// Closes the stream, and ends a program that has not answered.
    package func shutDown() {
        thread.shutDown()
        // Not reaped before, so that the number is still that of the program.
        if let process = unproven.withLock({ $0 }) { kill(process, SIGTERM) }
    }

    /// Whether two descriptors are of one file.
    private static func areSame(_ first: Int32, _ second: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        guard fstat(first, &one) == 0, fstat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    private func unblock(_ descriptor: Int32) throws(RadioError) {
        try RadioError.translating(.transport, "fcntl", during: operation) { () throws(Errno) in
            try systemCall { blectl_unblock(descriptor) }
        }
    }

    /// Starts the program with the descriptor as its standard input and output.
    private func spawn(_ words: [String], _ environment: [[CChar]], _ descriptor: Int32) throws(RadioError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // dup2(2) clears the close-on-exec flag.
        posix_spawn_file_actions_adddup2(&actions, descriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in Self.keptSignals { sigaddset(&signals, signal) }
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigemptyset(&signals)
        for signal in [SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) }
        var variables = environment.map { strdup($0) }
        defer { for text in arguments + variables { free(text) } }
        arguments.append(nil)
        variables.append(nil)
        var process: pid_t = 0
        let code = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else {
            throw code == ENOENT
                ? RadioError(.attachment(.noSSH), during: operation)
                : RadioError(Errno(code), in: .transport, call: "posix_spawn", during: operation)
        }
        return process
    }
}

/// Two streams, one for each direction.
private struct StandardStream: PacketChannel {
    let input: StreamChannel
    let output: StreamChannel

    var droppedCount: Int { 0 }
    func receive() async throws(RadioError) -> [UInt8] { try await input.receive() }
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await input.receiveWaiting() }
    func send(_ packet: [UInt8]) throws(RadioError) { try output.send(packet) }
    func drained() async throws(RadioError) { try await output.drained() }

    func hangUp(_ reason: RadioError) {
        input.hangUp(reason)
        output.hangUp(reason)
    }

    func close() {
        input.close()
        output.close()
    }
}
