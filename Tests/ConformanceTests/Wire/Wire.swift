// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Testing

@testable import LinuxRadio

/// What carries the PDUs between the code under test and its other end.
enum Wire: CaseIterable, Sendable, CustomTestStringConvertible {
    /// Two queues.
    case memory
    /// A pair of connected packet sockets, our end of which is the product's own.
    case socketPair

    /// So long the other end waits for a PDU: far longer than any takes to come.
    static let patience = Duration.seconds(60)

    var testDescription: String {
        switch self {
        case .memory: "in memory"
        case .socketPair: "over a socket pair"
        }
    }

    /// A connected wire, for PDUs of up to `mtu` octets from the other end's point of view.
    func connect(mtu: UInt16 = 512) throws -> (ours: any ATTChannel, theirs: any OtherEnd) {
        switch self {
        case .memory:
            let (there, back) = (MemoryWire.Queue(), MemoryWire.Queue())
            return (
                MemoryChannel(out: there, into: back, maximumMTU: mtu), MemoryOtherEnd(out: back, into: there)
            )
        case .socketPair:
            var numbers: [Int32] = [0, 0]
            try systemCall { blectl_socketpair(&numbers) }
            let other = SocketOtherEnd(OwnedFileDescriptor(owning: numbers[1]))
            let channel = try SocketPairChannel(OwnedFileDescriptor(owning: numbers[0]), maximumMTU: mtu)
            return (channel, other)
        }
    }
}

/// The other end of a wire, where a test stands.
protocol OtherEnd: Sendable {
    /// Sends a PDU to the code under test.
    func send(_ pdu: [UInt8]) throws

    /// The next PDU from the code under test; throws where none comes.
    func receive() async throws -> [UInt8]

    /// Ends the connection.
    func close()
}

extension DeviceAddress {
    /// Who is at the other end.
    static let other = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
}

extension SystemTimeSource {
    /// The machine's clock; no test looks at the date.
    static var testing: SystemTimeSource { SystemTimeSource { WallTime(nanosecondsSince1970: 0) } }
}
