// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost
@testable import RadioSharing

/// A process at the other end of a connection, which may be gone.
private final class Process: PacketChannel {
    private let requests = PacketQueue(limit: 16, overflow: .dropOldest)
    private let answers = Mutex<[RemotePacket]>([])
    /// How many packets it takes before it is gone.
    private let patience: Int

    init(_ request: RemoteRequest, patience: Int = .max) {
        self.patience = patience
        requests.push(request.encoded())
    }

    /// What it was sent.
    var received: [RemotePacket] { answers.withLock { $0 } }

    var droppedCount: Int { 0 }
    func receive() async throws(RadioError) -> [UInt8] { try await requests.next() }
    func drained() async throws(RadioError) {}
    func close() { requests.finish(RadioError(.closedByPeer(nil), during: "test")) }

    func send(_ packet: [UInt8]) throws(RadioError) {
        try answers.withLock { answers throws(RadioError) in
            guard answers.count < patience else { throw RadioError(.closedByPeer(nil), during: "test") }
            if let packet = try? RemotePacket(decoding: packet) { answers.append(packet) }
        }
    }
}

@Suite("Enhanced bearers for another process")
struct RemoteBearersTests {
    @Test func `none is left open for a process that has gone when it is to hear of them`() throws {
        for patience in 0...2 {
            try inVirtualTime { time, scope in
                let radio = ScriptedRadio([.connects([])], time, scope)
                let server = RemoteRadioServer(time: time, makeMachine: { RemoteRadioServer.Machine(radio) {} })
                let joining = Process(.join)
                scope.spawn { await server.serve(joining) }
                try await time.sleep(for: .seconds(1))
                guard case .joined(let member)? = joining.received.last else {
                    Issue.record("\(joining.received)")
                    return
                }
                let connecting = Process(.connect(member, .scripted, timeout: .seconds(5)))
                scope.spawn { await server.serve(connecting) }
                try await time.sleep(for: .seconds(1))
                let bearers = (0..<3).map { _ in ScriptedChannel([], time, scope) }
                radio.channels[0].whenAsked(for: .success(bearers))
                let asking = Process(.bearers(member, link: 0x0040, count: 3), patience: patience)
                await server.serve(asking)
                #expect(asking.received.count == patience)
                #expect(bearers.allSatisfy { $0.closedAt != nil }, "it has taken \(patience) packets")
                connecting.close()
                joining.close()
            }
        }
    }
}
