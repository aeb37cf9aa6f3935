// SPDX-License-Identifier: MIT

/// A scanner has requested the scan response of an advertising set.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.19
public struct LEScanRequestReceivedEvent: LEEventParameters {
    public static let subevent = LESubeventCode.scanRequestReceived
    public static let name = "LE Scan Request Received"

    /// The set (Advertising_Handle).
    public var set: LEAdvertisingHandle
    /// The scanner's address (Scanner_Address_Type, Scanner_Address).
    public var scanner: DeviceAddress

    /// Creates the event.
    public init(_ set: LEAdvertisingHandle, scanner: DeviceAddress) {
        self.set = set
        self.scanner = scanner
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        set = try LEAdvertisingHandle(from: &reader)
        scanner = try reader.deviceAddress("Scanner_Address")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(set)
        writer.deviceAddress(scanner)
    }

    public var details: String { "set \(set), by \(scanner)" }
}
