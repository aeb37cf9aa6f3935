// SPDX-License-Identifier: MIT

/// The channel selection algorithm of a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.20
package struct LEChannelSelectionAlgorithmEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x14
    package static let name = "LE Channel Selection Algorithm"

    package var connection: ConnectionHandle
    /// 0x00 for algorithm #1, 0x01 for #2 (Channel_Selection_Algorithm).
    package var algorithm: UInt8

    package init(_ connection: ConnectionHandle, algorithm: UInt8) {
        self.connection = connection
        self.algorithm = algorithm
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        algorithm = try fields(\.algorithm, "Channel_Selection_Algorithm")
    }

    package var details: String { "connection \(connection), #\(Int(algorithm) + 1)" }
}
