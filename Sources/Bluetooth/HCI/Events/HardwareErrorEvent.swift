// SPDX-License-Identifier: MIT

/// The controller has failed and lost its state.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.16
public struct HardwareErrorEvent: HCIEventParameters {
    public static let code = HCIEventCode.hardwareError
    public static let name = "Hardware Error"

    /// The manufacturer's number for the failure (Hardware_Code).
    public var hardwareCode: UInt8

    /// Creates the event.
    public init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        hardwareCode = try reader.uint8("Hardware_Code")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint8(hardwareCode) }

    public var details: String { "0x" + Hex.string(hardwareCode, minimumDigits: 2) }
}
