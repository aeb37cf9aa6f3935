// SPDX-License-Identifier: MIT

/// An attribute's handle and its value, as several PDUs carry them.
public struct HandleValue: Hashable, Sendable, CustomStringConvertible {
    /// The attribute's handle.
    public let handle: Handle
    /// The value, or its first part.
    public let value: [UInt8]

    /// Creates a pair; the value is not checked.
    public init(_ handle: Handle, _ value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    /// `0x0018 0648`
    public var description: String { "\(handle) \(ATTText.value(value))" }
}

extension HandleRange {
    /// Decodes the two handles at the start of a request. An invalid range is not a decoding error, because the server
    /// must answer it with Invalid Handle.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.3.1
    init(requestFields reader: inout ByteReader) throws(DecodeError) {
        let start = try reader.uint16("starting handle")
        let end = try reader.uint16("ending handle")
        self.init(Handle(start), Handle(end))
    }

    func encode(into writer: inout ByteWriter) {
        writer.append(start)
        writer.append(end)
    }
}

extension BluetoothUUID {
    /// The number of octets that ATT uses for this UUID: 2 for 16 bits, 16 otherwise.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.1
    var attOctets: Int { width == .bits16 ? 2 : 16 }

    /// Appends the UUID in a form that ATT supports: 32 bits are sent as 128.
    func encodeForATT(into writer: inout ByteWriter) {
        writer.append(width == .bits32 ? BluetoothUUID(bits128: value) : self)
    }
}

extension Array {
    /// Whether the list is not empty and all elements have the same length, because a PDU has one length field for all.
    func isUniform(_ length: (Element) -> Int) -> Bool {
        guard let first else { return false }
        let common = length(first)
        return allSatisfy { length($0) == common }
    }
}
