// SPDX-License-Identifier: MIT

/// The peer has reported the version of its controller.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.12
package struct ReadRemoteVersionInformationCompleteEvent: HCIEventParameters, FieldCoded {
    package static let code = HCIEventCode.readRemoteVersionInformationComplete
    package static let name = "Read Remote Version Information Complete"

    /// Success, or the reason of the failure; the other fields are then meaningless (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The version of the link layer (Version).
    package var version: BluetoothVersion
    /// The manufacturer's company identifier (Company_Identifier).
    package var company: UInt16
    /// The manufacturer's revision (Subversion).
    package var subversion: UInt16

    package init(
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

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        version = try fields(\.version, "Version")
        company = try fields(\.company, "Company_Identifier")
        subversion = try fields(\.subversion, "Subversion")
    }

    package var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), \(version), company 0x\(Hex.string(company, minimumDigits: 4))"
    }
}
