// SPDX-License-Identifier: MIT

package import Bluetooth

/// The return parameters of a command that returns none.
package struct NoManagementReturnParameters: ManagementReturnParameters, EmptyCoded {
    package init() {}
}

/// A command whose only parameter is a device. It returns the device again.
package protocol ManagementDeviceCommand: ManagementCommand where ReturnParameters == ManagementAddress {
    var device: ManagementAddress { get }
    init(_ device: ManagementAddress)
}

extension ManagementDeviceCommand {
    package init(from reader: inout ByteReader) throws(DecodeError) { self.init(try ManagementAddress(from: &reader)) }

    package func encode(into writer: inout ByteWriter) { writer.append(device) }

    package var details: String { "\(device)" }
}

/// A command that replaces all keys of a kind in the kernel. It can be used while the adapter is not powered.
package protocol ManagementKeyListCommand: ManagementCommand
where ReturnParameters == NoManagementReturnParameters {
    associatedtype Key: WireDecodable & WireEncodable
    static var keyLength: Int { get }
    var keys: [Key] { get }
    init(_ keys: [Key])
}

extension ManagementKeyListCommand {
    package static var maximumCount: Int { (65_535 - 2) / keyLength }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        let count = Int(try reader.uint16("key count"))
        var list = try reader.slice(count * Self.keyLength, "keys")
        var keys: [Key] = []
        while !list.isAtEnd { keys.append(try Key(from: &list)) }
        self.init(keys)
    }

    /// Writes the number of keys and the keys. Leaves out keys beyond `maximumCount`.
    package func encode(into writer: inout ByteWriter) {
        let written = keys.prefix(Self.maximumCount)
        writer.uint16(UInt16(written.count))
        for key in written { writer.append(key) }
    }

    package var details: String { "\(count: keys.count, "key")" }
}
