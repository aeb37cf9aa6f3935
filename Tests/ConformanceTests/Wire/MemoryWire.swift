// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A wire that consists of two queues.
enum MemoryWire {
    /// The PDUs of one direction.
    final class Queue: Sendable {
        let packets = PacketQueue(limit: 4_096, overflow: .pauseProducer)

        func end(_ cause: RadioError.Cause) { packets.finish(RadioError(cause, during: "wire")) }
    }
}

/// The end for the code under test.
struct MemoryChannel: ATTChannel {
    let out: MemoryWire.Queue
    let into: MemoryWire.Queue
    let maximumMTU: UInt16

    var peer: DeviceAddress { .other }
    var connectionHandle: UInt16? { nil }
    var droppedCount: Int { into.packets.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await into.packets.next() }
    func send(_ packet: [UInt8]) throws(RadioError) { out.packets.push(packet) }
    func drained() async throws(RadioError) {}

    func close() {
        into.end(.closedLocally)
        out.end(.closedByPeer(nil))
    }
}

/// The end for the test.
struct MemoryOtherEnd: OtherEnd {
    let out: MemoryWire.Queue
    let into: MemoryWire.Queue

    func send(_ pdu: [UInt8]) { out.packets.push(pdu) }

    func receive() async throws -> [UInt8] {
        let time = SystemTimeSource.testing
        return try await withDeadline(time.now + Wire.timeout, time, operation: "a PDU") {
            try await into.packets.next()
        }
    }

    func close() {
        into.end(.closedLocally)
        out.end(.closedByPeer(nil))
    }
}
