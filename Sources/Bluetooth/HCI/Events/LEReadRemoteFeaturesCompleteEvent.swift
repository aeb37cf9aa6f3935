// SPDX-License-Identifier: MIT

/// The peer has reported its LE features.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.4
public struct LEReadRemoteFeaturesCompleteEvent: LEEventParameters {
    public static let subevent = LESubeventCode.readRemoteFeaturesComplete
    public static let name = "LE Read Remote Features Complete"

    /// Success, or the reason of the failure (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The peer's features (LE_Features).
    public var features: LEFeatures

    /// Creates the event.
    public init(status: HCIStatus = .success, _ connection: ConnectionHandle, features: LEFeatures) {
        self.status = status
        self.connection = connection
        self.features = features
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        features = try LEFeatures(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.append(features)
    }

    public var details: String {
        status == .success ? "connection \(connection), \(features)" : "connection \(connection): \(status)"
    }
}
