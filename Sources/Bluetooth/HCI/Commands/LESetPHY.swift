// SPDX-License-Identifier: MIT

/// Asks for the PHYs that a connection uses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.47
public struct LEReadPHY: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0030)
    public static let name = "LE Read PHY"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(35, 4)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle

    /// Creates the command.
    public init(_ connection: ConnectionHandle) { self.connection = connection }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(connection) }

    public var details: String { "connection \(connection)" }

    /// The PHYs.
    public struct ReturnParameters: HCIReturnParameters {
        /// The connection (Connection_Handle).
        public var connection: ConnectionHandle
        /// The PHY for sending (TX_PHY).
        public var transmit: LEPHY
        /// The PHY for receiving (RX_PHY).
        public var receive: LEPHY

        /// Creates the return parameters.
        public init(_ connection: ConnectionHandle, transmit: LEPHY, receive: LEPHY) {
            self.connection = connection
            self.transmit = transmit
            self.receive = receive
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            connection = try ConnectionHandle(from: &reader)
            transmit = try LEPHY(from: &reader)
            receive = try LEPHY(from: &reader)
        }

        public func encode(into writer: inout ByteWriter) {
            writer.append(connection)
            writer.append(transmit)
            writer.append(receive)
        }

        public var details: String { "connection \(connection), transmit \(transmit), receive \(receive)" }
    }
}

/// The preferred PHYs for each direction; `nil` for no preference.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.48 (ALL_PHYS, TX_PHYS, RX_PHYS)
public struct LEPHYPreference: Hashable, Sendable, CustomStringConvertible {
    /// The preferred PHYs for sending.
    public var transmit: LEPHYSet?
    /// The preferred PHYs for receiving.
    public var receive: LEPHYSet?

    /// Creates a preference.
    public init(transmit: LEPHYSet?, receive: LEPHYSet?) {
        self.transmit = transmit
        self.receive = receive
    }

    /// `transmit 2M, receive any`
    public var description: String {
        "transmit \(transmit.map { "\($0)" } ?? "any"), receive \(receive.map { "\($0)" } ?? "any")"
    }
}

extension LEPHYPreference: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let all = try reader.uint8("ALL_PHYS")
        let transmit = LEPHYSet(rawValue: try reader.uint8("TX_PHYS"))
        let receive = LEPHYSet(rawValue: try reader.uint8("RX_PHYS"))
        self.transmit = all & 0x01 == 0 ? transmit : nil
        self.receive = all & 0x02 == 0 ? receive : nil
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8((transmit == nil ? 0x01 : 0x00) | (receive == nil ? 0x02 : 0x00))
        writer.uint8(transmit?.rawValue ?? 0x00)
        writer.uint8(receive?.rawValue ?? 0x00)
    }
}

/// Sets the preferred PHYs of new connections.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.48
public struct LESetDefaultPHY: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0031)
    public static let name = "LE Set Default PHY"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(35, 5)

    /// The PHYs.
    public var preference: LEPHYPreference

    /// Creates the command.
    public init(_ preference: LEPHYPreference) { self.preference = preference }

    public init(from reader: inout ByteReader) throws(DecodeError) { preference = try LEPHYPreference(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(preference) }

    public var details: String { "\(preference)" }
}

/// Requests other PHYs on a connection. LE PHY Update Complete reports the result.
///
/// The event follows even if the PHYs stay the same, so that the host always learns the outcome.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.49
public struct LESetPHY: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0032)
    public static let name = "LE Set PHY"
    public static let completion = HCICommandCompletion.commandStatus
    public static let supportBit: HCISupportBit? = HCISupportBit(35, 6)

    /// The preferred coding on LE Coded.
    public enum Coding: UInt16, Hashable, Sendable {
        /// No preference.
        case any = 0x0000
        /// S=2: 500 kbit/s.
        case s2 = 0x0001
        /// S=8: 125 kbit/s.
        case s8 = 0x0002
    }

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The PHYs.
    public var preference: LEPHYPreference
    /// The coding on LE Coded (PHY_Options).
    public var coding: Coding

    /// Creates the command.
    public init(_ connection: ConnectionHandle, _ preference: LEPHYPreference, coding: Coding = .any) {
        self.connection = connection
        self.preference = preference
        self.coding = coding
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        preference = try LEPHYPreference(from: &reader)
        let options = try reader.uint16("PHY_Options")
        guard let coding = Coding(rawValue: options) else {
            throw DecodeError("PHY_Options", .invalid(value: UInt64(options)))
        }
        self.coding = coding
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(preference)
        writer.uint16(coding.rawValue)
    }

    public var details: String { "connection \(connection), \(preference), coding \(coding)" }
}
