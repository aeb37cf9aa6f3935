// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Foundation
import Synchronization
import TestProcesses
import Testing

/// A device at the other end of a socket, on a thread of its own. It is honest, except for the manners that a test
/// gives it.
final class ScriptedPeer: Sendable {
    /// A PDU that passed the socket.
    struct Passed: Sendable, Equatable {
        let connection: Int
        let isSent: Bool
        let bytes: [UInt8]
        /// The PDU of the client that caused it.
        let request: [UInt8]
    }

    private struct Record {
        var passed: [Passed] = []
        var requests = 0
        var connections = 0
        var endedAt: ContinuousClock.Instant?
        var floods = 0
    }

    /// The limit of the record, because floods are too large to be kept.
    private static let recordLimit = 20_000

    let path: String
    private let record = Mutex(Record())

    private init(path: String) { self.path = path }

    /// The options by which blectl connects to it.
    var arguments: [String] { ["--radio", "unix:\(path)"] }

    /// All PDUs in both directions, except those of floods.
    var passed: [Passed] { record.withLock { $0.passed } }

    var sent: [Passed] { passed.filter(\.isSent) }

    var received: [[UInt8]] { passed.filter { !$0.isSent }.map(\.bytes) }

    /// The number of PDUs of the clients, also beyond the limit of the record.
    var requestCount: Int { record.withLock { $0.requests } }

    var connectionCount: Int { record.withLock { $0.connections } }

    /// The time at which it first fell silent or disconnected.
    var endedAt: ContinuousClock.Instant? { record.withLock { $0.endedAt } }

    /// The number of completed floods.
    var floodCount: Int { record.withLock { $0.floods } }

    /// Runs a device while `body` runs.
    static func run<Value>(
        _ manners: Manners = .honest,
        _ body: (ScriptedPeer) async throws -> Value
    ) async throws -> Value {
        try await TemporaryFolder.use { folder in
            let peer = ScriptedPeer(path: folder.appendingPathComponent("s").path)
            let listener = try PacketSocket.listening(at: peer.path)
            let device = try ModelDevice(manners.services)
            let later = try manners.laterServices.map { try ModelDevice($0) }
            let stop = try PipeEnds()
            let (ended, continuation) = AsyncStream<Void>.makeStream()
            Thread.detachNewThread {
                var loop = PeerLoop(peer, manners, [device, later ?? device], listener)
                loop.run(until: stop.reading)
                continuation.finish()
            }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(peer))
            } catch {
                result = .failure(error)
            }
            close(stop.writing)
            for await _ in ended {}
            close(stop.reading)
            return try result.get()
        }
    }

    fileprivate func connected() { record.withLock { $0.connections += 1 } }

    fileprivate func ended() { record.withLock { $0.endedAt = $0.endedAt ?? .now } }

    fileprivate func flooded() { record.withLock { $0.floods += 1 } }

    fileprivate func passed(_ pdu: Passed) {
        record.withLock { record in
            if !pdu.isSent { record.requests += 1 }
            if record.passed.count < Self.recordLimit { record.passed.append(pdu) }
        }
    }
}

/// The loop of a peer's thread.
private struct PeerLoop {
    private struct Connection {
        let number: Int
        let socket: PacketSocket
        var device: ModelDevice
        /// The acts to perform, each with the request that caused it.
        var agenda: [(act: Manners.Act, request: [UInt8])] = []
        var resumesAt: ContinuousClock.Instant?
        var honestCount = 0
        var repetitions: [UInt8: Int] = [:]
        var isSilent = false
        var isReading = true
        var hasEnded = false
        var awaitsRoom = false
    }

    let peer: ScriptedPeer
    let manners: Manners
    /// The behaviour for the first client, and for all others.
    let devices: [ModelDevice]
    let listener: PacketSocket
    private var connections: [Connection] = []
    private var connectionCount = 0
    private var honestCount = 0
    private var isDead = false

    init(_ peer: ScriptedPeer, _ manners: Manners, _ devices: [ModelDevice], _ listener: PacketSocket) {
        self.peer = peer
        self.manners = manners
        self.devices = devices
        self.listener = listener
    }

    mutating func run(until stop: Int32) {
        var stopped = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        while poll(&stopped, 1, 0) == 0 {
            PacketSocket.wait([(listener, Int16(POLLIN))] + interests, and: stop, milliseconds: timeout)
            while let socket = listener.accept() { take(socket) }
            for index in connections.indices {
                receive(index)
                act(index)
            }
            connections.removeAll { $0.hasEnded }
        }
    }

