// SPDX-License-Identifier: GPL-2.0-or-later

package import Foundation
import Synchronization

/// A process that was started.
///
/// Not by Foundation's `Process`: to close what is open it reads a list of it, and beyond the end of that where there are
/// more than about 1,300 files. The crowds have more.
package final class Child: Sendable {
    package let identifier: Int32
    /// What waitpid(2) has told.
    private let waitStatus: Mutex<Int32?>
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
        waitStatus = Mutex(nil)
        programs.add(identifier)
        // A thread of its own, for it waits in waitpid(2).
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            programs.remove(identifier)
            waitStatus.withLock { $0 = status }
            continuation.finish()
        }
    }

    /// A child inherits what its parent's thread blocks, and the threads of the pool block nearly everything.
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
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
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

    package var isRunning: Bool { waitStatus.withLock { $0 == nil } }

    package func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits until it waits: for all of a tenth of a second it takes no processor time.
    ///
    /// Nothing else tells that a process hangs in write(2).
    package func waitUntilIdle() async throws {
        var last = ""
        var quiet = 0
        for _ in 0..<1_000 where quiet < 10 {
            try await Task.sleep(for: .milliseconds(10))
            let line = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            // The fields behind the name in brackets: the state, and eleven further on the ticks in user and kernel mode.
            let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
            let now = fields.count > 13 ? "\(fields[0]) \(fields[11]) \(fields[12])" : ""
            quiet = now == last && now.hasPrefix("S") ? quiet + 1 : 0
            last = now
        }
        guard quiet == 10 else { throw ChildFailure(text: "it goes on and on") }
    }

    /// Waits for the end. The exit status, or the negative number of the signal.
    ///
    /// Throws where the test was cancelled, or its programs were killed because it took too long: the status means nothing
    /// then.
    package func status() async throws -> Int32 {
        for await _ in ended {}
        guard !programs.areKilled else { throw ChildFailure(text: "it was killed, because the test took too long") }
        guard let status = waitStatus.withLock({ $0 }) else { throw ChildFailure(text: "the test was cancelled") }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}

/// What a child would not do.
package struct ChildFailure: Error, CustomStringConvertible {
    let text: String

    package var description: String { text }
}

/// Closes all files from that number on. glibc has it, but shows it only to those who ask for all that it has.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func closeFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
