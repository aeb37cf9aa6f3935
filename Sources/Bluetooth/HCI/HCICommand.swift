// SPDX-License-Identifier: MIT

/// A command to the controller. It encodes its parameters, and decodes them for traces and for a simulated controller.
/// Encoding does not check ranges, because the controller refuses invalid parameters.
///
/// Opcode, name, parameters and return parameters of a command are declared together in the file of its family under
/// `Commands/`, so that no second list can differ.
///
/// Spec: Core 5.4, Vol 4, Part E, 7
package protocol HCICommand: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// The return parameters in Command Complete, after the status; none if a command does not declare any.
    associatedtype ReturnParameters: HCIReturnParameters = HCINoReturnParameters

    static var form: HCIForm { get }
    /// A short description of the parameters for a trace; may be empty.
    var details: String { get }
}

/// What identifies a command, and the event that answers it.
package struct HCIForm: Sendable {
    package let opcode: HCIOpcode
    /// The command's name as the specification writes it, without `HCI_` and underscores.
    package let name: String
    package let completion: HCICommandCompletion
    /// The command's bit in the table of supported commands; `nil` if every controller must support the command.
    package let supportBit: HCISupportBit?

    package init(
        _ group: HCIOpcode.Group,
        _ number: UInt16,
        _ name: String,
        _ completion: HCICommandCompletion = .commandComplete,
        bit: (octet: UInt8, number: UInt8)? = nil
    ) {
        opcode = HCIOpcode(group, number)
        self.name = name
        self.completion = completion
        supportBit = bit.map { HCISupportBit($0.octet, $0.number) }
    }
}

/// The event that answers a command.
///
/// Spec: Core 5.4, Vol 4, Part E, 4.4
package enum HCICommandCompletion: Hashable, Sendable {
    /// Command Complete: the command has been executed.
    case commandComplete
    /// Command Status: the command was accepted, and another event reports the result later.
    case commandStatus
}

extension HCICommand {
    package static var opcode: HCIOpcode { form.opcode }
    package static var name: String { form.name }
    package static var completion: HCICommandCompletion { form.completion }
    package static var supportBit: HCISupportBit? { form.supportBit }

    package var packet: HCICommandPacket { HCICommandPacket(Self.opcode, parameters: encoded()) }

    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    /// Decodes the return parameters without the status. Octets after them are ignored, because later specifications
    /// append fields.
    package static func returnParameters(decoding bytes: [UInt8]) throws(DecodeError) -> ReturnParameters {
        var reader = ByteReader(bytes)
        return try ReturnParameters(from: &reader)
    }
}

/// The return parameters in Command Complete, after the status.
package protocol HCIReturnParameters: WireDecodable, WireEncodable, Hashable, Sendable {
    /// A short description of the values for a trace; may be empty.
    var details: String { get }
}

extension LEFeatures: HCIReturnParameters {
    package var details: String { description }
}

extension LEDataLength: HCIReturnParameters {
    package var details: String { description }
}

/// The return parameters of a command that returns its status only.
package struct HCINoReturnParameters: HCIReturnParameters, EmptyCoded {
    package init() {}
}

package typealias HCIParameterlessCommand = HCICommand & EmptyCoded

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
    package mutating func flag(_ field: String) throws(DecodeError) -> Bool {
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
    package mutating func flag(_ value: Bool) { uint8(value ? 0x01 : 0x00) }

    mutating func deviceAddress(_ device: DeviceAddress) {
        uint8(device.type.rawValue)
        append(device.address)
    }
}
