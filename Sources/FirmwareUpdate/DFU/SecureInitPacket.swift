// SPDX-License-Identifier: MIT

import Bluetooth

/// What a boot loader with Secure DFU has to know of firmware. The signature is for the boot loader to check.
///
/// Spec: nRF5 SDK 17, `dfu-cc.proto`
struct SecureInitPacket: Hashable, Sendable {
    let kind: DFUImage.Kind
    /// The version; `nil` if none is stated.
    let version: UInt32?
    /// The octets of each part.
    let sizes: DFUImage.Sizes
    /// The SHA-256 of the firmware; `nil` for a hash of another kind.
    let hash: [UInt8]?

    init(_ octets: [UInt8]) throws(DecodeError) {
        let packet = try ProtobufMessage(octets)
        // A command, or one with a signature.
        let holder = try packet.message(2) ?? packet
        guard let command = try holder.message(1), let start = try command.message(2) else {
            throw DecodeError("init packet", .inconsistent("it has no command for new firmware"))
        }
        let type = start.number(4) ?? 0
        guard let kind = Self.kinds[type] else { throw DecodeError("type", .invalid(value: type)) }
        self.kind = kind
        version = start.number(1).flatMap { UInt32(exactly: $0) }
        var sizes = DFUImage.Sizes(softdevice: try start.size(5), bootloader: try start.size(6))
        sizes.application = try start.size(7)
        self.sizes = sizes
        guard let hash = try start.message(8), let octets = hash.octets(2) else {
            throw DecodeError("init packet", .inconsistent("it has no hash"))
        }
        // The octets of the hash are in reverse order.
        self.hash = hash.number(1) == Self.sha256 ? octets.reversed() : nil
    }

    private static let kinds: [UInt64: DFUImage.Kind] = [
        0: .application, 1: .softdevice, 2: .bootloader, 3: .softdeviceAndBootloader, 4: .application,
    ]
    private static let sha256: UInt64 = 3
}

/// The fields of a message by their numbers; of a field that comes several times, the last one counts.
///
/// Spec: Protocol Buffers, Encoding
private struct ProtobufMessage {
    private enum Value {
        case number(UInt64)
        case octets([UInt8])
    }

    private var fields: [UInt64: Value] = [:]

    init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        while !reader.isAtEnd {
            let key = try Self.number(&reader)
            switch key & 7 {
            case 0: fields[key >> 3] = .number(try Self.number(&reader))
            case 1: fields[key >> 3] = .number(try reader.uint64("field"))
            case 2:
                let length = try Self.number(&reader)
                guard let length = Int(exactly: length), length <= octets.count else {
                    throw DecodeError("length", .invalid(value: length))
                }
                fields[key >> 3] = .octets(try reader.bytes(length, "field"))
            case 5: fields[key >> 3] = .number(UInt64(try reader.uint32("field")))
            default: throw DecodeError("wire type", .invalid(value: key & 7))
            }
        }
    }

    private static func number(_ reader: inout ByteReader) throws(DecodeError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let octet = try reader.uint8("number")
            value |= UInt64(octet & 0x7F) << shift
            if octet & 0x80 == 0 { return value }
        }
        throw DecodeError("number", .inconsistent("it has more than 64 bits"))
    }

    func number(_ field: UInt64) -> UInt64? { if case .number(let value)? = fields[field] { value } else { nil } }

    func octets(_ field: UInt64) -> [UInt8]? { if case .octets(let value)? = fields[field] { value } else { nil } }

    func message(_ field: UInt64) throws(DecodeError) -> ProtobufMessage? {
        guard let octets = octets(field) else { return nil }
        return try ProtobufMessage(octets)
    }

    func size(_ field: UInt64) throws(DecodeError) -> Int {
        let value = number(field) ?? 0
        guard let size = Int32(exactly: value) else { throw DecodeError("size", .invalid(value: value)) }
        return Int(size)
    }
}
