// SPDX-License-Identifier: GPL-2.0-or-later

/// An attribute's handle and its value, as several PDUs carry them.
public struct HandleValue: Hashable, Sendable, CustomStringConvertible {
    /// Which attribute.
    public let handle: Handle
    /// Its value, or the first part of it.
    public let value: [UInt8]

    /// Puts a handle and a value together.
    public init(_ handle: Handle, _ value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    /// `0x0018 0648`
    public var description: String { "\(handle) \(ATTText.value(value))" }
}

extension HandleRange {
    /// Reads the two handles that a request begins with. Whether they make sense is the server's to judge.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.3.1
    init(requestFields reader: inout ByteReader) throws(DecodeError) {
        let start = try reader.uint16("starting handle")
        let end = try reader.uint16("ending handle")
        self.init(Handle(start), Handle(end))
    }

    /// Writes the two handles.
    func encode(into writer: inout ByteWriter) {
        writer.append(start)
        writer.append(end)
    }
}

extension BluetoothUUID {
    /// The octets that ATT uses for this UUID: 2, or 16 for the wider two forms.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.1
    var attOctets: Int { width == .bits16 ? 2 : 16 }

    /// Writes the UUID as ATT can carry it: 32 bits go out as 128.
    func encodeForATT(into writer: inout ByteWriter) {
        writer.append(width == .bits32 ? BluetoothUUID(bits128: value) : self)
    }
}

extension Array {
    /// Whether the list has elements and all of them have the same length: what a PDU with one length field can carry.
    func isUniform(_ length: (Element) -> Int) -> Bool {
        guard let first else { return false }
        let common = length(first)
        return allSatisfy { length($0) == common }
    }
}
