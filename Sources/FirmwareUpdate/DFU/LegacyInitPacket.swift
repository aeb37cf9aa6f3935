// SPDX-License-Identifier: MIT

import Bluetooth

/// What a boot loader with Legacy DFU has to know of firmware.
///
/// Spec: nRF5 SDK 11, DFU Init packet handling
struct LegacyInitPacket: Hashable, Sendable {
    /// The version of the application; `0xFFFFFFFF` for any.
    let version: UInt32
    /// The CRC-16 of the firmware; `nil` for an extended packet, which has something else.
    let checksum: UInt16?

    init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        _ = try reader.uint16("device type")
        _ = try reader.uint16("device revision")
        version = try reader.uint32("application version")
        let count = Int(try reader.uint16("number of SoftDevices"))
        _ = try reader.bytes(count * 2, "SoftDevices")
        let rest = reader.rest()
        guard rest.count >= 2 else { throw DecodeError("checksum", .truncated(needed: 2, available: rest.count)) }
        checksum = rest.count == 2 ? UInt16(rest[0]) | UInt16(rest[1]) << 8 : nil
    }
}
