// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// A value in packets between processes. Reading checks every length, because the other process has written it.
protocol RemoteField {
    /// Reads the value. `name` is that of the field, for errors.
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError)

    func write(to writer: inout ByteWriter)
}

extension ByteReader {
    /// The longest text, in octets.
    static let maximumText = 1_024
    /// The number of texts in a list.
    static let maximumTexts = 32

    /// Reads a value of the type that is wanted.
    mutating func field<Value: RemoteField>(_ name: String) throws(DecodeError) -> Value {
        try Value(remote: &self, name)
    }
}

extension ByteWriter {
    /// Writes values in their order.
    mutating func fields<each Value: RemoteField>(_ value: repeat each Value) {
        repeat (each value).write(to: &self)
    }

    /// Writes the number of a kind, and then its values.
    mutating func kind<each Value: RemoteField>(_ number: UInt8, _ value: repeat each Value) {
        uint8(number)
        repeat (each value).write(to: &self)
    }
}

// MARK: - Numbers

extension RemoteField where Self: FixedWidthInteger {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self.init(truncatingIfNeeded: try reader.integer(octets: Self.bitWidth / 8, name))
    }

    func write(to writer: inout ByteWriter) {
        writer.integer(UInt64(truncatingIfNeeded: self), octets: Self.bitWidth / 8)
    }
}

extension UInt8: RemoteField {}
extension UInt16: RemoteField {}
extension UInt32: RemoteField {}
extension UInt64: RemoteField {}
extension Int8: RemoteField {}
extension Int32: RemoteField {}

/// A count, in four octets.
extension Int: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) { self = Int(try reader.uint32(name)) }

    func write(to writer: inout ByteWriter) { writer.uint32(UInt32(clamping: self)) }
}

extension RemoteField where Self: RawRepresentable, RawValue: RemoteField & BinaryInteger {
    /// Throws for a number that the type does not know.
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let number: RawValue = try reader.field(name)
        guard let value = Self(rawValue: number) else {
            throw DecodeError(name, .invalid(value: UInt64(truncatingIfNeeded: number)))
        }
        self = value
    }

    func write(to writer: inout ByteWriter) { rawValue.write(to: &writer) }
}

extension BluetoothVersion: RemoteField {}
extension HCIStatus: RemoteField {}
extension Handle: RemoteField {}
extension LECreditBasedConnectionResult: RemoteField {}
extension LEFeatures: RemoteField {}
extension ManagementStatus: RemoteField {}
extension SPSM: RemoteField {}
extension SecurityLevel: RemoteField {}

/// A value whose number is its place in a list.
protocol NumberedField: RemoteField, Equatable {
    /// All values. New ones are added at the end.
    static var numbered: [Self] { get }
}

extension NumberedField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let number = try reader.uint8(name)
        guard number < Self.numbered.count else { throw DecodeError(name, .invalid(value: UInt64(number))) }
        self = Self.numbered[Int(number)]
    }

    func write(to writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: Self.numbered.firstIndex(of: self) ?? 0))
    }
}

// MARK: - Other values

extension Optional: RemoteField where Wrapped: RemoteField {
    /// An octet before the value tells whether it is there.
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let isThere: Bool = try reader.field(name)
        self = isThere ? .some(try reader.field(name)) : nil
    }

    func write(to writer: inout ByteWriter) {
        writer.fields(self != nil)
        self?.write(to: &writer)
    }
}

extension Bool: RemoteField {
    /// Octets other than 0 and 1 are an error, because they show that the processes differ.
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let octet = try reader.uint8(name)
        guard octet <= 1 else { throw DecodeError(name, .invalid(value: UInt64(octet))) }
        self = octet == 1
    }

    func write(to writer: inout ByteWriter) { writer.uint8(self ? 1 : 0) }
}

/// Nanoseconds, in eight octets; none below 0.
extension Duration: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self = .nanoseconds(Int64(clamping: try reader.uint64(name)))
    }

    func write(to writer: inout ByteWriter) { writer.uint64(UInt64(clamping: clampedNanoseconds)) }
}

