// SPDX-License-Identifier: MIT

import Bluetooth

/// The protocol of a simulated boot loader of Nordic's.
protocol BootLoader: Sendable {
    /// How much of the firmware it has; `nil` while it expects none.
    var received: Int? { get }

    mutating func order(_ octets: [UInt8]) -> [BootLoaderReply]

    mutating func packet(_ octets: [UInt8]) -> [BootLoaderReply]

    /// The flash cannot be written.
    mutating func fail() -> [BootLoaderReply]

    /// The device has started anew.
    mutating func restarted()
}

enum BootLoaderReply: Hashable, Sendable {
    case send([UInt8])
    /// It works for that long before anything else.
    case work(Duration)
    /// The firmware before is not whole any more.
    case replacesApplication
    /// It starts the firmware that it has got, of that version.
    case install(String)
    /// It starts anew.
    case reset
}

extension BootLoaderReply {
    /// An answer to an order, whose first octet is given.
    static func answer(_ code: UInt8, to order: UInt8, _ refusal: DFURefusal? = nil, _ rest: [UInt8] = []) -> Self {
        let result = [refusal?.code ?? DFURefusal.success, refusal?.extended].compactMap(\.self)
        return .send([code, order] + result + rest)
    }

    /// How a device names firmware: by its version, or else by its checksum.
    static func install(_ firmware: [UInt8], version: UInt32?) -> Self {
        .install(version.map(String.init) ?? Hex.string(Checksum.crc32(firmware), minimumDigits: 8).lowercased())
    }
}
