// SPDX-License-Identifier: MIT

/// A fragment of an advertising set's data for the commands below.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.54
package struct LEAdvertisingDataFragment: Hashable, Sendable {
    /// The position of the fragment in the data.
    package enum Operation: UInt8, Hashable, Sendable {
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
    package static let maximumLength = 251

    package let set: LEAdvertisingHandle
    /// The position of the fragment (Operation).
    package let operation: Operation
    /// Whether the controller may fragment the data on the air (Fragment_Preference).
    package let mayFragment: Bool
    /// The octets, 251 at most (Advertising_Data).
    package let data: [UInt8]

    /// Creates a fragment; `nil` for more than 251 octets.
    package init?(_ set: LEAdvertisingHandle, _ operation: Operation, mayFragment: Bool = true, _ data: [UInt8]) {
        guard data.count <= Self.maximumLength else { return nil }
        self.set = set
        self.operation = operation
        self.mayFragment = mayFragment
        self.data = data
    }

    /// Splits data into as few fragments as possible.
    package static func fragments(of data: [UInt8], set: LEAdvertisingHandle, mayFragment: Bool = true) -> [Self] {
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
    package init(from reader: inout ByteReader) throws(DecodeError) {
        set = try LEAdvertisingHandle(from: &reader)
        operation = try reader.value("Operation")
        mayFragment = try !reader.flag("Fragment_Preference")
        let length = try reader.uint8("Advertising_Data_Length")
        guard length <= Self.maximumLength else {
            throw DecodeError("Advertising_Data_Length", .invalid(value: UInt64(length)))
        }
        data = try reader.bytes(Int(length), "Advertising_Data")
    }

    package func encode(into writer: inout ByteWriter) {
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
package struct LESetExtendedAdvertisingData: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0037)
    package static let name = "LE Set Extended Advertising Data"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 3)

    package var fragment: LEAdvertisingDataFragment

    package init(_ fragment: LEAdvertisingDataFragment) { self.fragment = fragment }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        fragment = try fields(\.fragment)
    }

    package var details: String { fragment.details }
}

/// Sets the scan response of an advertising set.
///
/// While the set is enabled, only the operation `complete` is allowed, so that no response has half of the new data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.55
package struct LESetExtendedScanResponseData: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0038)
    package static let name = "LE Set Extended Scan Response Data"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 4)

    package var fragment: LEAdvertisingDataFragment

    package init(_ fragment: LEAdvertisingDataFragment) { self.fragment = fragment }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        fragment = try fields(\.fragment)
    }

    package var details: String { fragment.details }
}
