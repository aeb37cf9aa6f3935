// SPDX-License-Identifier: GPL-2.0-or-later

/// How large the packets of a connection may be, and how long they may take.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.33
public struct LEDataLength: Hashable, Sendable, CustomStringConvertible {
    /// The most octets of payload: 27…251.
    public var octets: UInt16
    /// The most microseconds on the air: 328…17,040.
    public var microseconds: UInt16

    /// Puts the two together.
    public init(octets: UInt16, microseconds: UInt16) {
        self.octets = octets
        self.microseconds = microseconds
    }

    /// `251 octets, 2120 us`
    public var description: String { "\(count: octets, "octet"), \(microseconds) us" }
}

extension LEDataLength: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        octets = try reader.uint16("octets")
        microseconds = try reader.uint16("time")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(octets)
        writer.uint16(microseconds)
    }
}

/// Asks for larger packets on a connection. LE Data Length Change tells when they have changed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.33
public struct LESetDataLength: HCICommand {
    public typealias ReturnParameters = LEConnectionReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0022)
    public static let name = "LE Set Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(33, 6)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// What we want to send (TX_Octets, TX_Time).
    public var transmit: LEDataLength

    /// Makes the command.
    public init(_ connection: ConnectionHandle, transmit: LEDataLength) {
        self.connection = connection
        self.transmit = transmit
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        transmit = try LEDataLength(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(transmit)
    }

    public var details: String { "connection \(connection), \(transmit)" }
}

/// Asks what is suggested for new connections.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.34
public struct LEReadSuggestedDefaultDataLength: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x0023)
    public static let name = "LE Read Suggested Default Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(33, 7)

    /// Makes the command.
    public init() {}

    /// The suggestion.
    public struct ReturnParameters: HCIReturnParameters {
        /// What new connections send (Suggested_Max_TX_Octets, Suggested_Max_TX_Time).
        public var transmit: LEDataLength

        /// Takes the suggestion.
        public init(transmit: LEDataLength) { self.transmit = transmit }

        public init(from reader: inout ByteReader) throws(DecodeError) { transmit = try LEDataLength(from: &reader) }

        public func encode(into writer: inout ByteWriter) { writer.append(transmit) }

        public var details: String { "\(transmit)" }
    }
}

/// Suggests what new connections send.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.35
public struct LEWriteSuggestedDefaultDataLength: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0024)
    public static let name = "LE Write Suggested Default Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(34, 0)

    /// What new connections send (Suggested_Max_TX_Octets, Suggested_Max_TX_Time).
    public var transmit: LEDataLength

    /// Makes the command.
    public init(transmit: LEDataLength) { self.transmit = transmit }

    public init(from reader: inout ByteReader) throws(DecodeError) { transmit = try LEDataLength(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(transmit) }

    public var details: String { "\(transmit)" }
}

/// Asks how large packets the controller can handle.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.46
public struct LEReadMaximumDataLength: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x002F)
    public static let name = "LE Read Maximum Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(35, 3)

    /// Makes the command.
    public init() {}

    /// The limits.
    public struct ReturnParameters: HCIReturnParameters {
        /// The most it sends (Supported_Max_TX_Octets, Supported_Max_TX_Time).
        public var transmit: LEDataLength
        /// The most it receives (Supported_Max_RX_Octets, Supported_Max_RX_Time).
        public var receive: LEDataLength

        /// Puts the two together.
        public init(transmit: LEDataLength, receive: LEDataLength) {
            self.transmit = transmit
            self.receive = receive
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            transmit = try LEDataLength(from: &reader)
            receive = try LEDataLength(from: &reader)
        }

        public func encode(into writer: inout ByteWriter) {
            writer.append(transmit)
            writer.append(receive)
        }

        public var details: String { "transmit \(transmit), receive \(receive)" }
    }
}
