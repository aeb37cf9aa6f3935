// SPDX-License-Identifier: MIT

/// A connection has ended.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.5
package struct DisconnectionCompleteEvent: HCIEventParameters, FieldCoded {
    package static let code = HCIEventCode.disconnectionComplete
    package static let name = "Disconnection Complete"

    /// Success, or the reason why the connection could not be ended (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The reason of the end (Reason).
    package var reason: HCIStatus

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, reason: HCIStatus) {
        self.status = status
        self.connection = connection
        self.reason = reason
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        reason = try fields(\.reason, "Reason")
    }

    package var details: String {
        status == .success ? "connection \(connection), \(reason)" : "connection \(connection): \(status)"
    }
}
