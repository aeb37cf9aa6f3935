// SPDX-License-Identifier: MIT

import Bluetooth

// The commands that only the owner of a controller sends, besides those that traces know.

/// Asks for the buffers that LE shares with BR/EDR if it has none of its own.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.5
struct HCIReadBufferSize: HCIParameterlessCommand {
    static let form = HCIForm(.informational, 0x0005, "Read Buffer Size", bit: (14, 7))

    /// The buffers for ACL data; those for voice are left out.
    struct ReturnParameters: HCIReturnParameters {
        /// The maximum size of a data packet in octets (ACL_Data_Packet_Length).
        var packetLength: UInt16
        /// The number of buffers (Total_Num_ACL_Data_Packets).
        var packetCount: UInt16

        init(from reader: inout ByteReader) throws(DecodeError) {
            packetLength = try reader.uint16("ACL_Data_Packet_Length")
            _ = try reader.uint8("Synchronous_Data_Packet_Length")
            packetCount = try reader.uint16("Total_Num_ACL_Data_Packets")
        }

        func encode(into writer: inout ByteWriter) {
            writer.uint16(packetLength)
            writer.uint8(0)
            writer.uint16(packetCount)
        }

        var details: String { "\(packetCount) packets of \(packetLength) octets" }
    }
}

/// Tells a dual-mode controller that its host supports LE.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.79
struct WriteLEHostSupport: HCICommand {
    static let form = HCIForm(.baseband, 0x006D, "Write LE Host Support", bit: (24, 6))

    init() {}
    init(from reader: inout ByteReader) throws(DecodeError) { _ = reader.rest() }

    func encode(into writer: inout ByteWriter) {
        writer.uint8(0x01)
        // Unused, and 0 (Reserved).
        writer.uint8(0x00)
    }

    var details: String { "on" }
}

/// Says that this host has no key for the link that its peer wants to encrypt.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.26
struct LELongTermKeyRequestNegativeReply: HCICommand, ConnectionCoded {
    static let form = HCIForm(.leController, 0x001B, "LE Long Term Key Request Negative Reply", bit: (28, 2))

    let connection: ConnectionHandle

    init(_ connection: ConnectionHandle) { self.connection = connection }
}

/// Encrypts a link of this host as central, or renews its key. Encryption Change or Encryption Key Refresh Complete
/// reports the end.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.24
struct LEEnableEncryption: HCICommand, FieldCoded {
    static let form = HCIForm(.leController, 0x0019, "LE Enable Encryption", .commandStatus, bit: (28, 0))

    let connection: ConnectionHandle
    /// Rand and EDIV, by which the peer finds the key; both 0 for a key of Secure Connections, and for a short-term key.
    let randomNumber: UInt64
    let diversifier: UInt16
    let key: SecurityKey

    init(_ connection: ConnectionHandle, randomNumber: UInt64 = 0, diversifier: UInt16 = 0, key: SecurityKey) {
        self.connection = connection
        self.randomNumber = randomNumber
        self.diversifier = diversifier
        self.key = key
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        randomNumber = try fields(\.randomNumber, "Random_Number")
        diversifier = try fields(\.diversifier, "Encrypted_Diversifier")
        key = try fields(\.key)
    }

    var details: String { "connection \(connection)" }
}

/// Gives the controller the key of the link that its peer wants to encrypt.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.25
struct LELongTermKeyRequestReply: HCICommand, FieldCoded {
    static let form = HCIForm(.leController, 0x001A, "LE Long Term Key Request Reply", bit: (28, 1))

    let connection: ConnectionHandle
    let key: SecurityKey

    init(_ connection: ConnectionHandle, key: SecurityKey) {
        self.connection = connection
        self.key = key
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        key = try fields(\.key)
    }

    var details: String { "connection \(connection)" }
}

/// Tells the controller what its host can do.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.115
struct LESetHostFeature: HCICommand {
    static let form = HCIForm(.leController, 0x0074, "LE Set Host Feature", bit: (44, 1))

    /// The number of the feature's bit (Bit_Number).
    let bit: UInt8

    init(_ feature: LEFeatures) { bit = UInt8(feature.rawValue.trailingZeroBitCount) }

    init(from reader: inout ByteReader) throws(DecodeError) {
        bit = try reader.uint8("Bit_Number")
        _ = try reader.uint8("Bit_Value")
    }

    func encode(into writer: inout ByteWriter) {
        writer.uint8(bit)
        writer.uint8(0x01)
    }

    var details: String { "bit \(bit)" }
}

/// Says which subrate factors peripherals may ask for.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.123
struct LESetDefaultSubrate: HCICommand, FieldCoded {
    static let form = HCIForm(.leController, 0x007D, "LE Set Default Subrate", bit: (46, 0))

    let parameters: LESubrateParameters

    init(_ parameters: LESubrateParameters) { self.parameters = parameters }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) { parameters = try fields(\.parameters) }

    var details: String { "\(parameters)" }
}

extension LESubrateParameters {
    /// All that a peripheral may ask for; the factor times one more than the latency is at most 500.
    static let any = LESubrateParameters(
        factors: 1...500,
        maximumLatency: 0,
        supervisionTimeout: LinkRequest.supervisionTimeouts.upperBound
    )
}
