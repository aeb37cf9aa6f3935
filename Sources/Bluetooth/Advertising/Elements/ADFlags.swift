// SPDX-License-Identifier: MIT

/// The discoverability of a device, and its support of BR/EDR, with one bit for each. Unknown bits are kept.
///
/// Spec: Core Specification Supplement 11, Part A, 1.3
public struct ADFlags: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE Limited Discoverable Mode.
    public static let limitedDiscoverable = Self(rawValue: 1 << 0)
    /// LE General Discoverable Mode.
    public static let generalDiscoverable = Self(rawValue: 1 << 1)
    /// BR/EDR Not Supported.
    public static let brEDRNotSupported = Self(rawValue: 1 << 2)
    /// Simultaneous LE and BR/EDR to Same Device Capable (Controller).
    public static let simultaneousController = Self(rawValue: 1 << 3)
    /// Formerly: Simultaneous LE and BR/EDR to Same Device Capable (Host).
    public static let simultaneousHost = Self(rawValue: 1 << 4)

    /// The names of the bits that are set, lowest bit first: `le-general-discoverable`; `bit-7` for a bit without a
    /// name.
    public var names: [String] {
        let known = [
            "le-limited-discoverable", "le-general-discoverable", "br-edr-not-supported", "le-br-edr-controller",
            "le-br-edr-host",
        ]
        return (0..<8).filter { rawValue >> UInt8($0) & 1 == 1 }.map { $0 < known.count ? known[$0] : "bit-\($0)" }
    }
}

extension ADFlags: WireEncodable, CustomStringConvertible {
    /// Decodes the first octet. No octets mean no flags; further octets are ignored, because later versions may add
    /// some.
    init(from reader: inout ByteReader) {
        rawValue = reader.rest().first ?? 0
    }

    public func encode(into writer: inout ByteWriter) { writer.uint8(rawValue) }

    /// `le-general-discoverable, br-edr-not-supported`
    public var description: String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
