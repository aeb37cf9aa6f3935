// SPDX-License-Identifier: MIT

/// The common parts of the Eddystone formats. Numbers are sent most significant octet first.
///
/// Spec: Eddystone Protocol Specification
public enum Eddystone {
    /// The service whose data contain the frames.
    public static let service: BluetoothUUID = 0xFEAA

    /// The type of a frame: its first octet.
    enum Frame: UInt8 {
        case uid = 0x00
        case url = 0x10
        case tlm = 0x20
        case eid = 0x30
    }

    /// Decodes service data; `nil` if they do not contain the type of frame, or not a whole one. Octets after it are
    /// ignored. Plain and encrypted telemetry have the same type and differ in their version, so only one of the two
    /// decodes.
    static func frame<Content: WireDecodable>(
        _ type: Frame,
        of data: ADServiceData,
        as content: Content.Type
    ) -> Content? {
        guard data.uuid == service, data.data.first == type.rawValue else { return nil }
        var reader = ByteReader(data.data.dropFirst())
        return try? Content(from: &reader)
    }

    static func elements(_ frame: Frame, _ content: some WireEncodable) -> [ADElement] {
        [
            .services(ADServiceList(.complete, .bits16, [service])),
            .serviceData(ADServiceData(service, [frame.rawValue] + content.encoded())),
        ]
    }
}

/// Eddystone UID: an identifier.
///
/// Spec: Eddystone Protocol Specification, Eddystone-UID
public struct EddystoneUID: Hashable, Sendable {
    /// The signal strength at a distance of 0 m, in dBm.
    public let rangingData: Int8
    /// The namespace, which identifies the owner: 10 octets.
    public let namespace: [UInt8]
    /// The beacon's number in the namespace: 6 octets.
    public let instance: [UInt8]

    /// Creates a frame; `nil` unless namespace and instance have 10 and 6 octets.
    public init?(rangingData: Int8, namespace: [UInt8], instance: [UInt8]) {
        guard namespace.count == 10, instance.count == 6 else { return nil }
        self.rangingData = rangingData
        self.namespace = namespace
        self.instance = instance
    }
}

extension EddystoneUID: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rangingData = try reader.int8("ranging data")
        namespace = try reader.bytes(10, "namespace ID")
        instance = try reader.bytes(6, "instance ID")
    }

    /// Writes the identifier and two reserved octets. Decoding does not require the reserved ones.
    public func encode(into writer: inout ByteWriter) {
        writer.int8(rangingData)
        writer.append(namespace)
        writer.append(instance)
        writer.uint16(0)
    }
}

/// Eddystone URL: a web address.
///
/// Spec: Eddystone Protocol Specification, Eddystone-URL
public struct EddystoneURL: Hashable, Sendable {
    /// The maximum number of octets after the scheme.
    public static let maximumLength = 17

    /// The signal strength at a distance of 0 m, in dBm.
    public let txPower: Int8
    /// The address. Octets that the format reserves are written like `%7F`.
    public let url: String

    /// Creates a frame; `nil` unless the address has a scheme that the format can express, and is ASCII.
    public init?(txPower: Int8, url: String) {
        guard Self.schemes.contains(where: url.hasPrefix), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.txPower = txPower
        self.url = url
    }

    /// The schemes, by the value of their octet.
    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]

    /// The abbreviations, by the value of their octet.
    private static let expansions = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
        ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
    ]
}

extension EddystoneURL: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        txPower = try reader.int8("TX power")
        let scheme = try reader.uint8("URL scheme prefix")
        guard scheme < Self.schemes.count else {
            throw DecodeError("URL scheme prefix", .invalid(value: UInt64(scheme)))
        }
        var text = Self.schemes[Int(scheme)]
        for octet in reader.rest() {
            switch octet {
            case 0..<UInt8(Self.expansions.count): text += Self.expansions[Int(octet)]
            case 0x21...0x7E: text.unicodeScalars.append(Unicode.Scalar(octet))
            default: text += "%" + Hex.string(octet, minimumDigits: 2)
            }
        }
        url = text
    }

    public func encode(into writer: inout ByteWriter) {
        writer.int8(txPower)
        var rest = Substring(url)
        // The first match is the longest, because the schemes with "www." come first.
        if let scheme = Self.schemes.firstIndex(where: { url.hasPrefix($0) }) {
            writer.uint8(UInt8(truncatingIfNeeded: scheme))
            rest = rest.dropFirst(Self.schemes[scheme].count)
        }
        while let character = rest.utf8.first {
            // The first match is the longest here, too: abbreviations with a slash come first.
            if let index = Self.expansions.firstIndex(where: { rest.hasPrefix($0) }) {
                writer.uint8(UInt8(truncatingIfNeeded: index))
                rest = rest.dropFirst(Self.expansions[index].count)
            } else {
                writer.uint8(character)
                rest = rest.dropFirst()
            }
        }
    }
}

/// Eddystone EID: a changing identifier that only holders of the key can resolve.
///
/// Spec: Eddystone Protocol Specification, Eddystone-EID
public struct EddystoneEID: Hashable, Sendable {
    /// The signal strength at a distance of 0 m, in dBm.
    public let rangingData: Int8
    /// The current identifier: 8 octets.
    public let identifier: [UInt8]

    /// Creates a frame; `nil` unless the identifier has 8 octets.
    public init?(rangingData: Int8, identifier: [UInt8]) {
        guard identifier.count == 8 else { return nil }
        self.rangingData = rangingData
        self.identifier = identifier
    }
}

extension EddystoneEID: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rangingData = try reader.int8("ranging data")
        identifier = try reader.bytes(8, "ephemeral identifier")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.int8(rangingData)
        writer.append(identifier)
    }
}
