// SPDX-License-Identifier: MIT

/// How many events of a connection are left out.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.123
package struct LESubrateParameters: Hashable, Sendable, FieldCoded, CustomStringConvertible {
    /// One of so many events is used, at least and at most: 1 to 500 (Subrate_Min, Subrate_Max).
    package var minimumFactor: UInt16
    package var maximumFactor: UInt16
    /// The number of used events that the peripheral may skip.
    package var maximumLatency: UInt16
    /// The number of further events that are used after one with data; less than the factor.
    package var continuationNumber: UInt16
    package var supervisionTimeout: LEInterval<10_000>

    package init(
        factors: ClosedRange<UInt16>,
        maximumLatency: UInt16,
        continuationNumber: UInt16 = 0,
        supervisionTimeout: LEInterval<10_000>
    ) {
        minimumFactor = factors.lowerBound
        maximumFactor = factors.upperBound
        self.maximumLatency = maximumLatency
        self.continuationNumber = continuationNumber
        self.supervisionTimeout = supervisionTimeout
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        minimumFactor = try fields(\.minimumFactor, "Subrate_Min")
        maximumFactor = try fields(\.maximumFactor, "Subrate_Max")
        maximumLatency = try fields(\.maximumLatency, "Max_Latency")
        continuationNumber = try fields(\.continuationNumber, "Continuation_Number")
        supervisionTimeout = try fields(\.supervisionTimeout)
    }

    package var description: String {
        "factor \(minimumFactor) to \(maximumFactor), latency \(maximumLatency), timeout \(supervisionTimeout)"
    }
}

/// Asks for another subrate factor. LE Subrate Change reports the result.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.124
package struct LESubrateRequest: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x007E, "LE Subrate Request", .commandStatus, bit: (46, 1))

    package var connection: ConnectionHandle
    package var parameters: LESubrateParameters

    package init(_ connection: ConnectionHandle, _ parameters: LESubrateParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        parameters = try fields(\.parameters)
    }

    package var details: String { "connection \(connection), \(parameters)" }
}
