// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CBlueZ
import Glibc
import Synchronization

/// A turn that this process holds. It ends with `end`, or with the process.
final class ListeningTurn: Turn {
    private struct State: ~Copyable {
        var listener: OwnedFileDescriptor?
    }

    private let state: Mutex<State>

    init(_ listener: consuming OwnedFileDescriptor) { state = Mutex(State(listener: listener)) }

    deinit { end() }

    func end() {
        state.withLock { state in
            if let listener = state.listener.take() { TurnSocket.handOn(listener) }
        }
    }
}

struct TurnQueue {
    /// The first and the longest pause between two attempts, for queues that cannot be entered.
    private static let pauses = (first: Duration.milliseconds(10), longest: Duration.milliseconds(500))

    /// The name of the turn among all programs of this machine.
    let name: String
    let subject: TurnSubject
    let operation: String
    let ioThread: IOThread
    let time: any TimeSource

    /// Waits for the turn until the deadline. Calls `onWait` with the holder, and again whenever the holder changes.
    func turn(
        by deadline: Instant,
        onWait: (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        var reported: Int32?
        var holder: ProcessReference?
        var pause = Self.pauses.first
        while true {
            switch TurnSocket.enter(name) {
            case .taken(let listener):
                return ListeningTurn(listener)
            case .unavailable:
                // The program works without turns, too: the kernel reports EBUSY for a device that another program
                // uses.
                return FreeTurn()
            case .queued(let socket, let credentials):
                let process = credentials?.process ?? 0
                holder = credentials.flatMap { Self.program($0) }
                // Without any time (--no-wait) the program does not wait, so no wait is announced.
                guard time.now < deadline else { throw subject.busyError(holder, during: operation) }
                if reported != process { onWait(holder) }
                reported = process
                if let turn = try await wait(socket, until: deadline, holder) { return turn }
            case .closed:
                break
            }
            guard time.now < deadline else { throw subject.busyError(holder, during: operation) }
            // The queue has dissolved or cannot be entered. Other programs ask again as well, so the pauses grow.
            do throws(CancellationError) {
                try await time.sleep(until: min(time.now + pause, deadline))
            } catch {
                throw RadioError(.cancelled, during: operation)
            }
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    /// Waits in the queue; `nil` if the queue has dissolved.
    private func wait(
        _ socket: consuming OwnedFileDescriptor,
        until deadline: Instant,
        _ holder: ProcessReference?
    ) async throws(RadioError) -> ListeningTurn? {
        let pending = try PendingConnection(socket, operation, for: .news, on: ioThread)
        let called: OwnedFileDescriptor
        do throws(RadioError) {
            called = try await pending.socket(by: deadline, time)
        } catch {
            guard error.cause == .connectTimedOut else { throw error }
            throw subject.busyError(holder, during: operation)
        }
        switch TurnSocket.news(called, name) {
        case .turn(let listener): return ListeningTurn(listener)
        case .over: return nil
        }
    }

    /// The program of a process; without a command line if proc(5) hides it.
    private static func program(_ credentials: blectl_credentials) -> ProcessReference? {
        guard credentials.process > 0 else { return nil }
        return ProcessReference(process: credentials.process, command: commandLine(of: credentials.process))
    }

    private static func commandLine(of process: Int32) -> String {
        guard let file = try? OwnedFileDescriptor({ blectl_open("/proc/\(process)/cmdline", O_RDONLY | O_CLOEXEC) })
        else { return "" }
        // A message needs no more, and a command line may be megabytes long.
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = (try? systemCall { read(file.rawValue, &buffer, buffer.count) }) ?? 0
        var words = buffer.prefix(count).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        // The last part of the path is enough for a message.
        if let program = words.first { words[0] = program.split(separator: "/").last.map(String.init) ?? program }
        return words.joined(separator: " ")
    }
}

extension TurnQueue {
    /// Creates a wait. The subject and the adapter are part of the turn's name, so that programs with different ones do
    /// not wait for each other.
    ///
    /// - Parameters:
    ///   - place: What distinguishes the adapter on this machine.
    ///   - adapter: The name of the adapter, for errors.
    ///   - ioThread: The thread of the sockets.
    ///   - time: The clock of deadlines.
    init(_ subject: TurnSubject, at place: String, of adapter: String, on ioThread: IOThread, _ time: any TimeSource) {
        let (word, operation) =
            switch subject {
            case .device(let device): ("\(device.address) \(device.type)", "connection to \(device.address)")
            case .search: ("search", "search with \(adapter)")
            case .serving: ("serving", "ATT channel of \(adapter)")
            case .legacyAdvertising: ("advertising", "advertising on \(adapter)")
            case .advertising(let share): ("advertising \(share)", "advertising on \(adapter)")
            case .privacySwitch: ("privacy", "privacy of \(adapter)")
            case .privacy(let user): ("privacy \(user)", "privacy of \(adapter)")
            }
        name = "blectl/1 \(place) \(word)"
        self.subject = subject
        self.operation = operation
        self.ioThread = ioThread
        self.time = time
    }
}

extension PacketSocket {
    /// Waits for the turn among the blectl programs of this machine that use the adapter of the process at the socket.
    ///
    /// - Parameters:
    ///   - adapter: The name of the adapter, for errors.
    ///   - deadline: The end of the wait. One in the past waits not at all.
    ///   - time: The clock of the deadline.
    ///   - onWait: Called with the holder, if known, and again when another program holds the turn.
    package func takeTurn(
        _ subject: TurnSubject,
        of adapter: String,
        by deadline: Instant,
        _ time: any TimeSource,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        // The names of turns are short, and a path may be long. Two paths may lead to one socket.
        guard let file = UnixSocket.FileIdentity(path) else {
            throw RadioError(.socket(path: path, .noFile), during: adapter)
        }
        let place = "socket \(file.device):\(file.inode)"
        let queue = TurnQueue(subject, at: place, of: adapter, on: try thread.get(), time)
        return try await queue.turn(by: deadline, onWait: onWait)
    }
}
