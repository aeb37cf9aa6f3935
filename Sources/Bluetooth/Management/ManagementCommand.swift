// SPDX-License-Identifier: GPL-2.0-or-later

/// A command to the kernel's management interface: a value that writes its parameters, and reads them where the kernel is simulated.
///
/// Opcode, name, parameters and return parameters of a command stand in one declaration, in one file under `Commands/`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
public protocol ManagementCommand: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// What Command Complete carries behind its status.
    associatedtype ReturnParameters: ManagementReturnParameters

    /// The command's opcode.
    static var opcode: ManagementOpcode { get }
    /// The command's name in the documentation.
    static var name: String { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

extension ManagementCommand {
    /// The command as a packet to an adapter, or to the kernel.
    public func packet(to adapter: ManagementIndex) -> ManagementPacket {
        ManagementPacket(code: Self.opcode.rawValue, adapter: adapter, parameters: encoded())
    }

    /// Name and parameters on one line.
    public var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    /// Reads what followed the status in the answer; octets that a later kernel appended are ignored.
    public static func returnParameters(decoding bytes: [UInt8]) throws(DecodeError) -> ReturnParameters {
        var reader = ByteReader(bytes)
        return try ReturnParameters(from: &reader)
    }
}

/// What Command Complete carries behind its status.
public protocol ManagementReturnParameters: WireDecodable, WireEncodable, Hashable, Sendable {
    /// The values in a few words, for a trace; may be empty.
    var details: String { get }
}

/// A command without parameters.
protocol ManagementParameterlessCommand: ManagementCommand {
    init()
}

extension ManagementParameterlessCommand {
    /// Reads nothing.
    public init(from reader: inout ByteReader) throws(DecodeError) { self.init() }

    /// Writes nothing.
    public func encode(into writer: inout ByteWriter) {}

    /// Nothing to tell.
    public var details: String { "" }
}

/// A command that switches one setting on or off and returns all settings as they are then.
public protocol ManagementSwitchCommand: ManagementCommand where ReturnParameters == ManagementSettings {
    /// Whether it is to be on.
    var isOn: Bool { get }
    /// Makes the command.
    init(_ isOn: Bool)
}

extension ManagementSwitchCommand {
    /// Reads 0x00 or 0x01.
    public init(from reader: inout ByteReader) throws(DecodeError) { self.init(try reader.flag(Self.name)) }

    /// Writes 0x00 or 0x01.
    public func encode(into writer: inout ByteWriter) { writer.flag(isOn) }

    /// `on` or `off`.
    public var details: String { isOn ? "on" : "off" }
}