/// A text with its length in front, cut to the longest that is read. Octets that are not UTF-8 are replaced.
extension String: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let count = Int(try reader.uint16(name))
        guard count <= ByteReader.maximumText else { throw DecodeError(name, .invalid(value: UInt64(count))) }
        self = String(decoding: try reader.bytes(count, name), as: UTF8.self)
    }

    func write(to writer: inout ByteWriter) {
        let octets = utf8.prefix(ByteReader.maximumText)
        writer.uint16(UInt16(clamping: octets.count))
        writer.append(octets)
    }
}

/// A list of short texts, cut to the most that is read.
extension Array: RemoteField where Element == String {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let count = Int(try reader.uint8(name))
        guard count <= ByteReader.maximumTexts else { throw DecodeError(name, .invalid(value: UInt64(count))) }
        self = []
        for _ in 0..<count { append(try reader.field("Text")) }
    }

    func write(to writer: inout ByteWriter) {
        let some = prefix(ByteReader.maximumTexts)
        writer.uint8(UInt8(clamping: some.count))
        for text in some { writer.fields(String(text.prefix(64))) }
    }
}

extension BluetoothAddress: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self.init(rawValue: try reader.uint48(name))
    }

    func write(to writer: inout ByteWriter) { writer.uint48(rawValue) }
}

/// An address with its type. Resolvable and static addresses are both random on the wire.
extension DeviceAddress: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let isRandom: Bool = try reader.field("Address_Type")
        self.init(try reader.field("Address"), isRandom ? .random : .public)
    }

    func write(to writer: inout ByteWriter) { writer.fields(type.connectionType == .random, address) }
}

/// A UUID of 128 bits, in the form that ATT uses for it: of 16 bits if it is an assigned one.
extension BluetoothUUID: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self = BluetoothUUID(bits128: try reader.uint128(name)).attForm
    }

    func write(to writer: inout ByteWriter) { writer.uint128(value) }
}

/// The security of a link: flags, and the size of the key in octets.
extension LinkSecurity: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let flags = try reader.uint8(name)
        self.init(
            isEncrypted: flags & 1 != 0,
            isAuthenticated: flags & 2 != 0,
            isSecureConnections: flags & 16 != 0,
            isAuthorized: flags & 4 != 0,
            keySize: try reader.uint8("Key_Size"),
            hasBond: flags & 8 != 0
        )
    }

    /// Bits 0 to 4: encrypted, authenticated, authorized, bonded, Secure Connections.
    func write(to writer: inout ByteWriter) {
        writer.uint8(
            (isEncrypted ? 1 : 0) | (isAuthenticated ? 2 : 0) | (isAuthorized ? 4 : 0) | (hasBond ? 8 : 0)
                | (isSecureConnections ? 16 : 0)
        )
        writer.uint8(keySize)
    }
}

/// A program that holds something: the number of its process, and its command.
extension ProcessReference: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self.init(process: try reader.field("Process"), command: try reader.field("Command"))
    }

    func write(to writer: inout ByteWriter) { writer.fields(process, command) }
}

/// A fault as its sentence, by which both processes check it.
extension FaultText: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let text: String = try reader.field(name)
        do throws(FaultTextError) { try self.init(parsing: text) } catch {
            throw DecodeError(name, .invalid(value: UInt64(clamping: error.column)))
        }
    }

    func write(to writer: inout ByteWriter) { writer.fields(description) }
}

extension AdapterDescription: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self.init(
            name: try reader.field("Name"),
            index: try reader.field("Index"),
            address: try reader.field("Address"),
            state: try reader.field("State"),
            bus: try reader.field("Bus")
        )
        manufacturer = try reader.field("Manufacturer")
        hciVersion = try reader.field("HCI_Version")
        lmpFeatures = try reader.field("LMP_Features")
        leFeatures = try reader.field("LE_Features")
        isLowEnergyOn = try reader.field("Low_Energy")
        manager = try reader.field("Manager")
        staticAddress = try reader.field("Static_Address")
    }

    func write(to writer: inout ByteWriter) {
        writer.fields(name, index, address, state, bus)
        writer.fields(manufacturer, hciVersion, lmpFeatures, leFeatures, isLowEnergyOn, manager, staticAddress)
    }
}

extension AdapterDescription.State: NumberedField {
    static let numbered: [Self] = [
        .up, .down, .starting(isSetUp: false), .starting(isSetUp: true), .blocked(byHardware: false),
        .blocked(byHardware: true), .inUse,
    ]
}
