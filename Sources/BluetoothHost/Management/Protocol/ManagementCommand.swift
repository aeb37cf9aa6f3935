// SPDX-License-Identifier: MIT

package import Bluetooth

/// A command to the kernel's management interface. It can be written, and for the simulated kernel also read.
///
/// One declaration, in the file of its family under `Commands/`, holds the opcode, the name, the parameters and the
/// return parameters.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, the section with the name
package protocol ManagementCommand: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// The parameters after the status in Command Complete.
    associatedtype ReturnParameters: ManagementReturnParameters

    static var form: ManagementForm { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

/// What identifies a command or an event: its number, and its name in the documentation.
package struct ManagementForm: Sendable {
    package let number: UInt16
    package let name: String

    init(_ number: UInt16, _ name: String) { (self.number, self.name) = (number, name) }
}

extension ManagementCommand {
    package static var opcode: ManagementOpcode { ManagementOpcode(rawValue: form.number) }
    package static var name: String { form.name }

    package func packet(to adapter: ManagementIndex) -> ManagementPacket {
        ManagementPacket(code: Self.opcode.rawValue, adapter: adapter, parameters: encoded())
    }

    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    /// Reads the return parameters. Ignores octets after them, because later kernels append some.
    package static func returnParameters(decoding bytes: [UInt8]) throws(DecodeError) -> ReturnParameters {
        var reader = ByteReader(bytes)
        return try ReturnParameters(from: &reader)
    }
}

/// The parameters after the status in Command Complete.
package protocol ManagementReturnParameters: WireDecodable, WireEncodable, Hashable, Sendable {
    /// The values in a few words, for a trace; may be empty.
    var details: String { get }
}

typealias ManagementParameterlessCommand = ManagementCommand & EmptyCoded

/// A command that switches one setting. It returns all settings after the change.
package protocol ManagementSwitchCommand: ManagementCommand where ReturnParameters == ManagementSettings {
    var isOn: Bool { get }
    init(_ isOn: Bool)
}

extension ManagementSwitchCommand {
    package init(from reader: inout ByteReader) throws(DecodeError) { self.init(try reader.flag(Self.name)) }

    package func encode(into writer: inout ByteWriter) { writer.flag(isOn) }

    /// `on` or `off`.
    package var details: String { isOn ? "on" : "off" }
}
