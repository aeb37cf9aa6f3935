// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Testing

@testable import LinuxRadio

/// The connection between the code under test and the test.
enum Wire: CaseIterable, Sendable, CustomTestStringConvertible {
    /// Two queues.
    case memory
    /// A pair of connected packet sockets. The product's own channel uses one of them.
    case socketPair

    /// The time for which the test waits for a PDU: far longer than any takes, also while other tests occupy all
    /// threads.
    static let timeout = Duration.seconds(600)

    var testDescription: String {
        switch self {
        case .memory: "in memory"
        case .socketPair: "over a socket pair"
        }
    }

    /// Creates a connected wire. The other end accepts PDUs of up to `mtu` octets.
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

/// The end of a wire that a test uses.
protocol OtherEnd: Sendable {
    /// Sends a PDU to the code under test.
    func send(_ pdu: [UInt8]) throws

    /// The next PDU from the code under test; throws if none arrives.
    func receive() async throws -> [UInt8]

    /// Ends the connection.
    func close()
}

extension DeviceAddress {
    /// The address of the device at the other end.
    static let other = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
}

extension SystemTimeSource {
    /// The system's clock, without the date, which no test reads.
    static var testing: SystemTimeSource { SystemTimeSource { WallTime(nanosecondsSince1970: 0) } }
}