    private var interests: [(PacketSocket, Int16)] {
        connections.compactMap { connection in
            let events = (connection.isReading ? POLLIN : 0) | (connection.awaitsRoom ? POLLOUT : 0)
            // poll(2) reports the end again and again, even without interest.
            return events == 0 ? nil : (connection.socket, Int16(events))
        }
    }

    /// The time until the next act, in milliseconds.
    private var timeout: Int32 {
        guard let next = connections.compactMap(\.resumesAt).min() else { return -1 }
        return Int32(max(0, (next - .now) / .milliseconds(1)).rounded(.up))
    }

    private mutating func take(_ socket: PacketSocket) {
        let device = devices[min(connectionCount, devices.count - 1)]
        var connection = Connection(number: connectionCount, socket: socket, device: device)
        connection.isSilent = isDead
        connections.append(connection)
        connectionCount += 1
        peer.connected()
    }

    private mutating func receive(_ index: Int) {
        // A few at a time, so that answers are sent during a flood.
        for _ in 0..<64 where connections[index].isReading && !connections[index].hasEnded {
            switch connections[index].socket.receive() {
            case .packet(let bytes): respond(to: bytes, index)
            case .nothing: return
            case .end: connections[index].hasEnded = true
            }
        }
    }

    private mutating func respond(to bytes: [UInt8], _ index: Int) {
        let connection = connections[index]
        peer.passed(.init(connection: connection.number, isSent: false, bytes: bytes, request: bytes))
        guard !connection.isSilent else { return }
        let opcode = bytes.first ?? 0
        let turn = Manners.Turn(
            request: bytes,
            honest: connections[index].device.received(bytes),
            sentBefore: honestCount,
            sentBeforeHere: connection.honestCount,
            repetition: connection.repetitions[opcode, default: 0],
            connection: connection.number
        )
        honestCount += turn.honest.count
        connections[index].honestCount += turn.honest.count
        connections[index].repetitions[opcode, default: 0] += 1
        connections[index].agenda += manners.react(turn).map { ($0, bytes) }
    }

    /// Performs the acts that are possible now.
    private mutating func act(_ index: Int) {
        if let moment = connections[index].resumesAt {
            guard moment <= .now else { return }
            connections[index].resumesAt = nil
        }
        connections[index].awaitsRoom = false
        while let (act, request) = connections[index].agenda.first, !connections[index].hasEnded {
            switch act {
            case .send(let pdu):
                guard send(pdu, request, index) else { return }
            case .flood(let numbers, let make):
                guard let next = flood(numbers, make, index) else {
                    peer.flooded()
                    break
                }
                connections[index].agenda[0].act = .flood(next..<numbers.upperBound, make)
                return
            case .pause(let milliseconds):
                connections[index].resumesAt = .now + .milliseconds(milliseconds)
                connections[index].agenda.removeFirst()
                return
            case .die:
                isDead = true
                for other in connections.indices { connections[other].isSilent = true }
                fallSilent(index)
                return
            case .fallSilent:
                fallSilent(index)
                return
            case .stopReading:
                connections[index].isReading = false
            case .close:
                connections[index].hasEnded = true
                peer.ended()
                return
            }
            connections[index].agenda.removeFirst()
        }
    }

    private mutating func fallSilent(_ index: Int) {
        connections[index].isSilent = true
        connections[index].agenda = []
        peer.ended()
    }

    /// Sends until there is no room. Returns the number to continue with.
    private mutating func flood(_ numbers: Range<Int>, _ make: (Int) -> [UInt8], _ index: Int) -> Int? {
        let socket = connections[index].socket
        for number in numbers {
            switch socket.send(make(number)) {
            case .sent: continue
            case .noRoom: connections[index].awaitsRoom = true
            case .gone: connections[index].hasEnded = true
            }
            return number
        }
        return nil
    }

    /// Sends a PDU. Returns whether there was room.
    private mutating func send(_ pdu: [UInt8], _ request: [UInt8], _ index: Int) -> Bool {
        switch connections[index].socket.send(pdu) {
        case .sent:
            peer.passed(.init(connection: connections[index].number, isSent: true, bytes: pdu, request: request))
            return true
        case .noRoom:
            connections[index].awaitsRoom = true
            return false
        case .gone:
            connections[index].hasEnded = true
            return false
        }
    }
}
