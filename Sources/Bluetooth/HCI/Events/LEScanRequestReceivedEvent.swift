// SPDX-License-Identifier: MIT

/// A scanner has requested the scan response of an advertising set.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.19
package struct LEScanRequestReceivedEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x13
    package static let name = "LE Scan Request Received"

    package var set: LEAdvertisingHandle
    package var scanner: DeviceAddress

    package init(_ set: LEAdvertisingHandle, scanner: DeviceAddress) {
        self.set = set
        self.scanner = scanner
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
        scanner = try fields(\.scanner, "Scanner_Address")
    }

    package var details: String { "set \(set), by \(scanner)" }
}
