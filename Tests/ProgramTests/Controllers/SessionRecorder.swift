// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import LinuxRadio
import Synchronization
import Testing

@testable import ControllerRadio
@testable import Terminal

private let recordingOrder = ProcessInfo.processInfo.environment["BLECTL_RECORD_SESSION"]

/// Records a session with a real controller: `BLECTL_RECORD_SESSION='NAME PLACE COMMAND…'`, where the place is what `-i`
/// takes. BlueZ's `btvirt -L -s` and rootcanal give each connection a controller of its own on one air, so that
/// `blectl -i PLACE serve pulse-strap` is a device for the command, and another command a client of `serve`.
@Suite("Recording a session", .enabled(if: recordingOrder != nil))
struct SessionRecorder {
    @Test func `what a command and a controller say to each other`() async throws {
        let parts = try #require(recordingOrder).split(separator: " ", maxSplits: 2).map(String.init)
        try #require(parts.count == 3)
        let transport = ControllerTransport(to: try #require(ControllerPlace(parts[1])))
        defer { transport.shutDown() }
        let time = SystemTimeSource.linux
        let session = try await withLastingTaskScope(time) { scope in
            let channel = try await transport.connect(by: time.now + .seconds(5)) { WorkThread.start($0) }
            let recorder = RecordingChannel(channel, time)
            let end = try await SessionBench.run(parts[2], at: time, in: scope, over: recorder)
            print(end.messages.joined(separator: "\n"))
            let status = try #require(end.status)
            return RecordedSession(name: parts[0], words: parts[2], status: status, packets: recorder.packets)
        }
        try session.save()
    }
}

/// Keeps the packets of both directions.
private final class RecordingChannel: PacketChannel {
    private struct State {
        var last: Instant
        var readers = (host: H4Reader(), controller: H4Reader())
        var packets: [RecordedSession.Packet] = []
    }

    private let base: any PacketChannel
    private let time: any TimeSource
    private let state: Mutex<State>

    init(_ base: any PacketChannel, _ time: any TimeSource) {
        (self.base, self.time) = (base, time)
        state = Mutex(State(last: time.now))
    }

    var packets: [RecordedSession.Packet] { state.withLock { $0.packets } }
    var droppedCount: Int { base.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] {
        let octets = try await base.receive()
        note(octets, isFromHost: false)
        return octets
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        note(packet, isFromHost: true)
        try base.send(packet)
    }

    func drained() async throws(RadioError) { try await base.drained() }
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }
    func close() { base.close() }

    private func note(_ octets: [UInt8], isFromHost: Bool) {
        state.withLock { state in
            let packets =
                (isFromHost
                    ? try? state.readers.host.append(octets) : try? state.readers.controller.append(octets)) ?? []
            for packet in packets {
                let now = time.now
                state.packets.append(.init(isFromHost: isFromHost, pause: now - state.last, octets: packet))
                state.last = now
            }
        }
    }
}
