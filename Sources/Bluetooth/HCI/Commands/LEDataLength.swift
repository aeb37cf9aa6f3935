// SPDX-License-Identifier: MIT

/// The maximum size and duration of a connection's packets.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.33
public struct LEDataLength: Hashable, Sendable, CustomStringConvertible {
    /// The maximum payload in octets: 27…251.
    public var octets: UInt16
    /// The maximum duration in microseconds: 328…17,040.
    public var microseconds: UInt16

    /// Creates limits; the ranges are not checked.
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

/// Requests larger packets on a connection. LE Data Length Change reports the change.
///
/// The peer's limits may be lower. The event follows only if the limits in use change.
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
    /// The requested limits for sending (TX_Octets, TX_Time).
    public var transmit: LEDataLength

    /// Creates the command.
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

/// Asks for the suggested limits of new connections.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.34
public struct LEReadSuggestedDefaultDataLength: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x0023)
    public static let name = "LE Read Suggested Default Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(33, 7)

    /// Creates the command.
    public init() {}

    /// The suggestion.
    public struct ReturnParameters: HCIReturnParameters {
        /// The limits for sending (Suggested_Max_TX_Octets, Suggested_Max_TX_Time).
        public var transmit: LEDataLength

        /// Creates the return parameters.
        public init(transmit: LEDataLength) { self.transmit = transmit }

        public init(from reader: inout ByteReader) throws(DecodeError) { transmit = try LEDataLength(from: &reader) }

        public func encode(into writer: inout ByteWriter) { writer.append(transmit) }

        public var details: String { "\(transmit)" }
    }
}

/// Suggests the limits for sending on new connections.
///
/// The controller may choose other limits, so the connection's own event has the true ones.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.35
public struct LEWriteSuggestedDefaultDataLength: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0024)
    public static let name = "LE Write Suggested Default Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(34, 0)

    /// The limits for sending (Suggested_Max_TX_Octets, Suggested_Max_TX_Time).
    public var transmit: LEDataLength

    /// Creates the command.
    public init(transmit: LEDataLength) { self.transmit = transmit }

    public init(from reader: inout ByteReader) throws(DecodeError) { transmit = try LEDataLength(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(transmit) }

    public var details: String { "\(transmit)" }
}

/// Asks for the largest packets that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.46
public struct LEReadMaximumDataLength: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x002F)
    public static let name = "LE Read Maximum Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(35, 3)

    /// Creates the command.
    public init() {}

    /// The limits.
    public struct ReturnParameters: HCIReturnParameters {
        /// The limits for sending (Supported_Max_TX_Octets, Supported_Max_TX_Time).
        public var transmit: LEDataLength
        /// The limits for receiving (Supported_Max_RX_Octets, Supported_Max_RX_Time).
        public var receive: LEDataLength

        /// Creates the return parameters.
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
