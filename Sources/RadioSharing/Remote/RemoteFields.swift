// SPDX-License-Identifier: MIT

import Bluetooth

/// Fields of packets between processes. The reader checks every length, because the other process has written it.
extension ByteReader {
    /// The longest text, in octets.
    static let maximumText = 1_024

    /// Reads a boolean. Octets other than 0 and 1 are an error, because they show that the processes differ.
    mutating func boolean(_ field: String) throws(DecodeError) -> Bool {
        let octet = try uint8(field)
        guard octet <= 1 else { throw DecodeError(field, .invalid(value: UInt64(octet))) }
        return octet == 1
    }

    mutating func present(_ field: String) throws(DecodeError) -> Bool { try boolean(field) }

    /// A text with its length in front. Octets that are not UTF-8 are replaced.
    mutating func text(_ field: String) throws(DecodeError) -> String {
        let count = Int(try uint16(field))
        guard count <= Self.maximumText else { throw DecodeError(field, .invalid(value: UInt64(count))) }
        return String(decoding: try bytes(count, field), as: UTF8.self)
    }

    /// Reads an address with its type. Resolvable and static addresses are both random on the wire.
    mutating func remoteAddress() throws(DecodeError) -> DeviceAddress {
        let isRandom = try boolean("Address_Type")
        return DeviceAddress(BluetoothAddress(rawValue: try uint48("Address")), isRandom ? .random : .public)
    }

    /// Reads the security of a link: a set of flags, and the size of the key in octets.
    mutating func linkSecurity() throws(DecodeError) -> LinkSecurity {
        let flags = try uint8("Security")
        return LinkSecurity(
            isEncrypted: flags & 1 != 0,
            isAuthenticated: flags & 2 != 0,
            isSecureConnections: flags & 16 != 0,
            isAuthorized: flags & 4 != 0,
            keySize: try uint8("Key_Size"),
            hasBond: flags & 8 != 0
        )
    }
}

extension ByteWriter {
    mutating func boolean(_ value: Bool) { uint8(value ? 1 : 0) }

    mutating func present<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        boolean(value != nil)
        if let value { write(&self, value) }
    }

    /// A text, cut to the longest that is read.
    mutating func text(_ value: String) {
        let octets = value.utf8.prefix(ByteReader.maximumText)
        uint16(UInt16(clamping: octets.count))
        append(octets)
    }

    mutating func remoteAddress(_ address: DeviceAddress) {
        boolean(address.type.connectionType == .random)
        uint48(address.address.rawValue)
    }

    /// Writes the security of a link. Bits 0 to 4: encrypted, authenticated, authorized, bonded, Secure
    /// Connections.
    mutating func linkSecurity(_ security: LinkSecurity) {
        uint8(
            (security.isEncrypted ? 1 : 0) | (security.isAuthenticated ? 2 : 0) | (security.isAuthorized ? 4 : 0)
                | (security.hasBond ? 8 : 0) | (security.isSecureConnections ? 16 : 0)
        )
        uint8(security.keySize)
    }
}
