// SPDX-License-Identifier: MIT

/// The peer has reported the version of its controller.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.12
public struct ReadRemoteVersionInformationCompleteEvent: HCIEventParameters {
    public static let code = HCIEventCode.readRemoteVersionInformationComplete
    public static let name = "Read Remote Version Information Complete"

    /// Success, or the reason of the failure; the other fields are then meaningless (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The version of the link layer (Version).
    public var version: BluetoothVersion
    /// The manufacturer's company identifier (Company_Identifier).
    public var company: UInt16
    /// The manufacturer's revision (Subversion).
    public var subversion: UInt16

    /// Creates the event.
    public init(
        status: HCIStatus = .success,
        _ connection: ConnectionHandle,
        version: BluetoothVersion,
        company: UInt16,
        subversion: UInt16
    ) {
        self.status = status
        self.connection = connection
        self.version = version
        self.company = company
        self.subversion = subversion
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        version = BluetoothVersion(rawValue: try reader.uint8("Version"))
        company = try reader.uint16("Company_Identifier")
        subversion = try reader.uint16("Subversion")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.uint8(version.rawValue)
        writer.uint16(company)
        writer.uint16(subversion)
    }

    public var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), \(version), company 0x\(Hex.string(company, minimumDigits: 4))"
    }
}
