// SPDX-License-Identifier: GPL-2.0-or-later

/// A command to the controller: a value that writes its parameters, and reads them where the controller is simulated.
///
/// The opcode, the name, the parameters and the return parameters of a command stand in one declaration, in one file under
/// `Commands/`.
///
/// Spec: Core 5.4, Vol 4, Part E, 7
public protocol HCICommand: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// What Command Complete carries behind its status.
    associatedtype ReturnParameters: HCIReturnParameters

    /// The command's opcode.
    static var opcode: HCIOpcode { get }
    /// The command's name as the specification writes it, without `HCI_` and underscores.
    static var name: String { get }
    /// Which event answers the command.
    static var completion: HCICommandCompletion { get }
    /// Where a controller tells that it knows the command; `nil` where every controller has to know it.
    static var supportBit: HCISupportBit? { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

/// Which event answers a command.
///
/// Spec: Core 5.4, Vol 4, Part E, 4.4
public enum HCICommandCompletion: Hashable, Sendable {
    /// Command Complete: the command is done.
    case commandComplete
    /// Command Status: the command was accepted; another event tells the outcome later.
    case commandStatus
}

extension HCICommand {
    /// The command as a packet.
    public var packet: HCICommandPacket { HCICommandPacket(Self.opcode, parameters: encoded()) }

    /// Name and parameters on one line.
    public var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    /// Reads what followed the status in the answer; octets that a later specification appended are ignored.
    public static func returnParameters(decoding bytes: [UInt8]) throws(DecodeError) -> ReturnParameters {
        var reader = ByteReader(bytes)
        return try ReturnParameters(from: &reader)
    }
}

/// What Command Complete carries behind its status.
public protocol HCIReturnParameters: WireDecodable, WireEncodable, Hashable, Sendable {
    /// The values in a few words, for a trace; may be empty.
    var details: String { get }
}

/// The return parameters of a command that returns its status only.
public struct HCINoReturnParameters: HCIReturnParameters {
    /// Nothing.
    public init() {}

    public init(from reader: inout ByteReader) throws(DecodeError) {}

    public func encode(into writer: inout ByteWriter) {}

    public var details: String { "" }
}

/// A command without parameters.
protocol HCIParameterlessCommand: HCICommand {
    init()
}

extension HCIParameterlessCommand {
    /// Reads nothing.
    public init(from reader: inout ByteReader) throws(DecodeError) { self.init() }

    /// Writes nothing.
    public func encode(into writer: inout ByteWriter) {}

    /// Nothing to tell.
    public var details: String { "" }
}

extension ByteReader {
    /// The next octet as one of the values that the specification allows.
    mutating func value<Value: RawRepresentable<UInt8>>(
        _ field: String,
        as type: Value.Type = Value.self
    ) throws(DecodeError) -> Value {
        let octet = try uint8(field)
        guard let value = Value(rawValue: octet) else { throw DecodeError(field, .invalid(value: UInt64(octet))) }
        return value
    }

    /// The next octet as a truth value: 0x00 or 0x01.
    mutating func flag(_ field: String) throws(DecodeError) -> Bool {
        switch try uint8(field) {
        case 0x00: return false
        case 0x01: return true
        case let octet: throw DecodeError(field, .invalid(value: UInt64(octet)))
        }
    }

    /// The next octets as an address type and an address, in that order.
    mutating func deviceAddress(_ field: String) throws(DecodeError) -> DeviceAddress {
        let type = AddressType(rawValue: try uint8(field))
        return DeviceAddress(BluetoothAddress(rawValue: try uint48(field)), type)
    }
}

extension ByteWriter {
    /// Appends 0x01 or 0x00.
    mutating func flag(_ value: Bool) { uint8(value ? 0x01 : 0x00) }

    /// Appends the address's type and the address, in that order.
    mutating func deviceAddress(_ device: DeviceAddress) {
        uint8(device.type.rawValue)
        append(device.address)
    }
}
