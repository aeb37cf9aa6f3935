// SPDX-License-Identifier: MIT

/// A fragment of an advertising set's data for the commands below.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.54
public struct LEAdvertisingDataFragment: Hashable, Sendable {
    /// The position of the fragment in the data.
    public enum Operation: UInt8, Hashable, Sendable {
        /// A fragment between the first and the last one.
        case intermediate = 0x00
        /// The first of several fragments.
        case first = 0x01
        /// The last of several fragments.
        case last = 0x02
        /// The only fragment.
        case complete = 0x03
        /// The data do not change; only their identifier (DID) is renewed.
        case unchanged = 0x04
    }

    /// The maximum number of octets in one command, whose parameters have at most 255 octets: four of them precede the
    /// data.
    public static let maximumLength = 251

    /// The set (Advertising_Handle).
    public let set: LEAdvertisingHandle
    /// The position of the fragment (Operation).
    public let operation: Operation
    /// Whether the controller may fragment the data on the air (Fragment_Preference).
    public let mayFragment: Bool
    /// The octets, 251 at most (Advertising_Data).
    public let data: [UInt8]

    /// Creates a fragment; `nil` for more than 251 octets.
    public init?(_ set: LEAdvertisingHandle, _ operation: Operation, mayFragment: Bool = true, _ data: [UInt8]) {
        guard data.count <= Self.maximumLength else { return nil }
        self.set = set
        self.operation = operation
        self.mayFragment = mayFragment
        self.data = data
    }

    /// Splits data into as few fragments as possible.
    public static func fragments(of data: [UInt8], set: LEAdvertisingHandle, mayFragment: Bool = true) -> [Self] {
        // Empty data are one fragment, because only a command removes the data that the set had.
        let starts = Array(stride(from: 0, to: max(1, data.count), by: maximumLength))
        return starts.enumerated().compactMap { index, start in
            let isFirst = index == 0
            let isLast = index == starts.count - 1
            let operation: Operation = isFirst ? (isLast ? .complete : .first) : (isLast ? .last : .intermediate)
            let piece = Array(data.dropFirst(start).prefix(maximumLength))
            return Self(set, operation, mayFragment: mayFragment, piece)
        }
    }
}

extension LEAdvertisingDataFragment: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        set = try LEAdvertisingHandle(from: &reader)
        operation = try reader.value("Operation")
        mayFragment = try !reader.flag("Fragment_Preference")
        let length = try reader.uint8("Advertising_Data_Length")
        guard length <= Self.maximumLength else {
            throw DecodeError("Advertising_Data_Length", .invalid(value: UInt64(length)))
        }
        data = try reader.bytes(Int(length), "Advertising_Data")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(set)
        writer.uint8(operation.rawValue)
        writer.flag(!mayFragment)
        writer.uint8(UInt8(clamping: data.count))
        writer.append(data)
    }

    var details: String { "set \(set), \(operation), \(data.isEmpty ? "none" : Hex.string(data))" }
}

/// Sets the data of an advertising set.
///
/// While the set is enabled, only the operations `complete` and `unchanged` are allowed, so that no advertisement has
/// half of the new data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.54
public struct LESetExtendedAdvertisingData: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0037)
    public static let name = "LE Set Extended Advertising Data"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 3)

    /// The fragment of the data.
    public var fragment: LEAdvertisingDataFragment

    /// Creates the command.
    public init(_ fragment: LEAdvertisingDataFragment) { self.fragment = fragment }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        fragment = try LEAdvertisingDataFragment(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(fragment) }

    public var details: String { fragment.details }
}

/// Sets the scan response of an advertising set.
///
/// While the set is enabled, only the operation `complete` is allowed, so that no response has half of the new data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.55
public struct LESetExtendedScanResponseData: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0038)
    public static let name = "LE Set Extended Scan Response Data"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 4)

    /// The fragment of the data.
    public var fragment: LEAdvertisingDataFragment

    /// Creates the command.
    public init(_ fragment: LEAdvertisingDataFragment) { self.fragment = fragment }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        fragment = try LEAdvertisingDataFragment(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(fragment) }

    public var details: String { fragment.details }
}
