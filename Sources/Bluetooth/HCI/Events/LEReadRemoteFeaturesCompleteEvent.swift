// SPDX-License-Identifier: MIT

/// The peer has reported its LE features.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.4
package struct LEReadRemoteFeaturesCompleteEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x04
    package static let name = "LE Read Remote Features Complete"

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The peer's features (LE_Features).
    package var features: LEFeatures

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, features: LEFeatures) {
        self.status = status
        self.connection = connection
        self.features = features
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        features = try fields(\.features)
    }

    package var details: String {
        status == .success ? "connection \(connection), \(features)" : "connection \(connection): \(status)"
    }
}
