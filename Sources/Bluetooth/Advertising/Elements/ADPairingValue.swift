// SPDX-License-Identifier: MIT

/// A value of 16 octets for pairing out of band.
///
/// Spec: Core Specification Supplement 11, Part A, 1.6 and 1.8
public struct ADPairingValue: Hashable, Sendable {
    /// The kind of value.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// Simple Pairing Hash C-192.
        case simplePairingHashC192
        /// Simple Pairing Randomizer R-192.
        case simplePairingRandomizerR192
        /// Security Manager TK Value.
        case securityManagerTK
        /// Simple Pairing Hash C-256.
        case simplePairingHashC256
        /// Simple Pairing Randomizer R-256.
        case simplePairingRandomizerR256
        /// LE Secure Connections Confirmation Value.
        case leSecureConnectionsConfirmation
        /// LE Secure Connections Random Value.
        case leSecureConnectionsRandom

        /// The structure type for the kind.
        public var type: ADType {
            switch self {
            case .simplePairingHashC192: .simplePairingHashC192
            case .simplePairingRandomizerR192: .simplePairingRandomizerR192
            case .securityManagerTK: .securityManagerTKValue
            case .simplePairingHashC256: .simplePairingHashC256
            case .simplePairingRandomizerR256: .simplePairingRandomizerR256
            case .leSecureConnectionsConfirmation: .leSecureConnectionsConfirmationValue
            case .leSecureConnectionsRandom: .leSecureConnectionsRandomValue
            }
        }
    }

    /// The kind of value.
    public let kind: Kind
    /// The value, sent least significant octet first.
    public var value: UInt128 { words.value }
    private let words: UInt128Words

    /// Creates the element.
    public init(_ kind: Kind, _ value: UInt128) {
        self.kind = kind
        words = UInt128Words(value)
    }
}

extension ADPairingValue {
    init(_ type: ADType, from reader: inout ByteReader) throws(DecodeError) {
        guard let kind = Kind.allCases.first(where: { $0.type == type }) else {
            throw DecodeError("AD type", .invalid(value: UInt64(type.rawValue)))
        }
        self.init(kind, try reader.uint128("\(type)"))
        try reader.expectEnd("\(type)")
    }

    /// The value in the order of sending.
    var octets: [UInt8] {
        var writer = ByteWriter()
        writer.uint128(value)
        return writer.bytes
    }
}

/// The manufacturer, the product and its version.
///
/// Spec: Core Specification Supplement 11, Part A, 1.6; Device ID Profile 1.3, 5
public struct ADDeviceID: Hashable, Sendable {
    /// The organisation that assigns the vendor's number: 1 the Bluetooth SIG, 2 the USB Implementers Forum.
    public let vendorSource: UInt16
    /// The vendor's number, as that organisation assigns it.
    public let vendor: UInt16
    /// The vendor's number for the product.
    public let product: UInt16
    /// The version, in binary-coded decimal: 0xJJMN for JJ.M.N.
    public let version: UInt16

    /// Creates the element.
    public init(vendorSource: UInt16, vendor: UInt16, product: UInt16, version: UInt16) {
        self.vendorSource = vendorSource
        self.vendor = vendor
        self.product = product
        self.version = version
    }
}

extension ADDeviceID: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        vendorSource = try reader.uint16("vendor ID source")
        vendor = try reader.uint16("vendor ID")
        product = try reader.uint16("product ID")
        version = try reader.uint16("version")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(vendorSource)
        writer.uint16(vendor)
        writer.uint16(product)
        writer.uint16(version)
    }
}
