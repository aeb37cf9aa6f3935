// SPDX-License-Identifier: MIT

/// The features of a link layer, with one bit for each. Unknown bits are kept, because later specifications assign
/// more.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.6
public struct LEFeatures: OptionSet, Hashable, Sendable {
    /// The bits on the wire, the first octet lowest.
    public let rawValue: UInt64

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Encryption.
    public static let encryption = Self(rawValue: 1 << 0)
    /// Connection Parameters Request procedure.
    public static let connectionParametersRequest = Self(rawValue: 1 << 1)
    /// Peripheral-initiated Features Exchange.
    public static let peripheralInitiatedFeaturesExchange = Self(rawValue: 1 << 3)
    /// LE Data Packet Length Extension.
    public static let dataPacketLengthExtension = Self(rawValue: 1 << 5)
    /// LL Privacy.
    public static let llPrivacy = Self(rawValue: 1 << 6)
    /// LE 2M PHY.
    public static let le2MPHY = Self(rawValue: 1 << 8)
    /// LE Coded PHY.
    public static let codedPHY = Self(rawValue: 1 << 11)
    /// LE Extended Advertising.
    public static let extendedAdvertising = Self(rawValue: 1 << 12)
    /// LE Periodic Advertising.
    public static let periodicAdvertising = Self(rawValue: 1 << 13)
    /// Channel Selection Algorithm #2.
    public static let channelSelectionAlgorithm2 = Self(rawValue: 1 << 14)

    /// Connection Subrating.
    public static let connectionSubrating = Self(rawValue: 1 << 37)
    /// Connection Subrating (Host Support).
    public static let connectionSubratingHost = Self(rawValue: 1 << 38)

    /// The specification's names of the bits that are set, lowest first; `bit 62` for one without a name.
    public var names: [String] {
        (0..<64).filter { rawValue >> UInt64($0) & 1 == 1 }.map { bit in
            bit < Self.allNames.count && !Self.allNames[bit].isEmpty ? Self.allNames[bit] : "bit \(bit)"
        }
    }

    /// The name of each bit at its own index.
    private static let allNames: [String] = [
        "LE Encryption",
        "Connection Parameters Request Procedure",
        "Extended Reject Indication",
        "Peripheral-initiated Features Exchange",
        "LE Ping",
        "LE Data Packet Length Extension",
        "LL Privacy",
        "Extended Scanning Filter Policies",
        "LE 2M PHY",
        "Stable Modulation Index - Transmitter",
        "Stable Modulation Index - Receiver",
        "LE Coded PHY",
        "LE Extended Advertising",
        "LE Periodic Advertising",
        "Channel Selection Algorithm #2",
        "LE Power Class 1",
        "Minimum Number of Used Channels Procedure",
        "Connection CTE Request",
        "Connection CTE Response",
        "Connectionless CTE Transmitter",
        "Connectionless CTE Receiver",
        "Antenna Switching During CTE Transmission (AoD)",
        "Antenna Switching During CTE Reception (AoA)",
        "Receiving Constant Tone Extensions",
        "Periodic Advertising Sync Transfer - Sender",
        "Periodic Advertising Sync Transfer - Recipient",
        "Sleep Clock Accuracy Updates",
        "Remote Public Key Validation",
        "Connected Isochronous Stream - Central",
        "Connected Isochronous Stream - Peripheral",
        "Isochronous Broadcaster",
        "Synchronized Receiver",
        "Connected Isochronous Stream (Host Support)",
        // The specification gives the same name to two bits.
        "LE Power Control Request",
        "LE Power Control Request",
        "LE Path Loss Monitoring",
        "Periodic Advertising ADI support",
        "Connection Subrating",
        "Connection Subrating (Host Support)",
        "Channel Classification",
        "Advertising Coding Selection",
        "Advertising Coding Selection (Host Support)",
        "Decision-Based Advertising Filtering",
        "Periodic Advertising with Responses - Advertiser",
        "Periodic Advertising with Responses - Scanner",
    ]
}

extension LEFeatures: CustomStringConvertible, WireDecodable, WireEncodable {
    /// `0x00000000000059FF`
    public var description: String { "0x" + Hex.string(rawValue, minimumDigits: 16) }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint64("LE_Features")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint64(rawValue) }
}
