// SPDX-License-Identifier: GPL-2.0-or-later

package import Foundation
import Synchronization

/// A started process.
///
/// Not Foundation's `Process`, because that reads a list of open descriptors to close them, and reads beyond its end if
/// there are more than about 1,300. The tests of crowds have more.
package final class Child: Sendable {
    package let identifier: Int32
    /// The status from waitpid(2), and when it came.
    private let end: Mutex<(status: Int32, moment: ContinuousClock.Instant)?>
    private let ended: AsyncStream<Void>
    private let programs: RunningPrograms

    package init(
        _ program: Program,
        input: FileHandle,
        output: FileHandle,
        error: FileHandle,
        environment: [String: String]
    ) throws {
        guard let programs = ProgramSlots.programs else {
            throw ChildFailure(text: "\(program.path) may not start: the suite lacks the trait .startsPrograms")
        }
        let environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
        let streams = [input, output, error].map(\.fileDescriptor)
        let identifier = try Self.spawn(program, streams, environment.map { "\($0)=\($1)" })
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        self.identifier = identifier
        self.ended = ended
        self.programs = programs
        end = Mutex(nil)
        programs.add(identifier)
        // On its own thread, because waitpid(2) blocks.
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let moment = ContinuousClock.now
            programs.remove(identifier)
            end.withLock { $0 = (status: status, moment: moment) }
            continuation.finish()
        }
    }

    /// Starts the process with no signals blocked. A child inherits the blocked signals of the thread that starts it,
    /// and threads of Swift's pool block nearly all.
    private static func spawn(_ program: Program, _ streams: [Int32], _ environment: [String]) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        _ = closeFrom(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        // Some tests write to pipes themselves, and ignore it.
        var ignored = none
        sigaddset(&ignored, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var (arguments, variables) = (
            ([program.path] + program.arguments).map { strdup($0) }, environment.map { strdup($0) }
        )
        defer { for text in arguments + variables { free(text) } }
        arguments.append(nil)
        variables.append(nil)
        var identifier: Int32 = 0
        let failure = posix_spawn(&identifier, program.path, &actions, &attributes, arguments, variables)
        guard failure == 0 else { throw ChildFailure(text: "\(program.path): errno \(failure)") }
        return identifier
    }

    package var isRunning: Bool { end.withLock { $0 == nil } }

    /// When it ended; `nil` while it runs. The task that waits for the end may learn of it much later, because other
    /// tests occupy the threads of the pool.
    package var endedAt: ContinuousClock.Instant? { end.withLock { $0?.moment } }

    package func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits until the process is idle: for a tenth of a second it uses no processor time. Throws if it ends.
    ///
    /// There is no other way to see that a process is blocked in write(2).
    package func waitUntilIdle() async throws {
        var last = ""
        var quiet = 0
        // Only the limit of the test ends this, because on a busy machine nobody knows how long the process computes.
        while quiet < 10 {
            try await Task.sleep(for: .milliseconds(10))
            // The fields behind the name in brackets: the state, and as the twelfth and thirteenth the ticks in user
            // and kernel mode.
            let fields = try state()
            let now = fields.count > 13 ? "\(fields[0]) \(fields[11]) \(fields[12])" : ""
            quiet = now == last && now.hasPrefix("S") ? quiet + 1 : 0
            last = now
        }
    }

    /// Waits until the process is stopped, as by SIGTSTP. Throws if it ends.
    package func waitUntilStopped() async throws {
        while try state().first != "T" { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// The fields of proc(5) behind the name of the program.
    private func state() throws -> [Substring] {
        guard isRunning else { throw ChildFailure(text: "it has ended") }
        let line = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
        return line.split(separator: ")").last?.split(separator: " ") ?? []
    }

    /// Waits for the end. Returns the exit status, or the negative number of the signal.
    ///
    /// Throws if the test was cancelled, or if its programs were killed because it took too long, because the status
    /// has no meaning then.
    package func status() async throws -> Int32 {
        for await _ in ended {}
        guard !programs.areKilled else { throw ChildFailure(text: "it was killed, because the test took too long") }
        guard let status = end.withLock({ $0?.status }) else { throw ChildFailure(text: "the test was cancelled") }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}

/// The failure to start or to control a process.
package struct ChildFailure: Error, CustomStringConvertible {
    let text: String

    package var description: String { text }
}

/// Closes all descriptors from a number on. Declared here because glibc shows it only with `_GNU_SOURCE`.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func closeFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
