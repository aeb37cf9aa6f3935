// SPDX-License-Identifier: MIT

/// An advertising set has ended, because a central has connected or a limit was reached.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.18
package struct LEAdvertisingSetTerminatedEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x12, "LE Advertising Set Terminated")

    /// Success if a central has connected; otherwise Advertising Timeout or Limit Reached (Status).
    package var status: HCIStatus
    package var set: LEAdvertisingHandle
    /// The new connection; meaningless without one (Connection_Handle).
    package var connection: ConnectionHandle
    /// The number of advertising events (Num_Completed_Extended_Advertising_Events).
    package var completedEvents: UInt8

    package init(
        status: HCIStatus,
        _ set: LEAdvertisingHandle,
        connection: ConnectionHandle,
        completedEvents: UInt8 = 0
    ) {
        self.status = status
        self.set = set
        self.connection = connection
        self.completedEvents = completedEvents
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        set = try fields(\.set)
        connection = try fields(\.connection)
        completedEvents = try fields(\.completedEvents, "Num_Completed_Extended_Advertising_Events")
    }

    package var details: String {
        status == .success ? "set \(set), connection \(connection)" : "set \(set): \(status)"
    }
}

/// A scanner has requested the scan response of an advertising set.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.19
package struct LEScanRequestReceivedEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x13, "LE Scan Request Received")

    package var set: LEAdvertisingHandle
    package var scanner: DeviceAddress

    package init(_ set: LEAdvertisingHandle, scanner: DeviceAddress) {
        self.set = set
        self.scanner = scanner
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
        scanner = try fields(\.scanner, "Scanner_Address")
    }

    package var details: String { "set \(set), by \(scanner)" }
}

/// An extended scan has ended because its duration has passed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.17
package struct LEScanTimeoutEvent: HCIEventParameters, EmptyCoded {
    package static let form = HCIEventForm(le: 0x11, "LE Scan Timeout")

    package init() {}
}
