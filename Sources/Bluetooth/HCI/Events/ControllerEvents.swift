// SPDX-License-Identifier: MIT

/// The controller has failed and lost its state.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.16
package struct HardwareErrorEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(.hardwareError, "Hardware Error")

    /// The manufacturer's number for the failure (Hardware_Code).
    package var hardwareCode: UInt8

    package init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        hardwareCode = try fields(\.hardwareCode, "Hardware_Code")
    }

    package var details: String { "0x" + Hex.string(hardwareCode, minimumDigits: 2) }
}

/// Data packets were sent, and the controller's buffers for them are free again.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.19
package struct NumberOfCompletedPacketsEvent: HCIEventParameters {
    package static let form = HCIEventForm(.numberOfCompletedPackets, "Number Of Completed Packets")

    /// The number of sent packets of one connection.
    package struct Completion: Hashable, Sendable {
        package var connection: ConnectionHandle
        /// The number of packets (Num_Completed_Packets[i]).
        package var count: UInt16

        package init(_ connection: ConnectionHandle, count: UInt16) {
            self.connection = connection
            self.count = count
        }
    }

    /// The connections; at most 63 in one event.
    package var completions: [Completion]

    package init(_ completions: [Completion]) { self.completions = completions }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        let count = try reader.uint8("Num_Handles")
        completions = []
        for _ in 0..<count {
            let connection = try ConnectionHandle(from: &reader)
            completions.append(Completion(connection, count: try reader.uint16("Num_Completed_Packets")))
        }
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: completions.count))
        // The number of connections has one octet.
        for completion in completions.prefix(255) {
            writer.append(completion.connection)
            writer.uint16(completion.count)
        }
    }

    package var details: String {
        completions.map { "connection \($0.connection): \($0.count)" }.joined(separator: ", ")
    }
}
